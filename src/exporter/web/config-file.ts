import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { z } from 'zod';
import { readYamlInSteps } from '../configuration/document.ts';
import { isMapping, refuse } from '../configuration/field-types.ts';
import { findings, formatIssue, inOrder } from '../configuration/issue.ts';
import { toTheEnd } from '../slices.ts';
import { normalizeHash } from './basic-auth.ts';
import { GO_YAML, goBoolean, goDuration, goInteger, goText } from './go-values.ts';
import {
  asksForTls,
  clientPolicyOf,
  secureContextOptions,
  type TlsConfig,
  tlsDoubts,
  tlsServerConfig,
} from './tls.ts';

/** The part of a logger that the HTTP surface uses. */
export interface WebLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** How many requests are taken: `burst` at once, and then one every `interval` milliseconds. */
export interface RequestRate {
  readonly interval: number;
  readonly burst: number;
}

/** What a web configuration file says, its certificates loaded. */
export type WebConfig = ReturnType<typeof loadWebConfig>;

/** A web configuration that follows its file. */
export interface WebConfigFile {
  /** What the files say now, or said last while they were usable. The same object as before unless they changed. */
  current(): WebConfig;
}

const NOTHING: WebConfig = { tls: undefined, headers: {}, users: new Map(), rate: undefined, doubts: [] };

/**
 * Follows the web configuration at `path` and the certificates that it names; without a path it is empty for ever.
 * As in exporter-toolkit a change counts from the next request or connection on. Unlike there, a file that has become
 * unusable changes nothing: what was in force stays, and a warning says what is wrong. So does one that has become empty, as it
 * is while it is written anew: everybody would be let in meanwhile.
 * @throws WebConfigError when it is not usable from the start
 */
export function openWebConfig(path: string | undefined, log: WebLog): WebConfigFile {
  if (path === undefined) return { current: () => NOTHING };
  let reading = startReading();
  const load = (mayBeEmpty: boolean) => {
    const loaded = loadWebConfig(path, { readFile: reading.read, mayBeEmpty });
    for (const doubt of loaded.doubts) log.warn({ file: path }, doubt);
    return loaded;
  };
  const first = load(true);
  let config = first;
  return {
    current() {
      if (!reading.isOutdated()) return config;
      reading = startReading();
      try {
        config = load(false);
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

/** A server cannot begin or cease to speak TLS, nor begin to ask its clients for certificates. */
function needsRestart(first: WebConfig, now: WebConfig): boolean {
  if (first.tls === undefined || now.tls === undefined) return first.tls !== now.tls;
  return first.tls.clientPolicy === 'NoClientCert' && now.tls.clientPolicy !== 'NoClientCert';
}

interface LoadOptions {
  readonly readFile?: ReadText;
  readonly mayBeEmpty?: boolean;
}

/** Loads a web configuration and its certificates. @throws WebConfigError with everything that is wrong */
export function loadWebConfig(path: string, { readFile = readText, mayBeEmpty = true }: LoadOptions = {}) {
  const read = (file: string) => {
    try {
      return readFile(file);
    } catch (error) {
      const { message } = error as Error;
      // Of a folder, the system does not say which one.
      throw new WebConfigError([
        `${path}: cannot be used: ${message.includes(file) ? message : `${message} '${file}'`}`,
      ]);
    }
  };
  const keys = parseWebConfig(read(path), path, mayBeEmpty);
  const beside = (file: string) => read(resolve(dirname(path), file));
  const tls = keys.tls_server_config ?? {};
  const rate = rateOf(keys);
  return {
    tls: asksForTls(tls) ? loadTls(tls, path, beside) : undefined,
    headers: headersOf(keys),
    users: keys.basic_auth_users ?? new Map<string, string>(),
    rate,
    /** What is allowed but probably not meant. */
    doubts: [...tlsDoubts(tls), ...(rate !== undefined && rate.burst < 1 ? [NO_BURST] : [])],
  };
}

const NO_BURST = 'rate_limit has no burst: every request is refused';

/** As in exporter-toolkit, an interval of 0 (or below) is no limit, and without a burst nothing passes. */
function rateOf({ rate_limit }: WebConfigKeys): RequestRate | undefined {
  const { interval = 0, burst = 0 } = rate_limit ?? {};
  return interval > 0 ? { interval, burst } : undefined;
}

/** The headers, as Go would send them: in UTF-8, and with a space in place of what would end a line. */
function headersOf({ http_server_config }: WebConfigKeys): Record<string, string> {
  const entries = Object.entries(http_server_config?.headers ?? {}).map(([name, value = '']) => {
    const bytes = Buffer.from(value).toString('latin1');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: Node refuses to send any of them
    return [name, bytes.replaceAll(/[\0-\x08\x0a-\x1f\x7f]/g, ' ').trim()];
  });
  return Object.fromEntries(entries);
}

function loadTls(
  tls: NonNullable<WebConfigKeys['tls_server_config']>,
  path: string,
  read: (file: string) => string,
): TlsConfig {
  const context = secureContextOptions(tls, read);
  const check = (of: string, options: SecureContextOptions) => {
    try {
      createSecureContext(options);
    } catch (error) {
      throw new WebConfigError([`${path}: tls_server_config: ${of}${(error as Error).message}`]);
    }
  };
  for (const part of ['cert', 'key', 'ca'] as const) {
    const name = part === 'ca' ? 'client_ca' : part;
    // As a file is while it is written anew. Node takes it for none: no connection comes about, or every authority is trusted.
    if (context[part] !== undefined && String(context[part]).trim() === '')
      throw new WebConfigError([`${path}: tls_server_config: the ${name} is empty`]);
    check(`the ${name}: `, { [part]: context[part] });
  }
  check('', context);
  return { context, clientPolicy: clientPolicyOf(tls), clientNames: tls.client_allowed_sans ?? undefined };
}

type ReadText = (file: string) => string;

function readText(file: string): string {
  return readFileSync(file, 'utf8');
}

/** Reads files and notices when one of them changes, even one that could not be read. */
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

/** Changes when the file does. It takes a few microseconds, so it may be asked for on each request. */
function fingerprint(file: string): string {
  try {
    const { mtimeMs, ctimeMs, size, ino } = statSync(file);
    return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
  } catch (error) {
    // Not there, not allowed, a file system that is gone: reading it will say.
    return String(error);
  }
}

/** A bcrypt hash, in the form that the verifier takes. */
const passwordHash = goText().transform((text, context) => {
  return (
    normalizeHash(text) ?? refuse(context, 'expected a bcrypt hash, such as `htpasswd -nBC 10 ""` prints')
  );
});

/** Not zod's record, which leaves out a user named `__proto__`: a file with no other would open every door. */
const users = z.preprocess(
  (given) => (isMapping({ value: given }) ? new Map(Object.entries(Object(given))) : given),
  z.map(z.string(), passwordHash),
);

function oneOf(values: readonly string[]) {
  return goText().refine((value) => values.includes(value), `expected ${values.join(' or ')}`);
}

/** The headers that exporter-toolkit lets one set; an empty one is not sent. */
const headers = z
  .strictObject({
    'Content-Security-Policy': goText(),
    'Strict-Transport-Security': goText(),
    'X-Content-Type-Options': oneOf(['nosniff']),
    'X-Frame-Options': oneOf(['deny', 'sameorigin']),
    'X-XSS-Protection': goText(),
  })
  .partial();

/** The file of `--web.config.file` as exporter-toolkit has it and Go reads it. `http2` changes nothing: this speaks HTTP/1.1. */
const webConfigSchema = z.strictObject({
  tls_server_config: tlsServerConfig.nullish(),
  http_server_config: z.strictObject({ http2: goBoolean().optional(), headers: headers.nullish() }).nullish(),
  basic_auth_users: users.nullish(),
  rate_limit: z.strictObject({ interval: goDuration(), burst: goInteger() }).partial().nullish(),
});

type WebConfigKeys = z.infer<typeof webConfigSchema>;

/** A web configuration file that cannot be used. The issues repeat no value that was given. */
export class WebConfigError extends Error {
  override readonly name = 'WebConfigError';
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(issues.join('\n'));
    this.issues = issues;
  }
}

/** The keys in a web configuration's text. @throws WebConfigError with every mistake, each with its place in `source` */
export function parseWebConfig(text: string, source: string, mayBeEmpty = true): WebConfigKeys {
  const document = toTheEnd(readYamlInSteps(text, source, GO_YAML));
  if (!mayBeEmpty && (document.value ?? undefined) === undefined && document.issues.length === 0)
    throw new WebConfigError([
      `${source}: it is empty, as while it is written anew; {} is for nothing at all`,
    ]);
  const result = webConfigSchema.safeParse(document.value ?? {}, { reportInput: true });
  const found = result.success
    ? []
    : findings(result.error, z.toJSONSchema(webConfigSchema, { io: 'input', unrepresentable: 'any' }));
  const issues = [...document.issues, ...found.map(document.place)];
  if (result.success && issues.length === 0) return result.data;
  throw new WebConfigError(inOrder(issues).map(formatIssue));
}
