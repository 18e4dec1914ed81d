import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { CredentialsSource } from '../credentials/token-login.ts';
import type { ProxyServer } from '../platform/connector.ts';
import { Secret } from '../secret.ts';
import { refuse, text } from './field-types.ts';
import { isLoopback } from './request.ts';

/** What of an account or receiver may hold secrets. */
export interface SecretsInPart {
  readonly credentials: CredentialsSource | undefined;
  readonly request: { readonly proxy?: ProxyServer | 'none' };
}

/** The secrets that the configuration of a part itself holds, its proxy's included: none where they are in files. */
export function secretsOf({ credentials, request: { proxy } }: SecretsInPart): readonly Secret[] {
  const login = typeof proxy === 'object' && proxy.login !== undefined ? Object.values(proxy.login) : [];
  if (credentials?.kind === 'token') return [credentials.token, ...login];
  const isWritten = credentials?.kind === 'password' && credentials.password instanceof Secret;
  return isWritten ? [credentials.password, ...login] : login;
}

/** Whether nothing of a part has changed, nor its secrets, which comparing objects does not look into. */
export function isSame<Part>(
  before: Part,
  after: Part,
  secretsIn: (part: Part) => readonly Secret[],
): boolean {
  const revealed = (part: Part) => secretsIn(part).map((secret) => secret.reveal());
  return isDeepStrictEqual(before, after) && isDeepStrictEqual(revealed(before), revealed(after));
}

/** Whether two accounts ask one platform with the same token or login. */
export function sameAccess<Account extends SecretsInPart & { readonly api_url: string }>(
  before: Pick<Account, 'api_url' | 'credentials'>,
  after: Pick<Account, 'api_url' | 'credentials'>,
): boolean {
  const access = ({ api_url, credentials }: typeof before) => ({ api_url, credentials, request: {} });
  return isSame(access(before), access(after), secretsOf);
}

/** The address of an API: origin and path only, over http or https; becomes the address without a trailing slash. */
function apiUrl() {
  return httpAddress('https://api.example.net', (url) => url.origin + url.pathname.replace(/\/+$/, ''));
}

/** An address over http or https: origin and path only, or with a query where `takesQuery` says so. */
export function httpAddress(
  example: string,
  written: (url: URL) => string,
  { takesQuery = false }: { readonly takesQuery?: boolean } = {},
) {
  return z
    .string()
    .meta({ format: 'uri' })
    .transform((given, context) => {
      const url = URL.canParse(given) ? new URL(given) : undefined;
      if (url === undefined || !/^https?:$/.test(url.protocol)) {
        return refuse(context, `expected an address such as "${example}"`);
      }
      if (url.username !== '' || url.password !== '') {
        return refuse(context, 'must not contain a user name or password: use {username} and {password}');
      }
      if (takesQuery && given.includes('#')) return refuse(context, 'must not contain a fragment ("#")');
      if (!takesQuery && /[?#]/.test(given))
        return refuse(context, 'must not contain a query ("?") or a fragment ("#")');
      return written(url);
    });
}

const PRINTABLE = /^[\x21-\x7e]+$/;

/** A value that goes into a header. White space around it, such as a variable's last newline, does not belong to it. */
export function tokenText() {
  return z
    .string()
    .transform((given) => given.trim())
    .refine((given) => PRINTABLE.test(given), 'must be one word of printable ASCII characters')
    .refine(
      (given) => !/^\$[A-Za-z_]\w*$/.test(given),
      `would be sent as it is: expected a variable in braces, such as "\${EDGE_TOKEN}"`,
    )
    .transform((given) => new Secret(given));
}

/** The keys of an account that say where the platform is and what to authenticate with. */
export const ACCESS = {
  api_url: apiUrl().describe(
    'Base address of the API. Must be https unless the host is loopback or allow_http is set.',
  ),
  allow_http: z
    .boolean()
    .default(false)
    .describe('Allow sending the token unencrypted to a host that is not loopback.'),
  token: tokenText()
    .exactOptional()
    .describe('The token itself; prefer a reference to an environment variable.'),
  token_file: text().exactOptional().describe('File with the token; read again when it changes.'),
  username: text()
    .regex(/^[^:]*$/, 'must not contain a colon: basic authentication does not allow it')
    .exactOptional()
    .describe('User for whom the exporter creates, renews and revokes a token.'),
  password: z
    .string()
    .min(1, 'must not be empty')
    .transform((given) => new Secret(given))
    .exactOptional()
    .describe('Password of username; prefer a reference to an environment variable.'),
  password_file: text().exactOptional().describe('File with the password of username.'),
};

/** The platform's APIs of series, or whichever answers. */
export function sourceName() {
  return z.enum(['auto', 'rest', 'graphql']);
}

export type ConfiguredSource = z.output<ReturnType<typeof sourceName>>;

/** The keys of an account that say by which of the platform's APIs its series are read. */
export const SOURCE = {
  source: sourceName()
    .default('auto')
    .describe(
      'API that series are read by; auto takes REST, and GraphQL where REST answers 404 to what it is asked for.',
    ),
  graphql_url: apiUrl()
    .exactOptional()
    .describe('Base address of the GraphQL API, below which /metrics/graphql is; default: api_url.'),
};

/** The rule that an address breaks together with `allow_http`, if it does. @param what would be seen on the way */
export function unencrypted(
  address: unknown,
  allowHttp: unknown,
  throughProxy: boolean,
  what = 'the token',
): string | undefined {
  if (allowHttp === true || typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const { protocol, hostname } = new URL(address);
  if (protocol !== 'http:') return undefined;
  // Behind a proxy, loopback is the proxy's own machine, and the way there is open.
  if (isLoopback(hostname) && !throughProxy) return undefined;
  const where = isLoopback(hostname) ? 'to the proxy unencrypted' : 'unencrypted';
  return `expected https: ${what} would be sent ${where}; {allow_http} permits it`;
}

/** The keys that `credentials` is built from, as far as they are given. */
export type GivenCredentials = {
  [Key in 'token' | 'token_file' | 'username' | 'password' | 'password_file']?: z.output<
    (typeof ACCESS)[Key]
  >;
};

const ONE_KIND =
  'expected exactly one of {token}, {token_file}, or {username} with {password} or {password_file}';

/** The rules that the credentials break as a whole: exactly one kind, and complete. */
export function credentialMistakes(given: { readonly [Key in keyof GivenCredentials]?: unknown }): string[] {
  const has = (key: keyof GivenCredentials) => given[key] !== undefined;
  const password = has('password') || has('password_file');
  const kinds = [has('token'), has('token_file'), has('username') || password].filter(Boolean).length;
  const found = kinds === 0 ? 'none' : 'more than one kind';
  return [
    ...(kinds === 1 ? [] : [`${ONE_KIND}; found ${found}`]),
    ...(has('password') && has('password_file')
      ? ['expected one of {password} and {password_file}, not both']
      : []),
    ...(password && !has('username') ? ['expected {username} as well'] : []),
    ...(has('username') && !password ? ['expected {password} or {password_file} beside {username}'] : []),
  ];
}

/** The credentials of keys that break no rule. */
export function toCredentials(given: GivenCredentials): CredentialsSource {
  if (given.token !== undefined) return { kind: 'token', token: given.token };
  if (given.token_file !== undefined) return { kind: 'token_file', path: given.token_file };
  const password = given.password ?? { file: given.password_file ?? '' };
  return { kind: 'password', username: given.username ?? '', password };
}
