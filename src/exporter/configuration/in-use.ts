import { type Clock, wallAt } from '../clock.ts';
import type { ConfigStatus } from '../status.ts';
import {
  type ConfigSource,
  examineConfig,
  hasChanged,
  type LoadedConfig,
  type ReadConfig,
  type ReadFiles,
} from './config.ts';
import { type ConfigIssue, formatIssue } from './issue.ts';
import type { Config } from './schema.ts';

/** The configuration in use, where it came from, and how the last attempt to load it anew ended. */
export class ConfigInUse {
  readonly #clock: Clock;
  readonly #load: (before: ReadFiles | undefined) => Promise<ReadConfig>;
  readonly #file: string | undefined;
  /** What was read for it, in the last attempt. */
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
    const loaded = await this.#loadOrStandIn();
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
    return this.#file !== undefined && this.#read !== undefined && hasChanged(this.#read, this.#file);
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

  async #loadOrStandIn(): Promise<LoadedConfig> {
    const { loaded, read } = await this.#load(this.#read);
    this.#read = read;
    if (loaded.ok || !loaded.nothingConfigured || this.#standIn === undefined) return loaded;
    return { ok: true, warnings: [], issues: [], ...this.#standIn };
  }

  #accept(source: string, config: Config): void {
    this.#source = source;
    this.#isStandIn = config === this.#standIn?.config;
    this.#loadedAt = this.#clock.now();
  }
}

interface WatchOptions {
  /** Whether something has changed since it was loaded last. */
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
