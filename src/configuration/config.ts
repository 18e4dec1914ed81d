import { dirname } from 'node:path';
import { readConfigDocument } from './document.ts';
import { configFromEnvironment, placeInEnvironment } from './environment.ts';
import { readConfigFile } from './file.ts';
import { findings } from './findings.ts';
import type { Environment } from './interpolation.ts';
import { type ConfigIssue, type Finding, inOrder } from './issue.ts';
import { type NamedFile, namedFiles, relativeTo } from './named-files.ts';
import { withEnvironmentProxies } from './proxy-environment.ts';
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

/** What an operator should know of a configuration, valid or not. */
export interface ExaminedConfig {
  readonly loaded: LoadedConfig;
  /** What is allowed but probably not meant, also beside mistakes. */
  readonly warnings: readonly ConfigIssue[];
  readonly files: readonly NamedFile[];
}

/** Loads and checks the configuration. Whatever is wrong with it comes back as issues, all of them at once. */
export async function loadConfig(source: ConfigSource): Promise<LoadedConfig> {
  return (await examineConfig(source)).loaded;
}

/** Loads and checks the configuration, with what an operator should know of it. */
export async function examineConfig(source: ConfigSource): Promise<ExaminedConfig> {
  const written = await ('file' in source ? inFile(source.file, source.env) : inEnvironment(source.env));
  const { value, issues, place, directory } = written;
  if (value === undefined) return { loaded: refused(written, issues), warnings: [], files: [] };
  const checked = check(value);
  const warnings = inOrder(configWarnings(value).map(place));
  const files = namedFiles(value, directory, place);
  if (!checked.ok || issues.length > 0) {
    const found = checked.ok ? [] : checked.findings.map(place);
    const others = found.filter((issue) => !issues.some(samePlace(issue)));
    return { loaded: refused(written, [...issues, ...others]), warnings, files };
  }
  const { config, issues: ofProxies } = withEnvironmentProxies(
    relativeTo(directory, checked.config),
    source.env,
  );
  if (ofProxies.length > 0) return { loaded: refused(written, ofProxies), warnings, files };
  return { loaded: { ok: true, config, warnings, source: written.source }, warnings, files };
}

/** A configuration as it is written. */
interface Written {
  /** The file as it was named, or `environment`. */
  readonly source: string;
  /** Undefined where there is nothing, or nothing that could be read further. */
  readonly value: unknown;
  /** What is wrong with how it is written. */
  readonly issues: readonly ConfigIssue[];
  readonly place: (finding: Finding) => ConfigIssue;
  /** Where the paths in it start from. */
  readonly directory: string;
  readonly nothingConfigured: boolean;
}

async function inFile(source: string, env: Environment): Promise<Written> {
  const common = { source, directory: dirname(source), nothingConfigured: false };
  const read = await readConfigFile(source);
  if ('text' in read) return { ...common, ...readConfigDocument(read.text, source, env) };
  const place = ({ message }: Pick<Finding, 'message'>) => ({ source, path: '', message });
  return { ...common, value: undefined, issues: [place({ message: read.problem })], place };
}

function inEnvironment(env: Environment): Written {
  const value = configFromEnvironment(env);
  const message = 'nothing is configured: set --config.file, or EDGE_API_URL and EDGE_TOKEN';
  const issues = value === undefined ? [{ source: 'environment', path: '', message }] : [];
  return {
    source: 'environment',
    value,
    issues,
    place: placeInEnvironment,
    directory: '',
    nothingConfigured: value === undefined,
  };
}

/** Whether an issue is where another is: a variable that is not set makes no further mistake. */
function samePlace(issue: ConfigIssue): (other: ConfigIssue) => boolean {
  return ({ line, column }) => line === issue.line && column === issue.column;
}

function refused({ nothingConfigured }: Written, issues: readonly ConfigIssue[]): LoadedConfig {
  return { ok: false, issues: inOrder(issues), nothingConfigured };
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
    return { ok: false, findings: [{ path: [], at: 'value', message: 'has too many mistakes to list' }] };
  }
}
