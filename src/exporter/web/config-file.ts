import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { z } from 'zod';
import { readYaml } from '../configuration/document.ts';
import { integer, refuse } from '../configuration/field-types.ts';
import { check, formatIssue, inOrder } from '../configuration/issue.ts';
import { parseDuration } from '../text/figures.ts';
import { asksForTls, secureContextOptions, type TlsConfig, tlsServerConfig } from './tls.ts';

/** Logger of the HTTP server. */
export interface WebLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Rate limit of requests: `burst` at once, and then one every `interval` milliseconds. */
export interface RequestRate {
  readonly interval: number;
  readonly burst: number;
}

/** A web configuration with its certificates loaded. */
export type WebConfig = ReturnType<typeof loadWebConfig>;

/** A web configuration that is reloaded when its file changes. */
export interface WebConfigFile {
  /** Returns the current content of the files, or the last usable one. Returns the same object unless they changed. */
  current(): WebConfig;
}

const NOTHING: WebConfig = { tls: undefined, headers: {}, users: new Map(), rate: undefined };

/**
 * Opens the web configuration at `path` with its certificates; without a path, the configuration is empty. As in exporter-toolkit,
 * a change takes effect with the next request or connection. Unlike there, an unusable or empty file changes nothing, and a warning
 * states the error. Otherwise a file that is being written would disable authentication.
 * @throws WebConfigError if the file is unusable at the start
 */
export function openWebConfig(path: string | undefined, log: WebLog): WebConfigFile {
  if (path === undefined) return { current: () => NOTHING };
  let reading = startReading();
  const first = loadWebConfig(path, { readFile: reading.read });
  let config = first;
  return {
    current() {
      if (!reading.isOutdated()) return config;
      reading = startReading();
      try {
        config = loadWebConfig(path, { readFile: reading.read, mayBeEmpty: false });
        log.info({ file: path }, 'web configuration reloaded');
        if (needsRestart(first, config))
          log.warn({ file: path }, 'a change to tls_server_config needs a restart');
      } catch (error) {
        if (!(error instanceof WebConfigError)) throw error;
        const { issues } = error;
        log.warn({ file: path, issues }, 'the new web configuration is invalid; the previous one is in use');
      }
      return config;
    },
  };
}

/** Returns true for changes that need a restart: a server cannot start or stop TLS, nor start to ask for certificates. */
function needsRestart(first: WebConfig, now: WebConfig): boolean {
  if (first.tls === undefined || now.tls === undefined) return first.tls !== now.tls;
  return first.tls.clientPolicy === 'NoClientCert' && now.tls.clientPolicy !== 'NoClientCert';
}

interface LoadOptions {
  readonly readFile?: ReadText;
  readonly mayBeEmpty?: boolean;
}

/** Loads a web configuration and its certificates. @throws WebConfigError with all mistakes */
export function loadWebConfig(path: string, { readFile = readText, mayBeEmpty = true }: LoadOptions = {}) {
  const read = (file: string) => {
    try {
      return readFile(file);
    } catch (error) {
      const { message } = error as Error;
      // The system's message does not contain the path of a folder.
      throw new WebConfigError([
        `${path}: cannot be used: ${message.includes(file) ? message : `${message} '${file}'`}`,
      ]);
    }
  };
  const keys = parseWebConfig(read(path), path, mayBeEmpty);
  const tls = keys.tls_server_config ?? {};
  const { interval = 0, burst = 0 } = keys.rate_limit ?? {};
  return {
    tls: asksForTls(tls) ? loadTls(tls, path, (file) => read(resolve(dirname(path), file))) : undefined,
    headers: keys.http_server_config?.headers ?? {},
    users: new Map(Object.entries(keys.basic_auth_users ?? {})),
    // Like exporter-toolkit: an interval of 0 means no limit.
    rate: interval > 0 ? { interval, burst } : undefined,
  };
}

function loadTls(
  tls: NonNullable<WebConfigKeys['tls_server_config']>,
  path: string,
  read: (file: string) => string,
): TlsConfig {
  const context = secureContextOptions(tls, read);
  const fail = (what: string): never => {
    throw new WebConfigError([`${path}: tls_server_config: ${what}`]);
  };
  for (const [name, text] of Object.entries({
    cert: context.cert,
    key: context.key,
    client_ca: context.ca,
  })) {
    // A file that is being rewritten may be empty. Node ignores an empty one: connections then fail, or every authority is trusted.
    if (text !== undefined && String(text).trim() === '') fail(`the ${name} is empty`);
  }
  try {
    createSecureContext(context);
  } catch (error) {
    fail((error as Error).message);
  }
  return {
    context,
    clientPolicy: tls.client_auth_type ?? 'NoClientCert',
    clientNames: tls.client_allowed_sans,
  };
}

type ReadText = (file: string) => string;

function readText(file: string): string {
  return readFileSync(file, 'utf8');
}

/** Returns functions that read files and detect a change of any of them, even of one that could not be read. */
function startReading(): { readonly read: ReadText; readonly isOutdated: () => boolean } {
  const seen = new Map<string, string>();
  return {
    read(file) {
      seen.set(file, fingerprint(file));
      return readText(file);
    },
    isOutdated: () => [...seen].some(([file, before]) => fingerprint(file) !== before),
  };
}

/** Returns a text that changes with the file. It takes a few microseconds, so it may be computed for each request. */
function fingerprint(file: string): string {
  try {
    const { mtimeMs, ctimeMs, size, ino } = statSync(file);
    return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
  } catch (error) {
    // The next read reports why the file cannot be used.
    return String(error);
  }
}

/** Schema of a bcrypt hash, in the form that the verifier accepts. */
const passwordHash = z
  .string({ error: 'expected a bcrypt hash, such as `htpasswd -nBC 10 ""` prints' })
  .regex(/^\$2[abxy]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/, {
    error: 'expected a bcrypt hash, such as `htpasswd -nBC 10 ""` prints',
  })
  .transform((hash) => `$2b$${hash.slice(4)}`);

/** Returns the schema of a header's text; YAML parses `0` as a number. */
function header() {
  return z
    .union([z.string(), z.number()], { error: 'expected text' })
    .transform(String)
    .refine((value) => /^[\x20-\x7e]*$/.test(value), 'expected printable ASCII characters');
}

function oneOf(...values: readonly string[]) {
  return header().refine(
    (value) => value === '' || values.includes(value),
    `expected ${values.join(' or ')}`,
  );
}

/** Schema of the headers that exporter-toolkit allows. An empty one is not sent. */
const headers = z
  .strictObject({
    'Content-Security-Policy': header(),
    'Strict-Transport-Security': header(),
    'X-Content-Type-Options': oneOf('nosniff'),
    'X-Frame-Options': oneOf('deny', 'sameorigin'),
    'X-XSS-Protection': header(),
  })
  .partial();

const EXPECTED_INTERVAL = 'expected a duration such as "1s" or "1m30s"';

const interval = z
  .string({ error: EXPECTED_INTERVAL })
  .transform((given, context) => parseDuration(given) ?? refuse(context, EXPECTED_INTERVAL));

/** Schema of the file of `--web.config.file`, as in exporter-toolkit. `http2` has no effect: this server supports HTTP/1.1. */
const webConfigSchema = z.strictObject({
  tls_server_config: tlsServerConfig.nullish(),
  http_server_config: z.strictObject({ http2: z.boolean().nullish(), headers: headers.nullish() }).nullish(),
  basic_auth_users: z.record(z.string(), passwordHash).nullish(),
  rate_limit: z.strictObject({ interval, burst: integer().min(1) }).nullish(),
});

type WebConfigKeys = z.infer<typeof webConfigSchema>;

/** Error for a web configuration file that cannot be used. The issues repeat no configured value. */
export class WebConfigError extends Error {
  override readonly name = 'WebConfigError';
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(issues.join('\n'));
    this.issues = issues;
  }
}

/** Parses the text of a web configuration. @throws WebConfigError with every mistake, each with its position in `source` */
function parseWebConfig(text: string, source: string, mayBeEmpty: boolean): WebConfigKeys {
  const document = readYaml(text, source, { version: '1.1' });
  if (!mayBeEmpty && document.value === null)
    throw new WebConfigError([`${source}: the file is empty; write {} for an empty configuration`]);
  const checked = check(webConfigSchema, document.value ?? {}, () =>
    z.toJSONSchema(webConfigSchema, { io: 'input', unrepresentable: 'any' }),
  );
  const found = 'findings' in checked ? checked.findings.map(document.place) : [];
  const issues = inOrder([...document.issues, ...found]);
  if ('data' in checked && issues.length === 0) return checked.data;
  throw new WebConfigError(issues.map(formatIssue));
}
