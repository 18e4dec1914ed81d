import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';

/** Where a PostgreSQL is, and how to get in: what its URL says, and where that is silent, the variables that libpq knows. */
export interface PostgresAddress {
  /** For messages, without the password. */
  readonly shown: string;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Asked at every connection, so that a changed file takes effect; undefined where libpq's password file is asked. */
  readonly password: (() => Promise<string>) | undefined;
  /** The password where it is known at once, to be kept out of the log. */
  readonly secret: string | undefined;
  readonly tls: PostgresTls;
}

/** TLS as `sslmode` asks for it. */
export interface PostgresTls {
  readonly mode: SslMode;
  /** Files, by the names of libpq. */
  readonly rootCert: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

export type SslMode = (typeof SSL_MODES)[number];

/** Parameters of the URL that are understood; others are mistakes. */
const PARAMETERS = ['host', 'port', 'user', 'dbname', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/** The value of `sslrootcert` for the authorities that the program trusts anyway. */
const SYSTEM = 'system';

/** Everything that is wrong with a state URL or the variables beside it, a sentence each. */
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

/** @throws BadStateUrl */
export function postgresAddress({ url, passwordFile, env }: AddressSources): PostgresAddress {
  if (!/^postgres(ql)?:\/\//i.test(url) || !URL.canParse(url) || !canDecode(url))
    throw new BadStateUrl([
      '--state.url: expected an address such as postgres://user@host:5432/database?sslmode=verify-full',
    ]);
  const parsed = new URL(url);
  const { searchParams: parameters } = parsed;
  const of = (parameter: string, variable: string, plain = '') =>
    parameters.get(parameter) || decodeURIComponent(plain) || env[variable] || undefined;
  const user = of('user', 'PGUSER', parsed.username);
  const rootCert = of('sslrootcert', 'PGSSLROOTCERT');
  const mode = of('sslmode', 'PGSSLMODE') ?? (rootCert === SYSTEM ? 'verify-full' : 'prefer');
  const port = Number(of('port', 'PGPORT', parsed.port) ?? 5_432);
  const sslMode = SSL_MODES.find((known) => known === mode);
  const unknown = [...parameters.keys()].filter((name) => !PARAMETERS.includes(name));
  const host = of('host', 'PGHOST', parsed.hostname.replace(/^\[|\]$/g, '')) ?? 'localhost';
  const issues = [
    ...unknown.map((name) => `--state.url: unknown parameter ${name}; there are ${PARAMETERS.join(', ')}`),
    ...(host.includes(',') ? [`--state.url: expected one host, and not ${host}`] : []),
    ...(user === undefined ? ['--state.url: no user is named, nor by PGUSER'] : []),
    ...(Number.isInteger(port) && port > 0 && port < 65_536 ? [] : ['--state.url: the port is not a port']),
    ...(sslMode === undefined ? [`--state.url: sslmode: expected one of ${SSL_MODES.join(', ')}`] : []),
    ...(rootCert === SYSTEM && sslMode !== undefined && sslMode !== 'verify-full'
      ? [`--state.url: sslrootcert=system proves nothing with sslmode=${sslMode}: use verify-full`]
      : []),
    ...(parsed.password !== '' && passwordFile !== undefined
      ? ['--state.password-file is given, and --state.url has a password too: leave one of them out']
      : []),
  ];
  if (user === undefined || sslMode === undefined || issues.length > 0) throw new BadStateUrl(issues);
  const database = of('dbname', 'PGDATABASE', parsed.pathname.slice(1)) ?? user;
  const secret = decodeURIComponent(parsed.password) || env['PGPASSWORD'] || undefined;
  return {
    shown: `postgres://${user}@${host}:${port}/${database}`,
    host,
    port,
    database,
    user,
    password: passwordFrom(passwordFile, secret),
    secret: passwordFile === undefined ? secret : undefined,
    tls: { mode: sslMode, rootCert, cert: of('sslcert', 'PGSSLCERT'), key: of('sslkey', 'PGSSLKEY') },
  };
}

/** Whether every escape in it is one of UTF-8. */
function canDecode(url: string): boolean {
  try {
    // Its result is looked at, since the bundler takes a call away whose result nobody wants.
    return decodeURIComponent(url) !== '';
  } catch {
    return false;
  }
}

function passwordFrom(file: string | undefined, secret: string | undefined) {
  if (file !== undefined) return async () => (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  return secret === undefined ? undefined : async () => secret;
}

/**
 * The ways to connect, best first, as libpq does it: `prefer` goes on without TLS where the server has none, `require`
 * believes any certificate unless a root is given, `verify-ca` any name, and `verify-full` nothing that is not proven;
 * with the system's authorities only the last one is possible.
 * @returns false for a connection without TLS
 * @throws Error where a certificate's file cannot be read
 */
export async function tlsAttempts({ host, tls }: PostgresAddress): Promise<(ConnectionOptions | false)[]> {
  const { mode } = tls;
  if (mode === 'disable' || host.startsWith('/')) return [false];
  const [ca, cert, key] = await Promise.all(
    [tls.rootCert, tls.cert, tls.key].map((file) =>
      file === undefined || file === SYSTEM ? undefined : readFile(file, 'utf8'),
    ),
  );
  const proves = mode === 'verify-full' || mode === 'verify-ca' || (mode === 'require' && ca !== undefined);
  const options: ConnectionOptions = {
    rejectUnauthorized: proves,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(proves && mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
  if (mode === 'prefer') return [options, false];
  return mode === 'allow' ? [false, options] : [options];
}
