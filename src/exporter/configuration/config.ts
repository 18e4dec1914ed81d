import { dirname } from 'node:path';
import { type Clock, wallAt } from '../clock.ts';
import type { ConfigStatus } from '../status.ts';
import {
  type AccountFile,
  type AccountSource,
  askedTwice,
  type CheckedAccount,
  checkAccounts,
  findAccountFiles,
  mergeAccounts,
  readAccountFile,
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
import { ACCOUNTS_FROM, type AccountConfig, type Config, configJsonSchema, OUTLINE } from './schema.ts';
import { configWarnings } from './warnings.ts';

/** Where the configuration is: in a YAML file (whose `${VARIABLES}` the environment fills in), or in the environment. */
export type ConfigSource =
  | { readonly file: string; readonly env: Environment }
  | { readonly env: Environment };

/** The files that a configuration was read from. */
export interface ReadFiles {
  /** Hashes of what each of them held, by path. */
  readonly digests: ReadonlyMap<string, string>;
  /** By entry of `accounts_from`, the files that it stood for. */
  readonly entries: ReadonlyMap<string, readonly string[]>;
  /** These files, as they were read. */
  readonly accountFiles: ReadonlyMap<string, AccountFile>;
  /** By file, the accounts that the configuration in use has from it; undefined while there is none. */
  readonly inUse: ReadonlyMap<string, readonly CheckedAccount[]> | undefined;
}

const NOTHING_READ: ReadFiles = {
  digests: new Map(),
  entries: new Map(),
  accountFiles: new Map(),
  inUse: undefined,
};

export type LoadedConfig =
  | {
      readonly ok: true;
      readonly config: Config;
      readonly warnings: readonly ConfigIssue[];
      /** Mistakes in files of `accounts_from`, whose accounts stay as they were. */
      readonly issues: readonly ConfigIssue[];
      readonly source: string;
    }
  | {
      readonly ok: false;
      readonly issues: readonly ConfigIssue[];
      /** Whether there is no configuration at all, rather than a wrong one. */
      readonly nothingConfigured: boolean;
    };

/** A configuration as it was loaded, and from what. */
export interface ReadConfig {
  readonly loaded: LoadedConfig;
  readonly read: ReadFiles;
}

interface ExaminedConfig extends ReadConfig {
  /** What is allowed but probably not meant, also beside mistakes. */
  readonly warnings: readonly ConfigIssue[];
  readonly files: readonly NamedFile[];
}

/** Loads and checks the configuration. Whatever is wrong with it comes back as issues, all of them at once. */
export async function loadConfig(source: ConfigSource): Promise<LoadedConfig> {
  return (await examineConfig(source)).loaded;
}

/**
 * Loads and checks the configuration, with what an operator should know of it.
 * @param before what was read the last time: files of `accounts_from` that have not changed are not checked again, and one with
 * mistakes leaves its accounts as they are in use
 * @param exposed the families that `/metrics` may have; undefined: of their names those of buckets alone are looked up
 */
export async function examineConfig(
  source: ConfigSource,
  before = NOTHING_READ,
  exposed?: readonly string[],
): Promise<ExaminedConfig> {
  const { env } = source;
  const main = 'file' in source ? await readMain(source.file, env) : fromEnvironment(env);
  const { from, digests } = main;
  if (from.value === undefined) {
    const read = { ...before, digests: new Map([...before.digests, ...digests]) };
    return { loaded: refused(from.issues, main.nothingConfigured), read, warnings: [], files: [] };
  }
  const outline = checkOutline(from, env);
  const own = await checkAccounts(from, env);
  const further = await readAccountFiles(from, env, before);
  const mistakes = [...from.issues, ...outline.mistakes, ...own.mistakes, ...further.mistakes];
  const { rest } = outline;
  const merged = mergeAccounts(
    new Map<string, AccountSource>([
      [from.source, { ...own, mistakes, inUse: undefined }],
      ...[...further.files].map(
        ([path, file]) => [path, { ...file, inUse: before.inUse && (before.inUse.get(path) ?? []) }] as const,
      ),
    ]),
  );
  const config =
    rest !== undefined && merged.isUsable ? { ...rest, accounts: usedIn(merged.used) } : undefined;
  const read = {
    digests: new Map([
      ...digests,
      ...[...further.files].map(([path, { digest }]) => [path, digest] as const),
    ]),
    entries: further.entries,
    accountFiles: further.files,
    inUse: config === undefined ? before.inUse : merged.used,
  };
  const parts = [own, ...further.files.values()];
  const files = [...parts.flatMap((part) => part.files), ...outline.files];
  const everyone = parts.flatMap(({ accounts }) => accounts);
  const warnings = inOrder([
    ...parts.flatMap((part) => part.warnings),
    ...askedTwice(everyone),
    ...(rest === undefined
      ? []
      : configWarnings(
          rest,
          everyone.flatMap(({ name }) => name ?? []),
          exposed,
        )
    ).map(from.place),
    ...further.warnings,
    ...(await exposedSecrets(files)),
  ]);
  if (config === undefined) return { loaded: refused(merged.mistakes), read, warnings, files };
  const issues = inOrder(merged.mistakes);
  return { loaded: { ok: true, config, warnings, issues, source: from.source }, read, warnings, files };
}

function usedIn(used: ReadonlyMap<string, readonly CheckedAccount[]>): AccountConfig[] {
  return [...used.values()].flat().flatMap(({ account }) => account ?? []);
}

async function readMain(file: string, env: Environment) {
  const read = await readConfigFile(file);
  const digests = new Map([[file, digestOf(read)]]);
  return { from: written(file, read, env), digests, nothingConfigured: false };
}

function fromEnvironment(env: Environment) {
  const value = configFromEnvironment(env);
  const nothingConfigured = value === undefined;
  const source = 'environment';
  const message = 'nothing is configured: set --config.file, or EDGE_API_URL and EDGE_TOKEN';
  const issues = nothingConfigured ? [{ source, path: '', message }] : quotedVariables(env);
  const from = { source, value, issues, place: placeInEnvironment, directory: '' };
  return { from, digests: new Map<string, string>(), nothingConfigured };
}

/** Checks a configuration apart from its accounts; `rest` is undefined where that holds mistakes. */
function checkOutline(from: Written, env: Environment) {
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

/** Reads the files of `accounts_from`. It is a mistake that none is there, or that an entry has lost all that it had. */
async function readAccountFiles({ value, place, directory }: Written, env: Environment, before: ReadFiles) {
  const { success, data } = ACCOUNTS_FROM.safeParse(Object(value).accounts_from);
  const files = new Map<string, AccountFile>();
  const entries = new Map<string, readonly string[]>();
  const mistakes: ConfigIssue[] = [];
  const warnings: ConfigIssue[] = [];
  for (const [index, given] of (success ? data : []).entries()) {
    const say = (message: string) => place({ path: ['accounts_from', index], at: 'value', message });
    const found = await findAccountFiles(given, directory);
    const paths = 'paths' in found ? found.paths : [];
    entries.set(given, paths);
    if ('problem' in found) mistakes.push(say(found.problem));
    else if (paths.length === 0 && (before.entries.get(given)?.length ?? 0) > 0)
      mistakes.push(say('no file is found by this any more: leave it out where that is meant'));
    else if (paths.length === 0) warnings.push(say('no file is found by this'));
    for (const path of paths)
      if (!files.has(path)) files.set(path, await readAccountFile(path, env, before.accountFiles.get(path)));
  }
  if (entries.size > 0 && files.size === 0 && mistakes.length === 0)
    mistakes.push(place({ path: ['accounts_from'], at: 'value', message: 'no file is found by this' }));
  return { files, entries, mistakes, warnings };
}

function refused(issues: readonly ConfigIssue[], nothingConfigured = false): LoadedConfig {
  return { ok: false, issues: inOrder(issues), nothingConfigured };
}

/** The configuration in use, where it came from, and how the last attempt to load it anew ended. */
export class ConfigInUse {
  readonly #clock: Clock;
  readonly #load: (before: ReadFiles | undefined) => Promise<ReadConfig>;
  readonly #file: string | undefined;
  #read: ReadFiles | undefined;
  #source: string;
  #loadedAt: number;
  #issues: readonly ConfigIssue[] = [];
  #standIn: { readonly source: string; readonly config: Config } | undefined;
  #isStandIn = false;

  /** @param load loads it anew; by default from `source` */
  constructor(
    source: ConfigSource,
    clock: Clock,
    load: (before: ReadFiles | undefined) => Promise<ReadConfig> = (before) => examineConfig(source, before),
  ) {
    this.#clock = clock;
    this.#load = load;
    this.#file = 'file' in source ? source.file : undefined;
    this.#source = 'file' in source ? source.file : 'environment';
    this.#loadedAt = clock.now();
  }

  /** Loads the configuration. What is wrong with it is kept for `status`. */
  async load(): Promise<LoadedConfig> {
    const { loaded: found, read } = await this.#load(this.#read);
    this.#read = read;
    const standIn = found.ok || !found.nothingConfigured ? undefined : this.#standIn;
    const loaded: LoadedConfig = standIn ? { ok: true, warnings: [], issues: [], ...standIn } : found;
    this.#issues = loaded.issues;
    if (loaded.ok) this.#accept(loaded.source, loaded.config);
    return loaded;
  }

  /** Uses a configuration that was not loaded, for as long as nothing else is. */
  use(source: string, config: Config): Config {
    this.#standIn = { source, config };
    this.#issues = [];
    this.#accept(source, config);
    return config;
  }

  /** Whether it is one that was not loaded. */
  get isStandIn(): boolean {
    return this.#isStandIn;
  }

  /** Whether any of its files holds something else than when it was read last, or is new, or gone. */
  async hasChanged(): Promise<boolean> {
    const [file, read] = [this.#file, this.#read];
    if (file === undefined || read === undefined) return false;
    const { digests, entries } = read;
    const directory = dirname(file);
    const found = await Promise.all([...entries.keys()].map((given) => findAccountFiles(given, directory)));
    const paths = new Set([file, ...found.flatMap((files) => ('paths' in files ? files.paths : []))]);
    if (paths.size !== digests.size) return true;
    for (const path of paths) if (digests.get(path) !== digestOf(await readConfigFile(path))) return true;
    return false;
  }

  /** By the machine's clock (ms since the epoch). */
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
  /** Loads it anew. The next check waits for it, so that one change is one reload, however long that takes. */
  readonly onChange: () => Promise<void>;
}

/** Checks periodically, until the signal aborts. */
export async function watch({ hasChanged, interval, clock, signal, onChange }: WatchOptions): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(interval, signal).catch(() => undefined);
    if (!signal.aborted && (await hasChanged())) await onChange();
  }
}
