import { createHash } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { LineLog } from '../command-line/progress.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import { LOCK_FILE, StateInUse } from '../state/directory.ts';
import { openState, StateRequired } from '../state/open-state.ts';
import { OtherFormat } from '../state/sqlite.ts';
import { QUEUE, type State, type StateEntry, type StateKey } from '../state/state.ts';
import { type HistoryPlan, restorePlan } from './history-plan.ts';
import type { CountedBuckets, WindowRead } from './read-window.ts';
import { BackfillRefusal, Misuse } from './refusal.ts';

/** Progress of one series: the windows that were read. */
interface SeriesProgress {
  /** All windows before this index are done. */
  readonly reached: number;
  /** Indexes of windows after `reached` that are done. */
  readonly ahead: readonly number[];
  /** Names of the dimensions, in the order of their first appearance. */
  readonly dimensions: readonly string[];
  /** Number of windows with missing buckets. */
  readonly lacking: number;
}

/** Progress of pushing a history to a receiver. */
interface PushProgress {
  /** Index of a series among the receiver's series, and the number of its samples that need no sending. */
  readonly series: number;
  readonly samples: number;
  /** Number of accepted samples, and of refused samples per reason. */
  readonly sent: number;
  readonly refused: Readonly<Record<string, number>>;
}

const PLAN: StateKey = ['backfill'];

/** Number of records read at once. */
const PAGE = 100;

/** Stored state of a history in progress, in a folder that it locks. */
export class HistoryState {
  readonly path: string;
  readonly #state: State;
  #plan: HistoryPlan | undefined;
  /** Progress by number of the series. The state contains it after the next commit. */
  readonly #progress = new Map<number, SeriesProgress>();

  private constructor(path: string, state: State) {
    this.path = path;
    this.#state = state;
    this.#plan = restorePlan(state.get(PLAN));
  }

  /** Opens the folder of an output, or one in the current directory. @throws BackfillRefusal if the folder cannot be used */
  static async open(output: string | undefined, log: LineLog): Promise<HistoryState> {
    const path = join(dirname(output ?? '.'), `${basename(output ?? 'edge-history')}.partial`);
    const files = await readdir(path).catch((): string[] => []);
    if (files.length > 0 && !files.includes(LOCK_FILE)) throw notOurs(path);
    const stateLog = { info: () => undefined, warn: (message: string) => log.warn({}, message) };
    const state = await openState(path, stateLog, { required: true }).catch((error: unknown) => {
      if (error instanceof StateInUse) throw new BackfillRefusal(`another backfill is running in ${path}`);
      if (error instanceof OtherFormat) throw notOurs(path);
      throw error instanceof StateRequired ? new BackfillRefusal(error.message) : error;
    });
    const history = new HistoryState(path, state);
    if (history.#plan !== undefined || [...state.keys([])].length === 0) return history;
    await history.close();
    throw notOurs(path);
  }

  /** Plan of the started history; undefined if none was started. */
  get plan(): HistoryPlan | undefined {
    return this.#plan;
  }

  /** Starts a history. Records of another history stay, but are not used. */
  async begin(plan: HistoryPlan): Promise<void> {
    await this.#state.commit([{ key: PLAN, value: plan }]);
    this.#plan = plan;
    this.#progress.clear();
  }

  /** Path of the output file until it is complete. */
  get unfinished(): string {
    return join(this.path, 'unfinished.om');
  }

  progress(series: number): SeriesProgress {
    const nothing: SeriesProgress = { reached: 0, ahead: [], dimensions: [], lacking: 0 };
    const known = this.#progress.get(series) ?? this.#state.get(this.#key('read', series)) ?? nothing;
    this.#progress.set(series, known as SeriesProgress);
    return known as SeriesProgress;
  }

  /** Returns true if a window of a series needs no further reading. */
  has(series: number, window: number): boolean {
    const { reached, ahead } = this.progress(series);
    return window < reached || ahead.includes(window);
  }

  /** Returns the number of windows of a series that need no further reading. */
  done(series: number): number {
    const { reached, ahead } = this.progress(series);
    return reached + ahead.length;
  }

  /**
   * Stores a window of some series, with their progress, in one commit.
   * @param reads results by number of the series; undefined for a series unknown to the platform, none of whose windows needs
   * reading
   * @param windows number of all windows
   */
  async keep(
    window: number,
    reads: ReadonlyMap<number, WindowRead | undefined>,
    windows: number,
  ): Promise<void> {
    const entries = [...reads].flatMap(([series, found]) => {
      const buckets = found === undefined ? [] : this.#keptWindow(series, window, found);
      if (found === undefined)
        this.#progress.set(series, { ...this.progress(series), reached: windows, ahead: [] });
      return [{ key: this.#key('read', series), value: this.progress(series) }, ...buckets];
    });
    await this.#state.commit(entries);
  }

  /** Advances the progress at once, because another window of the series may arrive before the commit ends. */
  #keptWindow(series: number, window: number, { dimensions, isWhole }: WindowRead): StateEntry[] {
    const before = this.progress(series);
    const names = [...before.dimensions];
    const buckets: StateEntry[] = [];
    for (const [name, value] of dimensions) {
      if (!names.includes(name)) names.push(name);
      buckets.push({ key: [...this.#bucketsKey(series, names.indexOf(name)), padded(window)], value });
    }
    const ahead = new Set([...before.ahead, window]);
    let { reached } = before;
    while (ahead.delete(reached)) reached += 1;
    const lacking = before.lacking + (isWhole ? 0 : 1);
    this.#progress.set(series, { reached, ahead: [...ahead], dimensions: names, lacking });
    return buckets;
  }

  /** Yields the counted buckets of one dimension of a series in ascending order, window by window. */
  async *buckets(series: number, dimension: string): AsyncGenerator<CountedBuckets> {
    const prefix = this.#bucketsKey(series, this.progress(series).dimensions.indexOf(dimension));
    for (let page: readonly StateEntry[] = [], after: StateKey | undefined; ; after = page.at(-1)?.key) {
      page = await this.#state.range(prefix, { limit: PAGE, ...(after !== undefined && { after }) });
      for (const { value } of page) yield value as CountedBuckets;
      if (page.length < PAGE) return;
    }
  }

  pushed(receiver: Receiver): PushProgress {
    const nothing: PushProgress = { series: 0, samples: 0, sent: 0, refused: {} };
    return (this.#state.get(this.#pushedKey(receiver)) ?? nothing) as PushProgress;
  }

  /** Stores the progress of a receiver. @param progress undefined to send everything again */
  async keepPushed(receiver: Receiver, progress: PushProgress | undefined): Promise<void> {
    await this.#state.commit([{ key: this.#pushedKey(receiver), value: progress }]);
  }

  /** Renames the complete file, which is on disk, to its final name. */
  async finish(output: string): Promise<void> {
    await rename(this.unfinished, output);
    await this.remove();
  }

  /** Removes the history from the disk. */
  async remove(): Promise<void> {
    // Removes every key, so that remains after a crash are not continued.
    await this.#state.commit([...this.#state.keys([])].map((key) => ({ key, value: undefined })));
    await this.close();
    await rm(this.path, { recursive: true });
  }

  close(): Promise<void> {
    return this.#state.close();
  }

  /** Returns a key of this history. Every history has its own keys, so that it never reads records of an earlier one. */
  #key(kind: string, series: number): StateKey {
    return [kind, this.#plan?.id ?? '', String(series)];
  }

  #bucketsKey(series: number, dimension: number): StateKey {
    return [QUEUE, ...this.#key('buckets', series), String(dimension)];
  }

  /** Returns the key of a receiver's progress. The key depends on the receiver's address and on the samples that it selects. */
  #pushedKey({ name, kind, url, families, accounts, labels }: Receiver): StateKey {
    const identity = JSON.stringify([name, kind, url, families, accounts, labels]);
    return ['pushed', this.#plan?.id ?? '', createHash('sha256').update(identity).digest('hex')];
  }
}

function padded(window: number): string {
  return String(window).padStart(5, '0');
}

function notOurs(path: string): Misuse {
  return new Misuse(`${path} exists and was not created by this version of backfill: remove it`);
}
