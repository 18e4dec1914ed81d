import type { SeriesApi } from '../catalogue/products.ts';
import { foreignAnswerOf } from '../platform/exchange.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { type Outcome, PlatformFailure } from '../platform/read.ts';
import { type AccountMemory, changed, type SavedPart } from '../state/account-memory.ts';
import type { SourceName, SourceReader, WindowedAnswer } from './series-source.ts';
import {
  NOTHING_SHOWN,
  restoreSource,
  type Shown,
  type SourceMemory,
  sourceAtFirst,
  storeSource,
} from './source-memory.ts';

/** When this many series, each of another target, were all answered 404, the source has no series at all. */
const GONE = 3;

/** A source that once answered is believed to be closed only after no answer for this time (ms). */
const CLOSED_MS = 10 * 60_000;

/** Interval (ms) at which REST is asked again after it was left; twice that for a target that it answered with 404. */
const ASKED_AGAIN_MS = 10 * 60_000;

/** Answers are noted at most this often (ms). */
const NOTED_MS = 60_000;

/** Whether to ask REST once more for this target, after it was left for answering 404. */
export function mayAskRest({ shown, restAskedAt }: SourceMemory, target: string, now: number): boolean {
  if (restAskedAt === undefined) return false;
  const wasGone = [...shown.rest.gone.values()].includes(target);
  return now >= restAskedAt + (wasGone ? 2 : 1) * ASKED_AGAIN_MS;
}

/** Notes that REST is asked once more. */
export function restAsked(known: SourceMemory, now: number): SourceMemory {
  return { ...known, restAskedAt: now };
}

/** A read of series, and when it ended (ms). */
export interface SeriesRead {
  readonly source: SourceName;
  readonly target: string;
  readonly metric: string;
  readonly outcome: Outcome;
  /** Whether something other than the platform answered. */
  readonly isForeign: boolean;
  readonly now: number;
  /** What there is to be read. */
  readonly all: () => AllSeries;
}

/** What is read of an API by the source that is chosen. */
export interface AllSeries {
  readonly series: number;
  readonly targets: number;
}

/** What is known after a read of series; the same object if nothing is new. */
export function sourceAnswered(known: SourceMemory, read: SeriesRead): SourceMemory {
  const { source, outcome, isForeign, now } = read;
  if (known.isFixed || isForeign) return known;
  const { answeredAt, gone } = known.shown[source];
  if (outcome === 'ok' || outcome === 'empty') {
    const isBack = source === 'rest' && known.restAskedAt !== undefined;
    const isNoted = gone.size === 0 && answeredAt !== undefined && now < answeredAt + NOTED_MS;
    if (isNoted && !isBack) return known;
    const shown = { ...known.shown, [source]: { answeredAt: now, gone: NOTHING_SHOWN.gone } };
    if (isBack) return { ...known, source, why: 'REST answers again', shown, restAskedAt: undefined };
    const why = source === 'rest' && known.source === 'rest' ? 'REST answers' : known.why;
    return { ...known, why, shown };
  }
  if (outcome !== 'not_found') return known;
  const after = withGone(gone, read);
  const shown = after === gone ? known.shown : { ...known.shown, [source]: { answeredAt, gone: after } };
  const isSilent = answeredAt === undefined || now >= answeredAt + CLOSED_MS;
  // GraphQL is not left for REST, which would have nothing either.
  if (source === 'rest' && known.source === 'rest' && isSilent && areAllGone(after, read.all)) {
    const why = 'REST answers 404 to the reads of series';
    return { ...known, shown, source: 'graphql', why, restAskedAt: now };
  }
  return after === gone ? known : { ...known, shown };
}

function withGone(gone: Shown['gone'], { target, metric }: SeriesRead): Shown['gone'] {
  const series = `${target}/${metric}`;
  return gone.has(series) ? gone : new Map([...gone, [series, target]]);
}

/** Three metrics of one configuration prove nothing about the others, unless it is the only one. */
function areAllGone(gone: Shown['gone'], all: () => AllSeries): boolean {
  const different = new Set(gone.values()).size;
  if (different >= GONE) return true;
  const { series, targets } = all();
  return different >= targets && gone.size >= Math.min(GONE, series);
}

export interface SourceChoiceOptions {
  /** The account, and the platform that it is on. */
  readonly account: { readonly name: string; readonly api_url: string };
  readonly memory: Pick<AccountMemory, 'of' | 'adopt'>;
  readonly configured: Readonly<Record<SeriesApi, 'auto' | SourceName>>;
  /** Local ms. */
  readonly now: () => number;
}

/** What an account remembers of its sources, by API. */
export class SourceChoice {
  readonly #options: SourceChoiceOptions;
  readonly #parts: Readonly<Record<SeriesApi, SavedPart<SourceMemory>>>;
  /** The sources that jobs were made for. */
  #madeFor: readonly (readonly [SeriesApi, SourceName])[] = [];

  constructor(options: SourceChoiceOptions) {
    this.#options = options;
    const { account, now } = options;
    const partOf = (api: SeriesApi): SavedPart<SourceMemory> => ({
      key: ['source', account.name, api, account.api_url],
      open: (stored) => restoreSource(stored, now()),
      store: storeSource,
    });
    this.#parts = { metrics: partOf('metrics'), analytics: partOf('analytics') };
  }

  of(api: SeriesApi): SourceMemory {
    const { configured, memory } = this.#options;
    const source = configured[api];
    return source === 'auto' ? memory.of(this.#parts[api]) : sourceAtFirst(source);
  }

  /** The jobs of these APIs are made for the sources that are chosen now. */
  jobsAreMade(apis: Iterable<SeriesApi>): void {
    this.#madeFor = [...apis].map((api) => [api, this.of(api).source]);
  }

  /** Whether another source was chosen since the jobs were made, so that other jobs are wanted. */
  get haveChanged(): boolean {
    return this.#madeFor.some(([api, source]) => this.of(api).source !== source);
  }

  /** Replaces what is known of an API. Returns whether the chosen source has changed. */
  learn(api: SeriesApi, change: (known: SourceMemory) => SourceMemory): boolean {
    const before = this.of(api);
    const after = change(before);
    if (after !== before) this.#options.memory.adopt(changed(this.#parts[api], after), true);
    return after.source !== before.source;
  }

  /** What is to be saved. */
  parts(): Iterable<SavedPart<SourceMemory>> {
    return Object.values(this.#parts);
  }
}

interface ChosenReaderOptions {
  readonly sources: SourceChoice;
  readonly api: SeriesApi;
  /** What is read: the target's name within the API, and the metric. */
  readonly target: string;
  readonly metric: string;
  readonly all: SeriesRead['all'];
  readonly platformClock: PlatformClock;
  readonly rest: SourceReader;
  /** Asks REST of what it knows of the target, where that is known to it by other ids alone: of its domains, for instance. */
  readonly restInPart?: (() => SourceReader | undefined) | undefined;
  /** Made when first chosen; undefined if that source has no such data. */
  readonly graphql: () => SourceReader | undefined;
}

type ReadArguments = Parameters<SourceReader['read']>;

/**
 * Reads by whichever source is chosen at the time; job, counters and memory stay the same. Notes what reads show of the
 * sources, and tries REST first from time to time after it was left.
 */
export class ChosenReader implements SourceReader {
  readonly #options: ChosenReaderOptions;
  #graphql: { readonly reader: SourceReader | undefined } | undefined;

  constructor(options: ChosenReaderOptions) {
    this.#options = options;
  }

  get name(): SourceName {
    const { sources, api } = this.#options;
    return sources.of(api).source;
  }

  get group(): string {
    return this.#reader?.group ?? this.#options.rest.group;
  }

  get dimensions(): ReadonlySet<string> | undefined {
    const reader = this.#reader;
    return reader === undefined ? new Set() : reader.dimensions;
  }

  get costsByWindow(): boolean {
    return this.#reader?.costsByWindow ?? false;
  }

  cost(): number {
    return this.#reader?.cost() ?? 0;
  }

  async read(...question: ReadArguments): Promise<WindowedAnswer> {
    const reader = this.#reader;
    if (reader === undefined) throw new PlatformFailure('not_found', 'GraphQL has no such metric');
    const { rest, restInPart } = this.#options;
    const triesRest = this.#triesRest();
    const part = triesRest ? restInPart?.() : undefined;
    // What it answers is not all of the target: where it does, jobs of what REST knows take the place of this one.
    if (part !== undefined) await this.#noted(part, question).catch(unlessOfPlatform);
    const first = triesRest && part === undefined ? rest : reader;
    try {
      return await this.#noted(first, question);
    } catch (failure) {
      // If the choice has changed meanwhile, the failure is that of the source chosen now.
      const next = this.#reader;
      if (!(failure instanceof PlatformFailure) || next === undefined || next === first) throw failure;
      return await this.#noted(next, question);
    }
  }

  /** Whether REST is asked once more after it was left. */
  get triesAnother(): boolean {
    const { sources, api, target, platformClock, rest } = this.#options;
    return this.#reader !== rest && mayAskRest(sources.of(api), target, platformClock.localNow());
  }

  /** The same, which is then noted. */
  #triesRest(): boolean {
    const { sources, api, platformClock } = this.#options;
    const isTrial = this.triesAnother;
    if (isTrial) sources.learn(api, (known) => restAsked(known, platformClock.localNow()));
    return isTrial;
  }

  /** Reads, and notes what that shows of the source. */
  async #noted(
    reader: SourceReader,
    [read, window, signal, counters]: ReadArguments,
  ): Promise<WindowedAnswer> {
    try {
      const answer = await reader.read(
        (resource, within, group = reader.group) => read(resource, within, group),
        window,
        signal,
        counters,
      );
      this.#note(reader.name, undefined);
      return answer;
    } catch (failure) {
      if (failure instanceof PlatformFailure) this.#note(reader.name, failure);
      throw failure;
    }
  }

  #note(source: SourceName, failure: PlatformFailure | undefined): void {
    const { sources, api, target, metric, all, platformClock } = this.#options;
    const outcome = failure?.outcome ?? 'ok';
    const isForeign = failure !== undefined && foreignAnswerOf(failure) !== undefined;
    const now = platformClock.localNow();
    sources.learn(api, (known) =>
      sourceAnswered(known, { source, target, metric, outcome, isForeign, now, all }),
    );
  }

  get #reader(): SourceReader | undefined {
    if (this.name === 'rest') return this.#options.rest;
    this.#graphql ??= { reader: this.#options.graphql() };
    return this.#graphql.reader;
  }
}

/** That the platform does not answer was noted. @throws anything else */
function unlessOfPlatform(failure: unknown): undefined {
  if (!(failure instanceof PlatformFailure)) throw failure;
  return undefined;
}
