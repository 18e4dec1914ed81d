import { z } from 'zod';
import { Secret } from '../secret.ts';
import { refuse, text } from './fields.ts';
import type { ProxyServer } from './proxy.ts';

/** What an account authenticates with: a token, or the user whose token the exporter creates, renews and revokes. */
export type Credentials =
  | { readonly kind: 'token'; readonly token: Secret }
  | { readonly kind: 'token_file'; readonly path: string }
  | {
      readonly kind: 'password';
      readonly username: string;
      readonly password: Secret | { readonly file: string };
    };

/** What of an account may hold secrets. */
export interface SecretsInAccount {
  readonly credentials: Credentials;
  readonly request: { readonly proxy?: ProxyServer | 'none' };
}

/** The secrets that the configuration of an account itself holds, its proxy's included: none where they are in files. */
export function secretsOf({ credentials, request: { proxy } }: SecretsInAccount): readonly Secret[] {
  const login = typeof proxy === 'object' && proxy.login !== undefined ? Object.values(proxy.login) : [];
  return [...secretsOfCredentials(credentials), ...login];
}

function secretsOfCredentials(credentials: Credentials): readonly Secret[] {
  if (credentials.kind === 'token') return [credentials.token];
  if (credentials.kind === 'token_file' || 'file' in credentials.password) return [];
  return [credentials.password];
}

/** The address of an API: origin and path only, over http or https; becomes the address without a trailing slash. */
function apiUrl() {
  return z
    .string()
    .meta({ format: 'uri' })
    .transform((given, context) => {
      const url = URL.canParse(given) ? new URL(given) : undefined;
      if (url === undefined || !/^https?:$/.test(url.protocol)) {
        return refuse(context, 'expected an address such as "https://api.example.net"');
      }
      if (url.username !== '' || url.password !== '') {
        return refuse(context, 'must hold no user name or password: they have keys of their own');
      }
      if (/[?#]/.test(given)) return refuse(context, 'must hold no query ("?") and no fragment ("#")');
      return url.origin + url.pathname.replace(/\/+$/, '');
    });
}

const PRINTABLE = /^[\x21-\x7e]+$/;

/** A value that goes into a header. White space around it, such as a variable's last newline, does not belong to it. */
function tokenText() {
  return z
    .string()
    .transform((given) => given.trim())
    .refine((given) => PRINTABLE.test(given), 'must be one word of printable ASCII characters')
    .transform((given) => new Secret(given));
}

/** The keys of an account that say where the platform is and what to authenticate with. */
export const ACCESS = {
  api_url: apiUrl().describe(
    'Base address of the API. https, unless the host is loopback or allow_http is set.',
  ),
  allow_http: z
    .boolean()
    .default(false)
    .describe('Whether the token may travel unencrypted to a host that is not loopback.'),
  token: tokenText()
    .exactOptional()
    .describe('The token itself, better as a reference to an environment variable.'),
  token_file: text().exactOptional().describe('File that holds the token; read again when it changes.'),
  username: text()
    .regex(/^[^:]*$/, 'must hold no colon: basic authentication cannot carry it')
    .exactOptional()
    .describe('User whose token is created, renewed and revoked.'),
  password: z
    .string()
    .min(1, 'must not be empty')
    .transform((given) => new Secret(given))
    .exactOptional()
    .describe('The password of username, better as a reference to an environment variable.'),
  password_file: text().exactOptional().describe('File that holds the password of username.'),
};

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** The rule that `api_url` breaks together with `allow_http`, if it does. */
export function unencrypted(apiUrl: unknown, allowHttp: unknown, throughProxy: boolean): string | undefined {
  if (allowHttp === true || typeof apiUrl !== 'string' || !URL.canParse(apiUrl)) return undefined;
  const { protocol, hostname } = new URL(apiUrl);
  if (protocol !== 'http:') return undefined;
  if (!isLoopback(hostname))
    return 'expected https, since the token would travel unencrypted; allow_http permits it';
  // Behind a proxy, loopback is the proxy's own machine, and the way there is open.
  if (!throughProxy) return undefined;
  return 'expected https, since the token would travel to the proxy unencrypted; allow_http permits it';
}

/** Whether a host of a URL is this machine, whatever its DNS says. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** The keys that `credentials` is built from, as far as they are given. */
export type GivenCredentials = {
  [Key in 'token' | 'token_file' | 'username' | 'password' | 'password_file']?: z.output<
    (typeof ACCESS)[Key]
  >;
};

/** The rules that the credentials break as a whole: exactly one kind, and complete. */
export function credentialMistakes(given: { readonly [Key in keyof GivenCredentials]?: unknown }): string[] {
  const has = (key: keyof GivenCredentials) => given[key] !== undefined;
  const password = has('password') || has('password_file');
  const kinds = [has('token'), has('token_file'), has('username') || password].filter(Boolean).length;
  const mistakes: string[] = [];
  if (kinds !== 1) {
    const found = kinds === 0 ? 'none' : 'more than one kind';
    mistakes.push(
      `expected exactly one of token, token_file, or username with password or password_file; found ${found}`,
    );
  }
  if (has('password') && has('password_file')) {
    mistakes.push('expected one of password and password_file, not both');
  }
  if (password && !has('username')) mistakes.push('expected username as well');
  if (has('username') && !password) mistakes.push('expected password or password_file beside username');
  return mistakes;
}

/** The credentials of keys that break no rule. */
export function toCredentials(given: GivenCredentials): Credentials {
  if (given.token !== undefined) return { kind: 'token', token: given.token };
  if (given.token_file !== undefined) return { kind: 'token_file', path: given.token_file };
  const password = given.password ?? { file: given.password_file ?? '' };
  return { kind: 'password', username: given.username ?? '', password };
}
