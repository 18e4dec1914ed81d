import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { CredentialsSource } from '../credentials/token-login.ts';
import type { ProxyServer, Route } from '../platform/connector.ts';
import { Secret } from '../secret.ts';
import {
  addMistake,
  duration,
  integer,
  isMapping,
  isQuoted,
  MEBIBYTE,
  MINUTE,
  QUOTED,
  refuse,
  SECOND,
  text,
} from './field-types.ts';

/** Keys of an account or receiver that may contain secrets. */
export interface SecretsInPart {
  readonly credentials: CredentialsSource | undefined;
  readonly request: { readonly proxy?: ProxyServer | 'none' };
}

/** Returns the secrets in the configuration of an account or receiver and of its proxy. Secrets in files are not included. */
export function secretsOf({ credentials, request: { proxy } }: SecretsInPart): readonly Secret[] {
  const login = typeof proxy === 'object' && proxy.login !== undefined ? Object.values(proxy.login) : [];
  if (credentials?.kind === 'token') return [credentials.token, ...login];
  const isWritten = credentials?.kind === 'password' && credentials.password instanceof Secret;
  return isWritten ? [credentials.password, ...login] : login;
}

/** Returns true if two parts are equal, including their secrets, which a comparison of objects ignores. */
export function isSame<Part>(
  before: Part,
  after: Part,
  secretsIn: (part: Part) => readonly Secret[],
): boolean {
  const revealed = (part: Part) => secretsIn(part).map((secret) => secret.reveal());
  return isDeepStrictEqual(before, after) && isDeepStrictEqual(revealed(before), revealed(after));
}

/** Returns true if two accounts use the same platform with the same token or login. */
export function sameAccess<Account extends SecretsInPart & { readonly api_url: string }>(
  before: Pick<Account, 'api_url' | 'credentials'>,
  after: Pick<Account, 'api_url' | 'credentials'>,
): boolean {
  const access = ({ api_url, credentials }: typeof before) => ({ api_url, credentials, request: {} });
  return isSame(access(before), access(after), secretsOf);
}

/** Returns the schema of an API's URL: origin and path only, over http or https. Removes a trailing slash. */
function apiUrl() {
  return httpAddress('https://api.example.net', (url) => url.origin + url.pathname.replace(/\/+$/, ''));
}

/** Returns the schema of a URL over http or https: origin and path only, or with a query if `takesQuery` is true. */
export function httpAddress(
  example: string,
  written: (url: URL) => string,
  { takesQuery = false }: { readonly takesQuery?: boolean } = {},
) {
  return z
    .string()
    .meta({ format: 'uri' })
    .transform((given, context) => {
      if (isQuoted(given)) return refuse(context, QUOTED);
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

/** Returns the schema of a header value. Removes white space around it, such as a variable's trailing newline. */
export function tokenText() {
  return z
    .string()
    .transform((given) => given.trim())
    .refine((given) => !isQuoted(given), QUOTED)
    .refine((given) => PRINTABLE.test(given), 'must be one word of printable ASCII characters')
    .refine(
      (given) => !/^\$[A-Za-z_]\w*$/.test(given),
      `would be sent as it is: expected a variable in braces, such as "\${EDGE_TOKEN}"`,
    )
    .transform((given) => new Secret(given));
}

export function secretText() {
  return z
    .string()
    .min(1, 'must not be empty')
    .transform((given) => new Secret(given));
}

/** Keys of an account for the platform's URL and the credentials. */
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
  password: secretText()
    .exactOptional()
    .describe('Password of username; prefer a reference to an environment variable.'),
  password_file: text().exactOptional().describe('File with the password of username.'),
};

/** Returns the schema of a source of series: one of the platform's APIs, or `auto` for whichever works. */
export function sourceName() {
  return z.enum(['auto', 'rest', 'graphql']);
}

export type ConfiguredSource = z.output<ReturnType<typeof sourceName>>;

/** Keys of an account for the API of its series. */
export const SOURCE = {
  source: sourceName()
    .default('auto')
    .describe('API that series come from; auto takes REST, or GraphQL if REST answers 404.'),
  graphql_url: apiUrl()
    .exactOptional()
    .describe('Base address of the GraphQL API, below which /metrics/graphql is; default: api_url.'),
};

/**
 * Returns the error message for an `http:` URL that needs `allow_http`; undefined if the URL is allowed. Loopback is
 * allowed, unless requests go through a proxy.
 * @param what data that would be sent unencrypted
 */
export function unencrypted(
  address: unknown,
  allowHttp: unknown,
  throughProxy: boolean,
  what = 'the token',
): string | undefined {
  if (allowHttp === true || typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const { protocol, hostname } = new URL(address);
  if (protocol !== 'http:') return undefined;
  // Behind a proxy, loopback is the proxy's own machine, and the connection to it is unencrypted.
  if (isLoopback(hostname) && !throughProxy) return undefined;
  const where = isLoopback(hostname) ? 'to the proxy unencrypted' : 'unencrypted';
  return `expected https: ${what} would be sent ${where}; {allow_http} permits it`;
}

/** Given keys from which `credentials` is built. */
type GivenCredentials = {
  readonly [Key in 'token' | 'token_file' | 'username' | 'password' | 'password_file']?:
    | z.output<(typeof ACCESS)[Key]>
    | undefined;
};

const ONE_KIND =
  'expected exactly one of {token}, {token_file}, or {username} with {password} or {password_file}';

/** Returns the mistakes of the credentials as a whole: there must be exactly one kind, and it must be complete. */
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

/** Returns the credentials of valid keys. */
export function toCredentials(given: GivenCredentials): CredentialsSource {
  if (given.token !== undefined) return { kind: 'token', token: given.token };
  if (given.token_file !== undefined) return { kind: 'token_file', path: given.token_file };
  const password = given.password ?? { file: given.password_file ?? '' };
  return { kind: 'password', username: given.username ?? '', password };
}

/** Keys of `request` for connections. */
export const ROUTE = {
  proxy: proxyAddress()
    .exactOptional()
    .describe(
      'Proxy to tunnel through, with user name and password if it needs them; "none" for no proxy. Without this key, HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment apply.',
    ),
  ca_file: text()
    .exactOptional()
    .describe(
      'PEM file of the certificate authorities to trust instead of the default ones; read again for each connection.',
    ),
  cert_file: text()
    .exactOptional()
    .describe(
      'PEM file of the client certificate with its chain, if the server requires one; needs key_file.',
    ),
  key_file: text().exactOptional().describe('PEM file of the private key of cert_file, not encrypted.'),
  server_name: text()
    .exactOptional()
    .describe('Name expected in the server certificate, if it is not the host of the address.'),
};

/** Returns the schema of a `request`, with its own keys and those for connections. */
export function requestOf<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject({ ...shape, ...ROUTE }).superRefine(
    (given, context) => {
      const { cert_file: cert, key_file: key }: { cert_file?: unknown; key_file?: unknown } = given;
      if (cert !== undefined && key === undefined)
        addMistake(context, ['cert_file'], 'expected key_file as well');
      if (key !== undefined && cert === undefined)
        addMistake(context, ['key_file'], 'expected cert_file as well');
    },
    { when: isMapping },
  );
}

/** The `request` of an account. */
export const REQUEST = requestOf({
  timeout: duration({ min: SECOND, max: 5 * MINUTE })
    .prefault('30s')
    .describe('Timeout of one operation.'),
  concurrency: integer().min(1).max(64).default(6).describe('Maximum number of operations in flight.'),
  max_response_bytes: integer()
    .min(64 * 1024)
    .max(1024 * MEBIBYTE)
    .default(8 * MEBIBYTE)
    .describe(
      'Largest accepted answer, in bytes after decompression. Answers with more than a million values are always refused; an object counts as five, a key as three.',
    ),
});

/** Returns the schema of `proxy`: a URL, or `none` to ignore the environment. */
function proxyAddress() {
  return z
    .string()
    .meta({ examples: ['http://proxy.example.net:3128', 'none'] })
    .transform((given, context): ProxyServer | 'none' => {
      if (given === 'none') return 'none';
      return parseProxy(given, 'request.proxy') ?? refuse(context, `${EXPECTED_PROXY}, or "none"`);
    });
}

export const EXPECTED_PROXY =
  'expected the address of an http or https proxy, such as "http://proxy.example.net:3128"';

/** Parses a proxy's URL, with its user name and password; undefined if it is not valid. @param from key or variable of the URL */
export function parseProxy(address: string, from: string): ProxyServer | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isBare = url !== undefined && /^\/?$/.test(url.pathname + url.search + url.hash);
  if (!isBare || !/^https?:$/.test(url.protocol)) return undefined;
  try {
    const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    const proxy = { origin: url.origin, from };
    if (username === '' && password === '') return proxy;
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    return { ...proxy, login: { password: new Secret(password), basic: new Secret(basic) } };
  } catch {
    // A `%` begins no encoded character.
    return undefined;
  }
}

/** Keys of `request` for connections. */
export type RouteKeys = Pick<z.output<typeof REQUEST>, keyof typeof ROUTE>;

/** Returns the route to a platform or receiver: its proxy and its TLS settings. The route has no proxy if none is configured. */
export function routeOf({ proxy, ca_file, cert_file, key_file, server_name }: RouteKeys): Route {
  return {
    ...(typeof proxy === 'object' && { proxy }),
    tls: { caFile: ca_file, certFile: cert_file, keyFile: key_file, serverName: server_name },
  };
}

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** Returns true if the host of a URL is this machine, without DNS. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
