import { dirname, resolve } from 'node:path';
import type { Credentials } from './access.ts';
import { readConfigDocument } from './document.ts';
import { configFromEnvironment, placeInEnvironment } from './environment.ts';
import { readConfigFile } from './file.ts';
import { findings } from './findings.ts';
import type { Environment } from './interpolation.ts';
import { type ConfigIssue, type Finding, inOrder } from './issue.ts';
import { CONFIG, type Config, configJsonSchema } from './schema.ts';
import { configWarnings } from './warnings.ts';

/** Where the configuration is: in a YAML file (whose `${VARIABLES}` the environment fills in), or in the environment. */
export type ConfigSource =
  | { readonly file: string; readonly env: Environment }
  | { readonly env: Environment };

export type LoadedConfig =
  | {
      readonly ok: true;
      readonly config: Config;
      readonly warnings: readonly ConfigIssue[];
      /** The file as it was named, or `environment`. */
      readonly source: string;
    }
  | {
      readonly ok: false;
      readonly issues: readonly ConfigIssue[];
      /** Whether there is no configuration at all, rather than a wrong one. */
      readonly nothingConfigured: boolean;
    };

/** Loads and checks the configuration. Whatever is wrong with it comes back as issues, all of them at once. */
export function loadConfig(source: ConfigSource): Promise<LoadedConfig> {
  return 'file' in source ? fromFile(source.file, source.env) : Promise.resolve(fromEnvironment(source.env));
}

async function fromFile(file: string, env: Environment): Promise<LoadedConfig> {
  const read = await readConfigFile(file);
  if ('problem' in read) return refused([{ source: file, path: '', message: read.problem }]);
  const document = readConfigDocument(read.text, file, env);
  if (document.value === undefined) return refused(document.issues);
  const checked = check(document.value);
  if (!checked.ok || document.issues.length > 0) {
    const found = checked.ok ? [] : checked.findings.map(document.place);
    return refused([...document.issues, ...found.filter((issue) => !document.issues.some(samePlace(issue)))]);
  }
  const config = relativeTo(dirname(file), checked.config);
  return { ok: true, config, warnings: inOrder(configWarnings(config).map(document.place)), source: file };
}

/** Whether an issue is where another is: a variable that is not set makes no further mistake. */
function samePlace(issue: ConfigIssue): (other: ConfigIssue) => boolean {
  return ({ line, column }) => line === issue.line && column === issue.column;
}

function fromEnvironment(env: Environment): LoadedConfig {
  const value = configFromEnvironment(env);
  if (value === undefined) {
    const message = 'nothing is configured: give --config.file, or EDGE_API_URL and EDGE_TOKEN';
    return { ok: false, issues: [{ source: 'environment', path: '', message }], nothingConfigured: true };
  }
  const checked = check(value);
  if (!checked.ok) return refused(checked.findings.map(placeInEnvironment));
  const warnings = configWarnings(checked.config).map(placeInEnvironment);
  return { ok: true, config: checked.config, warnings, source: 'environment' };
}

function refused(issues: readonly ConfigIssue[]): LoadedConfig {
  return { ok: false, issues: inOrder(issues), nothingConfigured: false };
}

type Checked =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly findings: readonly Finding[] };

function check(value: unknown): Checked {
  try {
    const parsed = CONFIG.safeParse(value, { reportInput: true });
    if (parsed.success) return { ok: true, config: parsed.data };
    return { ok: false, findings: findings(parsed.error, configJsonSchema()) };
  } catch (error) {
    // zod spreads its issues into a call, which overflows the stack when there are some hundred thousand.
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, findings: [{ path: [], at: 'value', message: 'holds too many mistakes to list' }] };
  }
}

/** The configuration with the paths of its files resolved from `directory`, where the file that names them is. */
function relativeTo(directory: string, config: Config): Config {
  const accounts = config.accounts.map((account) => ({
    ...account,
    credentials: credentialsIn(directory, account.credentials),
  }));
  return { ...config, accounts };
}

function credentialsIn(directory: string, credentials: Credentials): Credentials {
  if (credentials.kind === 'token_file')
    return { ...credentials, path: resolve(directory, credentials.path) };
  if (credentials.kind !== 'password' || !('file' in credentials.password)) return credentials;
  return { ...credentials, password: { file: resolve(directory, credentials.password.file) } };
}
