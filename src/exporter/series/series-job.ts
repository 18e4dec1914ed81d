import { TOLERATED_SECONDS } from '../facts/job-facts.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, type Read } from '../platform/read.ts';
import { type CountedUntil, type JobSubject, type PollResult, RowsRejected } from '../poll/job.ts';
import {
  type Access,
  type Asker,
  type Refusal,
  Refusals,
  refusalEntries,
  restoreRefusal,
} from '../poll/refusals.ts';
import { LONGEST_LAG_MS, nothingShown } from '../settling/learned.ts';
import type { Window } from '../settling/window.ts';
import { type AccountMemory, changed, type MemoryPart } from '../state/account-memory.ts';
import type { StateEntry, StateKey } from '../state/state.ts';
import type { Target } from '../targets/target.ts';
import { mappedInTurns } from '../turns.ts';
import { CatchUpJob, type FollowedJob } from './catch-up-job.ts';
import { joinedResults } from './joined-results.ts';
import { usualWidth } from './ledger.ts';
import type { Series, SeriesResult } from './metric-series.ts';
import { isUsuallyRead } from './series-memory.ts';
import type { GroupAnswer, SeriesSource, WindowedAnswer } from './series-source.ts';

export interface SeriesJobOptions {
  readonly id: string;
  readonly subject: JobSubject;
  readonly schedule: string;
  readonly source: SeriesSource;
  readonly memory: Pick<AccountMemory, 'of'>;
  /** Key of its refusal in the state; undefined if refusals do not survive a restart. */
  readonly refusalKey?: StateKey;
  /** Returns true if the platform has ever had data of a target. */
  readonly isKnown: (target: Target) => boolean;
  readonly platformClock: PlatformClock;
  readonly access?: Access | undefined;
}

/** Age (ms) that the data of a metric reaches in normal operation. */
export interface MetricAge {
  readonly product: string;
  readonly metric: string;
  readonly ageMs: number;
}

/** Values from which the age of a metric's data is computed, as of the job's last answer. Times are platform ms. */
interface DataAge {
  readonly of: Series;
  readonly width: number;
  /** Lag (ms) of the platform when it delivered the exposed bucket. */
  readonly lag: number;
  /** End of the newest exposed bucket of any series; undefined before one is exposed. */
  readonly shownUntil: number | undefined;
  readonly countedUntil: number | undefined;
}

/** Memory of a job between polls. */
interface JobMemory {
  /** Refusal of the platform, for something missing or forbidden; undefined while there is none. */
  readonly refusal: Refusal | undefined;
  /** Ages by metric, from the oldest data of all its series. */
  readonly ages: ReadonlyMap<string, DataAge>;
}

/** Job that reads the series of one answer: one metric of a target by REST, or many series by GraphQL. */
export class SeriesJob implements FollowedJob, Asker {
  readonly id: string;
  readonly subject: JobSubject;
  readonly schedule: string;
  readonly platformClock: PlatformClock;
  readonly source: SeriesSource;
  readonly #options: SeriesJobOptions;
  readonly #part: MemoryPart<JobMemory>;
  readonly follower: CatchUpJob;
  readonly #refusals: Refusals;
  #series: ReadonlySet<Series> = new Set();
  #hasUnread = false;

  constructor(options: SeriesJobOptions) {
    this.#options = options;
    this.id = options.id;
    this.subject = options.subject;
    this.schedule = options.schedule;
    this.source = options.source;
    this.platformClock = options.platformClock;
    this.#part = {
      ...(options.refusalKey !== undefined && { key: options.refusalKey }),
      open: (stored) => ({ refusal: restoreRefusal(stored), ages: new Map() }),
    };
    this.follower = new CatchUpJob(this);
    this.#refusals = new Refusals(this);
  }

  /** Replaces the series that it reads. */
  assign(series: Iterable<Series>): void {
    const before = this.#series;
    this.#series = new Set(series);
    this.#hasUnread ||= before.size > 0 && [...this.#series].some((one) => !before.has(one));
    for (const one of this.#series) one.source = this.source;
    this.#restored = undefined;
  }

  /** Returns the current time if series were assigned after the last poll, so that they are read at once. */
  dueAt(): number | undefined {
    return this.#hasUnread ? this.platformClock.localNow() : undefined;
  }

  get series(): ReadonlySet<Series> {
    return this.#series;
  }

  get weight(): number {
    let weight = 0;
    for (const series of this.#series) weight = Math.max(weight, series.weight);
    return weight;
  }

  get group(): string {
    return this.source.group;
  }

  get access(): Access | undefined {
    return this.#options.access;
  }

  cost(): number {
    return this.#refusals.stand(this.#memory.refusal) ? 0 : this.source.cost([...this.#series]);
  }

  async read(read: Read, signal: AbortSignal): Promise<GroupAnswer<Series>> {
    this.#hasUnread = false;
    await this.#refusals.begin(this.#memory.refusal, signal);
    const window = (now: number) => this.presentWindow(now);
    return this.source.read({ series: [...this.#series], window, isPast: false }, read, signal);
  }

  /** Returns the window that contains the newest buckets of all series. @param now platform ms */
  presentWindow(now: number): Window {
    const all = [...this.#series];
    // A series without buckets does not widen the window of the others.
    const current = all.filter(({ memory: { isRead, ledger } }) => !isRead || ledger.newest !== undefined);
    const windows = (current.length > 0 ? current : all).map((series) => series.presentWindow(now));
    return {
      from: windows.reduce((from, window) => Math.min(from, window.from), Number.POSITIVE_INFINITY),
      to: windows.reduce((to, window) => Math.max(to, window.to), 0),
    };
  }

  /** Reads one window of one series; undefined if the answer lacks it. @throws PlatformFailure if there is no usable answer */
  async readOne(
    series: Series,
    window: Window,
    read: Read,
    signal: AbortSignal,
  ): Promise<WindowedAnswer | undefined> {
    const asked = { series: [series], window: () => window, isPast: true };
    const { answers } = await this.source.read(asked, read, signal);
    return answers[0]?.[1];
  }

  /** Remembers a refusal. A read that was skipped because of an earlier refusal changes nothing. */
  #failed(failure: PlatformFailure): PollResult {
    const memory = this.#memory;
    const now = this.platformClock.now();
    if (this.#refusals.stand(memory.refusal)) throw failure;
    const isUsual = [...this.#series].some((series) => isUsuallyRead(series.memory.ledger, now));
    const refusal = this.#refusals.of(failure, memory.refusal, isUsual);
    if (refusal === undefined && memory.refusal === undefined) throw failure;
    return {
      outcome: 'empty',
      failure,
      memory: [changed(this.#part, { ...memory, refusal })],
      commit: this.#refusalEntries(memory.refusal, refusal),
      learned: failure.outcome === 'not_found' ? this.#learnedFromMissing(now) : [],
      exposures: () => [],
    };
  }

  #refusalEntries(before: Refusal | undefined, after: Refusal | undefined): readonly StateEntry[] {
    const { key } = this.#part;
    return key === undefined ? [] : refusalEntries(key, before, after);
  }

  /** Returns the changes that remove its refusal, so that it reads again. */
  withoutRefusal(): Pick<PollResult, 'memory' | 'commit'> {
    const memory = this.#memory;
    if (memory.refusal === undefined) return {};
    return {
      memory: [changed(this.#part, { ...memory, refusal: undefined })],
      commit: this.#refusalEntries(memory.refusal, undefined),
    };
  }

  #learnedFromMissing(now: number) {
    return [...this.#series]
      .filter(({ target }) => this.#options.isKnown(target))
      .map(({ learned }) => ({ metric: learned, evidence: { ...nothingShown(now), isMissing: true } }));
  }

  conclude(answered: GroupAnswer<Series> | PlatformFailure): PollResult | Promise<PollResult> {
    if (answered instanceof PlatformFailure) return this.#failed(answered);
    const present = this.#present(answered.answers);
    const concludeOne = ([series, answer]: (typeof present)[number]) => series.conclude(answer);
    if (present.length <= 1) return this.#concluded(answered, present.map(concludeOne));
    // A group may have thousands of series.
    return mappedInTurns(present, concludeOne).then((results) => this.#concluded(answered, results));
  }

  #concluded(answered: GroupAnswer<Series>, results: readonly SeriesResult[]): PollResult {
    const { rejected, notice } = answered;
    const memory = this.#memory;
    const joined = this.#joined(results, rejected);
    const ages = new Map([...memory.ages, ...agesAfter(results)].filter(([metric]) => this.#reads(metric)));
    return {
      ...joined,
      warning: notice,
      memory: [...(joined.memory ?? []), changed(this.#part, { refusal: undefined, ages })],
      commit: [...(joined.commit ?? []), ...this.#refusalEntries(memory.refusal, undefined)],
    };
  }

  /** Returns the result of an answer of the past. @param restMs pause of catching up for series that it does not change */
  concludePast(answered: GroupAnswer<Series>, restMs: number): PollResult {
    const { answers, rejected, notice } = answered;
    const results = this.#present(answers).map(([series, answer]) => series.concludePast(answer, restMs));
    return { ...this.#joined(results, rejected), warning: notice };
  }

  /** @throws RowsRejected if no row of the answer is usable */
  #joined(results: readonly SeriesResult[], rejected: GroupAnswer['rejected']) {
    const joined = joinedResults(results, rejected, (series) => this.#series.has(series));
    if (joined.outcome === 'empty' && joined.rejected.size > 0) throw new RowsRejected(joined.rejected);
    return joined;
  }

  #reads(metric: string): boolean {
    for (const series of this.#series) if (series.metric === metric) return true;
    return false;
  }

  /** Returns the answers without those of series that were removed during the read. */
  #present(answers: GroupAnswer<Series>['answers']): GroupAnswer<Series>['answers'] {
    return answers.filter(([series]) => this.#series.has(series));
  }

  /** Returns the age (ms) of its data in normal operation, or while a late bucket is exposed; undefined while it is unknown. */
  expectedAge(intervalMs: number, now: number, metric?: string): number | undefined {
    let oldest: number | undefined;
    for (const [name, age] of this.#ages)
      if (metric === undefined || metric === name)
        oldest = Math.max(oldest ?? 0, expectedAgeOf(age, intervalMs, now));
    return oldest;
  }

  /** Returns the expected age of each metric. */
  expectedAges(intervalMs: number, now: number): MetricAge[] {
    return [...this.#ages].map(([metric, age]) => ({
      product: age.of.target.product.slug,
      metric,
      ageMs: expectedAgeOf(age, intervalMs, now),
    }));
  }

  counted(intervalMs: number, now: number): CountedUntil | undefined {
    let [until, expectedAge] = [Number.POSITIVE_INFINITY, 0];
    for (const { of, width, countedUntil } of this.#ages.values()) {
      if (countedUntil === undefined) continue;
      until = Math.min(until, countedUntil);
      expectedAge = Math.max(expectedAge, of.delays(now).settle + intervalMs + width);
    }
    return expectedAge === 0 ? undefined : { until, expectedAge };
  }

  /** Ages by metric; before the first answer, those of the stored ledgers. */
  get #ages(): JobMemory['ages'] {
    const { ages } = this.#memory;
    if (ages.size > 0) return ages;
    this.#restored ??= agesAfter(
      [...this.#series].map((series) => ({
        series,
        ledger: series.memory.ledger,
        countedUntil: series.kept.watermark,
      })),
    );
    return this.#restored;
  }

  #restored: JobMemory['ages'] | undefined;

  get #memory(): JobMemory {
    return this.#options.memory.of(this.#part);
  }
}

function expectedAgeOf({ of, width, lag, shownUntil }: DataAge, intervalMs: number, now: number): number {
  const { publish, lag: usualLag } = of.delays(now);
  const late = publish + intervalMs + Math.min(lag, LONGEST_LAG_MS);
  const isShown = now - (shownUntil ?? 0) <= late + TOLERATED_SECONDS * 1_000;
  return Math.max(publish + intervalMs + usualLag + width, isShown ? late : 0);
}

function agesAfter(
  results: readonly Pick<SeriesResult, 'series' | 'ledger' | 'countedUntil'>[],
): ReadonlyMap<string, DataAge> {
  const ages = new Map<string, DataAge>();
  for (const { series, ledger, countedUntil } of results) {
    const width = usualWidth(ledger);
    if (width === undefined) continue;
    const known = ages.get(series.metric);
    const { until, lag } = ledger.shown;
    const shownUntil = until === undefined ? known?.shownUntil : Math.max(until, known?.shownUntil ?? until);
    ages.set(series.metric, {
      of: known?.of ?? series,
      width: Math.max(width, known?.width ?? 0),
      lag: Math.max(lag, known?.lag ?? 0),
      shownUntil,
      countedUntil: leastOf(countedUntil, known?.countedUntil),
    });
  }
  return ages;
}

function leastOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
