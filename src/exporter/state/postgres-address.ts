import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';
import { parse, toClientConfig } from 'pg-connection-string';

/** Address and login of a PostgreSQL server, from its URL and the variables of libpq. */
export interface PostgresAddress {
  /** Address for messages, without the password. */
  readonly shown: string;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Returns the password for each connection, so that a changed file takes effect; undefined if libpq's password file applies. */
  readonly password: (() => Promise<string>) | undefined;
  /** Password to mask in the log; undefined if it is read later. */
  readonly secret: string | undefined;
  /** Reads certificates and keys for a new connection; false without TLS. @throws Error if a file cannot be read */
  readonly tls: () => ConnectionOptions | boolean;
}

/** Supported TLS modes of libpq: all except `allow` and `prefer`. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];

/** Supported parameters of the URL; any other is an error. Each has the environment variable of its default. */
const PARAMETERS = {
  host: 'PGHOST',
  port: 'PGPORT',
  user: 'PGUSER',
  dbname: 'PGDATABASE',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
} as const;

/** Value of `sslrootcert` for Node's built-in authorities. */
const SYSTEM = 'system';

/** Error with all mistakes in a state URL or its variables, one sentence each. */
export class BadStateUrl extends Error {
  override readonly name = 'BadStateUrl';
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(issues.join('; '));
    this.issues = issues;
  }
}

export interface AddressSources {
  /** `--state.url`. */
  readonly url: string;
  /** `--state.password-file`. */
  readonly passwordFile: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** Parses the address of a PostgreSQL server. @throws BadStateUrl */
export function postgresAddress({ url, passwordFile, env }: AddressSources): PostgresAddress {
  const { given, parameters } = parsedUrl(url);
  const of = (name: keyof typeof PARAMETERS, plain?: string | null) =>
    parameters.get(name) || plain || env[PARAMETERS[name]] || undefined;
  const user = of('user', given.user);
  const host = of('host', given.host) ?? 'localhost';
  const port = Number(of('port', given.port) ?? 5_432);
  const rootCert = of('sslrootcert');
  const mode = of('sslmode') ?? (rootCert === SYSTEM ? 'verify-full' : isLocal(host) ? 'disable' : 'prefer');
  const unknown = [...parameters.keys()].filter((name) => !(name in PARAMETERS));
  const issues = [
    ...unknown.map((name) => `unknown parameter ${name}; there are ${Object.keys(PARAMETERS).join(', ')}`),
    ...(host.includes(',') ? [`expected one host, and not ${host}`] : []),
    ...(user === undefined ? ['no user is named, nor by PGUSER'] : []),
    ...(Number.isInteger(port) && port > 0 && port < 65_536 ? [] : ['the port is not a port']),
    ...modeIssues(mode, rootCert),
    ...(given.password && passwordFile !== undefined
      ? ['it has a password, and --state.password-file is given too: leave one of them out']
      : []),
  ];
  if (user === undefined || issues.length > 0)
    throw new BadStateUrl(issues.map((issue) => `--state.url: ${issue}`));
  const database = of('dbname', given.database) ?? user;
  const secret = given.password || env['PGPASSWORD'] || undefined;
  const files = { sslrootcert: rootCert, sslcert: of('sslcert'), sslkey: of('sslkey') };
  return {
    shown: `postgres://${user}@${host}:${port}/${database}`,
    host,
    port,
    database,
    user,
    password: passwordFrom(passwordFile, secret),
    secret: passwordFile === undefined ? secret : undefined,
    tls: () => (host.startsWith('/') ? false : tlsOf(mode, files)),
  };
}

/** Parses a URL, but not with `parse` alone, which would read the files in its parameters. @throws BadStateUrl */
function parsedUrl(url: string) {
  try {
    if (!/^postgres(ql)?:\/\//i.test(url)) throw new Error('another scheme');
    const [address = '', query = ''] = url.split('?', 2);
    return { given: parse(address), parameters: new URLSearchParams(decodable(query)) };
  } catch {
    throw new BadStateUrl([
      '--state.url: expected an address such as postgres://user@host:5432/database?sslmode=verify-full',
    ]);
  }
}

/** Returns the query unchanged if it can be decoded. @throws URIError for an escape that is not UTF-8 */
function decodable(query: string): string {
  // The result is used, because the bundler removes calls without a used result.
  return decodeURIComponent(query) === '' ? '' : query;
}

/** Returns true if the address is on this machine, where nobody can intercept the traffic. */
function isLocal(host: string): boolean {
  return /^(\/.*|localhost|127(\.\d+){3}|::1)$/.test(host);
}

function modeIssues(mode: string, rootCert: string | undefined): string[] {
  if (mode === 'allow' || mode === 'prefer')
    return [
      `sslmode=${mode}, which is also libpq's default, goes on without encryption where the server asks for it: use disable, require, verify-ca or verify-full`,
    ];
  if (!SSL_MODES.includes(mode)) return [`sslmode: expected one of ${SSL_MODES.join(', ')}`];
  if (rootCert === SYSTEM && mode !== 'verify-full')
    return [`sslrootcert=system proves nothing with sslmode=${mode}: use verify-full`];
  if (mode === 'verify-ca' && rootCert === undefined)
    return ['sslmode=verify-ca needs sslrootcert, the file of the authority'];
  return [];
}

/** Returns the TLS options for a libpq mode: `require` accepts any certificate without a root, `verify-ca` any name. */
function tlsOf(
  sslmode: string,
  files: Readonly<Record<string, string | undefined>>,
): ConnectionOptions | boolean {
  const parameters = Object.entries({ ...files, sslmode }).filter(([, value]) => value && value !== SYSTEM);
  const query = new URLSearchParams(parameters as [string, string][]);
  const { ssl } = toClientConfig(parse(`postgres://base?${query}`, { useLibpqCompat: true }));
  return ssl ?? false;
}

function passwordFrom(file: string | undefined, secret: string | undefined) {
  if (file !== undefined) return async () => (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  return secret === undefined ? undefined : async () => secret;
}
