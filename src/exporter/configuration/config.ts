import { dirname } from 'node:path';
import { type Clock, wallAt } from '../clock.ts';
import { madeInSlices, takenInSlices } from '../slices.ts';
import type { ConfigStatus } from '../status.ts';
import { withEnvironmentProxy } from './access.ts';
import {
  type AccountFile,
  askedTwice,
  type CheckedAccount,
  checkAccounts,
  exposedSecrets,
  findAccountFiles,
  mergeAccounts,
  type NamedFile,
  readAccountFile,
  standsFor,
  withFiles,
} from './configured-accounts.ts';
import { besides, digestOf, readConfigFile, type Written, written } from './document.ts';
import {
  configFromEnvironment,
  type Environment,
  placeInEnvironment,
  quotedVariables,
} from './environment.ts';
import { type ConfigIssue, findings, formatIssue, inOrder, reservedKeys } from './issue.ts';
import type { Receiver } from './push-settings.ts';
import { type Config, configJsonSchema, OUTLINE } from './schema.ts';
import { excludesNothing, lenientConfig, unknownToPush } from './warnings.ts';

/** Where the configuration is: in a YAML file (whose `${VARIABLES}` the environment fills in), or in the environment. */
export type ConfigSource =
  | { readonly file: string; readonly env: Environment }
  | { readonly env: Environment };

/** The files that a configuration was read from. */
export interface ReadFiles {
  /** What each of them held, as a hash, by path. */
  readonly digests: ReadonlyMap<string, string>;
  readonly accountsFrom: readonly string[];
  /** The files that these stood for, as they were read. */
  readonly accountFiles: ReadonlyMap<string, AccountFile>;
  /** By file, the accounts that the configuration in use has from it; undefined while there is none. */
  readonly inUse: ReadonlyMap<string, readonly CheckedAccount[]> | undefined;
}

const NOTHING_READ: ReadFiles = {
  digests: new Map(),
  accountsFrom: [],
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
 * Loads and checks the configuration, with what an operator should know of it: in slices, since there may be thousands of accounts.
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
  const { metrics, push, accounts_from: accountsFrom } = lenientConfig(from.value);
  const outline = checkOutline(from, env);
  const own = await madeInSlices(checkAccounts(from, env));
  const further = await readAccountFiles(accountsFrom, from, env, before);
  const mistakes = [...from.issues, ...outline.mistakes, ...own.mistakes, ...further.mistakes];
  const { rest } = outline;
  const merged = mergeAccounts([
    { path: from.source, accounts: own.accounts, mistakes, inUse: undefined },
    ...[...further.files.values()].map(({ path, checked: { accounts, mistakes } }) => {
      return { path, accounts, mistakes, inUse: before.inUse && (before.inUse.get(path) ?? []) };
    }),
  ]);
  const isUsable = rest !== undefined && merged.isUsable;
  const read = {
    digests: new Map([
      ...digests,
      ...[...further.files].map(([path, { digest }]) => [path, digest] as const),
    ]),
    accountsFrom,
    accountFiles: further.files,
    inUse: isUsable ? merged.used : before.inUse,
  };
  const parts = [own, ...[...further.files.values()].map(({ checked }) => checked)];
  const files = [...parts.flatMap((part) => part.files), ...outline.files];
  const everyone = parts.flatMap(({ accounts }) => accounts);
  const names = everyone.flatMap(({ name }) => name ?? []);
  const warnings = inOrder([
    ...parts.flatMap((part) => part.warnings),
    ...askedTwice(everyone),
    ...(await takenInSlices(unknownToPush(push, names, exposed))).map(from.place),
    ...(exposed ? Array.from(excludesNothing(metrics.exclude, exposed), from.place) : []),
    ...further.warnings,
    ...(await exposedSecrets(files)),
  ]);
  if (!isUsable) return { loaded: refused(merged.mistakes), read, warnings, files };
  const config = { accounts: [...merged.accounts], ...rest };
  const issues = inOrder(merged.mistakes);
  return { loaded: { ok: true, config, warnings, issues, source: from.source }, read, warnings, files };
}

async function readMain(file: string, env: Environment) {
  const read = await readConfigFile(file);
  const digests = new Map([[file, digestOf(read)]]);
  return { from: await written(file, read, env), digests, nothingConfigured: false };
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

/** A configuration apart from its accounts; `rest` is undefined where that holds mistakes. */
function checkOutline(from: Written, env: Environment) {
  const given: unknown = Object(from.value).push;
  const receivers = Array.isArray(given)
    ? given.map((receiver: unknown, index) => withFiles(receiver, ['push', index], from))
    : undefined;
  const files = receivers?.flatMap((receiver) => receiver.files) ?? [];
  const value = receivers ? { ...Object(from.value), push: receivers.map(({ part }) => part) } : from.value;
  const parsed = OUTLINE.safeParse(value, { reportInput: true });
  const found = parsed.success ? [] : findings(parsed.error, configJsonSchema());
  found.push(...reservedKeys({ ...Object(value), accounts: undefined }, [], found));
  if (!parsed.success || found.length > 0)
    return { files, rest: undefined, mistakes: besides(from.issues, found.map(from.place)) };
  const mistakes: ConfigIssue[] = [];
  const push = parsed.data.push.map((receiver): Receiver => {
    const proxied = withEnvironmentProxy(receiver, receiver.url, env);
    if ('part' in proxied) return proxied.part;
    mistakes.push(proxied.issue);
    return receiver;
  });
  return { files, rest: { limits: parsed.data.limits, metrics: parsed.data.metrics, push }, mistakes };
}

/** Reads the files of `accounts_from`. That none is there is a mistake; so is an entry that has lost all that it had. */
async function readAccountFiles(
  accountsFrom: readonly string[],
  { place, directory }: Written,
  env: Environment,
  before: ReadFiles,
): Promise<{
  readonly files: ReadonlyMap<string, AccountFile>;
  readonly mistakes: readonly ConfigIssue[];
  readonly warnings: readonly ConfigIssue[];
}> {
  const files = new Map<string, AccountFile>();
  const mistakes: ConfigIssue[] = [];
  const warnings: ConfigIssue[] = [];
  for (const [index, given] of accountsFrom.entries()) {
    const say = (message: string) => place({ path: ['accounts_from', index], at: 'value', message });
    const found = await findAccountFiles(given, directory);
    if ('problem' in found) mistakes.push(say(found.problem));
    else if (found.paths.length === 0) {
      const had = [...before.accountFiles.keys()].some((file) => standsFor(given, directory, file));
      if (had) mistakes.push(say('no file is found by this any more: leave it out where that is meant'));
      else warnings.push(say('no file is found by this'));
    }
    for (const path of 'paths' in found ? found.paths : []) {
      if (!files.has(path)) files.set(path, await readAccountFile(path, env, before.accountFiles.get(path)));
    }
  }
  if (accountsFrom.length > 0 && files.size === 0 && mistakes.length === 0) {
    const message = 'no file is found by this';
    return { files, mistakes: [place({ path: ['accounts_from'], at: 'value', message })], warnings: [] };
  }
  return { files, mistakes, warnings };
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
    const { digests, accountsFrom } = read;
    const directory = dirname(file);
    const found = await Promise.all(accountsFrom.map((given) => findAccountFiles(given, directory)));
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
