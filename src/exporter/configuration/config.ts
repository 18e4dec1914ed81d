import { dirname } from 'node:path';
import { type Clock, wallAt } from '../clock.ts';
import type { ConfigStatus } from '../status.ts';
import {
  askedTwice,
  checkAccountFile,
  checkAccounts,
  findAccountFiles,
  repeatedNames,
} from './configured-accounts.ts';
import { besides, digestOf, readConfigFile, type Written, written } from './document.ts';
import {
  configFromEnvironment,
  type Environment,
  placeInEnvironment,
  quotedVariables,
} from './environment.ts';
import { withEnvironmentProxy } from './environment-proxy.ts';
import { type ConfigIssue, check, formatIssue, inOrder } from './issue.ts';
import { exposedSecrets, type NamedFile, withFiles } from './named-files.ts';
import type { Receiver } from './push-settings.ts';
import { ACCOUNTS_FROM, type Config, configJsonSchema, OUTLINE } from './schema.ts';
import { configWarnings } from './warnings.ts';

/** Source of the configuration: a YAML file, in which the environment replaces `${VARIABLES}`, or the environment alone. */
export type ConfigSource =
  | { readonly file: string; readonly env: Environment }
  | { readonly env: Environment };

/** Files from which a configuration was read. */
export interface ReadFiles {
  /** Hashes of the files' contents, by path. */
  readonly digests: ReadonlyMap<string, string>;
  readonly accountsFrom: readonly string[];
}

export type LoadedConfig =
  | {
      readonly ok: true;
      readonly config: Config;
      readonly warnings: readonly ConfigIssue[];
      readonly source: string;
    }
  | {
      readonly ok: false;
      readonly issues: readonly ConfigIssue[];
      /** True if there is no configuration at all, rather than an invalid one. */
      readonly nothingConfigured: boolean;
    };

/** Loaded configuration, and its files. */
export interface ReadConfig {
  readonly loaded: LoadedConfig;
  readonly read: ReadFiles;
}

interface ExaminedConfig extends ReadConfig {
  /** Warnings: settings that are allowed, but probably not intended. Present even if there are mistakes. */
  readonly warnings: readonly ConfigIssue[];
  readonly files: readonly NamedFile[];
}

/** Loads and checks the configuration. Returns all mistakes at once as issues. */
export async function loadConfig(source: ConfigSource): Promise<LoadedConfig> {
  return (await examineConfig(source)).loaded;
}

/**
 * Loads and checks the configuration, with warnings for the operator.
 * @param exposed families that `/metrics` may have; if undefined, only names of bucket families are checked
 */
export async function examineConfig(
  source: ConfigSource,
  exposed?: readonly string[],
): Promise<ExaminedConfig> {
  const { env } = source;
  const digests = new Map<string, string>();
  const from = 'file' in source ? await readFile(source.file, env, digests) : fromEnvironment(env);
  const outline = checkOutline(from, env);
  const parts = [await checkAccounts(from, env)];
  const found = await findFiles(from);
  for (const path of found.paths) parts.push(await checkAccountFile(await readFile(path, env, digests), env));
  const accounts = parts.flatMap((part) => part.accounts);
  const files = [...parts.flatMap((part) => part.files), ...outline.files];
  const mistakes = inOrder([
    ...from.issues,
    ...outline.mistakes,
    ...found.mistakes,
    ...parts.flatMap((part) => part.mistakes),
    ...repeatedNames(accounts),
  ]);
  const names = accounts.flatMap(({ name }) => name ?? []);
  const doubts = outline.rest === undefined ? [] : configWarnings(outline.rest, names, exposed);
  const warnings = inOrder([
    ...parts.flatMap((part) => part.warnings),
    ...askedTwice(accounts),
    ...doubts.map(from.place),
    ...(await exposedSecrets(files)),
  ]);
  const read = { digests, accountsFrom: found.accountsFrom };
  if (outline.rest === undefined || mistakes.length > 0) {
    const nothingConfigured = !('file' in source) && from.value === undefined;
    return { loaded: { ok: false, issues: mistakes, nothingConfigured }, read, warnings, files };
  }
  const config = { ...outline.rest, accounts: accounts.flatMap(({ account }) => account ?? []) };
  return { loaded: { ok: true, config, warnings, source: from.source }, read, warnings, files };
}

async function readFile(path: string, env: Environment, digests: Map<string, string>): Promise<Written> {
  const read = await readConfigFile(path);
  digests.set(path, digestOf(read));
  return written(path, read, env);
}

function fromEnvironment(env: Environment): Written {
  const value = configFromEnvironment(env);
  const source = 'environment';
  const message = 'nothing is configured: set --config.file, or EDGE_API_URL and EDGE_TOKEN';
  const issues = value === undefined ? [{ source, path: '', message }] : quotedVariables(env);
  return { source, value, issues, place: placeInEnvironment, directory: '' };
}

/** Checks a configuration without its accounts; `rest` is undefined if it has mistakes. */
function checkOutline(from: Written, env: Environment) {
  if (from.value === undefined) return { files: [], rest: undefined, mistakes: [] };
  const given: unknown = Object(from.value).push;
  const receivers = Array.isArray(given)
    ? given.map((receiver: unknown, index) => withFiles(receiver, ['push', index], from))
    : undefined;
  const files = receivers?.flatMap((receiver) => receiver.files) ?? [];
  const value = receivers ? { ...Object(from.value), push: receivers.map(({ part }) => part) } : from.value;
  const checked = check(OUTLINE, value, configJsonSchema);
  if ('findings' in checked)
    return { files, rest: undefined, mistakes: besides(from.issues, checked.findings.map(from.place)) };
  const { limits, metrics, push: wanted } = checked.data;
  const mistakes: ConfigIssue[] = [];
  const push = wanted.map((receiver): Receiver => {
    const proxied = withEnvironmentProxy(receiver, receiver.url, env);
    if ('part' in proxied) return proxied.part;
    mistakes.push(proxied.issue);
    return receiver;
  });
  return { files, rest: { limits, metrics, push }, mistakes };
}

/** Returns the files of `accounts_from`. An entry without files is a mistake, because a volume may not be mounted yet. */
async function findFiles({ value, place, directory }: Written) {
  const { data: accountsFrom = [] } = ACCOUNTS_FROM.safeParse(Object(value).accounts_from);
  const paths = new Set<string>();
  const mistakes: ConfigIssue[] = [];
  for (const [index, given] of accountsFrom.entries()) {
    const found = await findAccountFiles(given, directory);
    if ('problem' in found)
      mistakes.push(place({ path: ['accounts_from', index], at: 'value', message: found.problem }));
    else for (const path of found.paths) paths.add(path);
  }
  return { accountsFrom, paths, mistakes };
}

/** Configuration in use, its source, and the result of the last reload. */
export class ConfigInUse {
  readonly #clock: Clock;
  readonly #load: () => Promise<ReadConfig>;
  readonly #file: string | undefined;
  #read: ReadFiles | undefined;
  #source: string;
  #loadedAt: number;
  #issues: readonly ConfigIssue[] = [];
  #standIn: { readonly source: string; readonly config: Config } | undefined;
  #isStandIn = false;

  /** @param load loads the configuration; default: from `source` */
  constructor(
    source: ConfigSource,
    clock: Clock,
    load: () => Promise<ReadConfig> = () => examineConfig(source),
  ) {
    this.#clock = clock;
    this.#load = load;
    this.#file = 'file' in source ? source.file : undefined;
    this.#source = 'file' in source ? source.file : 'environment';
    this.#loadedAt = clock.now();
  }

  /** Loads the configuration. Stores its mistakes for `status`. */
  async load(): Promise<LoadedConfig> {
    const { loaded: found, read } = await this.#load();
    this.#read = read;
    const standIn = found.ok || !found.nothingConfigured ? undefined : this.#standIn;
    const loaded: LoadedConfig = standIn ? { ok: true, warnings: [], ...standIn } : found;
    this.#issues = loaded.ok ? [] : loaded.issues;
    if (loaded.ok) this.#accept(loaded.source, loaded.config);
    return loaded;
  }

  /** Sets a configuration that was not loaded, until another one is loaded. */
  use(source: string, config: Config): Config {
    this.#standIn = { source, config };
    this.#issues = [];
    this.#accept(source, config);
    return config;
  }

  /** True if the configuration in use was not loaded. */
  get isStandIn(): boolean {
    return this.#isStandIn;
  }

  /** Returns true if one of its files was changed, added or removed since it was read. */
  async hasChanged(): Promise<boolean> {
    const [file, read] = [this.#file, this.#read];
    if (file === undefined || read === undefined) return false;
    const { digests, accountsFrom } = read;
    const directory = dirname(file);
    const found = await Promise.all(accountsFrom.map((given) => findAccountFiles(given, directory)));
    const paths = new Set([file, ...found.flatMap((files) => ('paths' in files ? files.paths : []))]);
    if (paths.size !== digests.size) return true;
    for (const path of paths) if (digests.get(path) !== digestOf(await readConfigFile(path))) return true;
    return false;
  }

  /** Machine time (ms since the epoch). */
  get loadedAt(): number {
    return wallAt(this.#clock, this.#loadedAt);
  }

  status(): ConfigStatus {
    return {
      source: this.#source,
      loaded_at: new Date(this.loadedAt).toISOString(),
      last_reload_successful: this.#issues.length === 0,
      issues: this.#issues.map(formatIssue),
    };
  }

  #accept(source: string, config: Config): void {
    this.#source = source;
    this.#isStandIn = config === this.#standIn?.config;
    this.#loadedAt = this.#clock.now();
  }
}

interface WatchOptions {
  readonly hasChanged: () => Promise<boolean>;
  /** Milliseconds between two checks. */
  readonly interval: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Reloads the configuration. The next check waits for it, so that one change causes one reload. */
  readonly onChange: () => Promise<void>;
}

/** Checks periodically for changes, until the signal aborts. */
export async function watch({ hasChanged, interval, clock, signal, onChange }: WatchOptions): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(interval, signal).catch(() => undefined);
    if (!signal.aborted && (await hasChanged())) await onChange();
  }
}
