import { TOLERATED_SECONDS } from '../judgement/tally.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { PlatformFailure, Read } from '../platform/read.ts';
import {
  type CountedUntil,
  type Exposure,
  type FollowUp,
  type JobSubject,
  type PollResult,
  RowsRejected,
} from '../poll/job.ts';
import { type Access, type Asker, Refusals } from '../poll/refusals.ts';
import {
  type DelaySettings,
  type Delays,
  delaysOf,
  LONGEST_LAG_MS,
  nothingShown,
  pushDelay,
  recentLag,
} from '../settling/learned.ts';
import type { LearnedMetric } from '../settling/learned-metrics.ts';
import type { Window } from '../settling/window.ts';
import { type AccountMemory, changed, type MemoryPart } from '../state/account-memory.ts';
import type { StateKey } from '../state/state.ts';
import { type Target, targetName } from '../targets/target.ts';
import { type Applied, apply } from './apply.ts';
import { counterNames } from './breakdown.ts';
import { CatchUpJob, type FollowedSeries } from './catch-up-job.ts';
import { type CountedSpan, spanBefore } from './checkpoints.ts';
import { type HasCounter, type Ledger, progressBeyond, usualWidth, withCountersOf } from './ledger.ts';
import { isChanged, ledgerKey } from './ledger-record.ts';
import { countedUntil, type PastRead, pastRead, presentWindow } from './ledger-windows.ts';
import { earlyExposure } from './lower-bounds.ts';
import { bucketToShow, shareMissing } from './present-buckets.ts';
import type { KeptCounters } from './pruning.ts';
import { pushOf } from './pushed-series.ts';
import { type Reconcilable, sumOfCounted } from './reconciliation-job.ts';
import type { SeriesSamples } from './samples.ts';
import { entriesOf, isUsuallyRead, restoreMemory, type SeriesMemory } from './series-memory.ts';
import type { SourceName, SourceReader, WindowedAnswer } from './series-source.ts';

/** Current push destination of an account; undefined while nothing is pushed. */
export interface PushDestination {
  readonly pushed: unknown;
}

export interface SeriesJobOptions {
  readonly target: Target;
  readonly metric: string;
  readonly schedule: string;
  readonly weight: number;
  readonly reader: SourceReader;
  readonly samples: SeriesSamples;
  readonly memory: Pick<AccountMemory, 'of' | 'late'>;
  /** What is learned of the metric, over all its targets. */
  readonly learned: LearnedMetric;
  readonly delays: DelaySettings;
  /** Returns what the state holds under a key. */
  readonly stored: (key: StateKey) => unknown;
  readonly outlet: PushDestination;
  /** True if the platform has ever had any data of a target. */
  readonly isKnown: (target: Target) => boolean;
  readonly platformClock: PlatformClock;
  readonly access?: Access | undefined;
}

/** Polls one metric of one target: its newest bucket becomes gauges, its settled ones enter the counters. */
export class SeriesJob implements FollowedSeries, Reconcilable, Asker {
  readonly id: string;
  readonly subject: JobSubject;
  readonly schedule: string;
  readonly weight: number;
  readonly target: Target;
  readonly metric: string;
  readonly platformClock: PlatformClock;
  /** A metric that the catalogue does not list for its product is read for one target first, and for all once it has data. */
  readonly findsJobs: boolean;
  readonly #options: SeriesJobOptions;
  readonly #part: MemoryPart<SeriesMemory> & { readonly key: StateKey };
  readonly #catchUp: CatchUpJob;
  readonly #refusals: Refusals;

  constructor(options: SeriesJobOptions) {
    const { target, metric, stored } = options;
    const { api, slug } = target.product;
    this.#options = options;
    this.target = target;
    this.metric = metric;
    this.platformClock = options.platformClock;
    this.id = `${api}/${slug}/${target.by}/${target.id}/${metric}`;
    this.subject = { collector: api, product: slug, ...configurationOf(target), metric };
    this.schedule = options.schedule;
    this.weight = options.weight;
    this.findsJobs = !target.product.metrics.includes(metric);
    const key = ledgerKey(target, metric);
    this.#part = { key, open: () => restoreMemory(key, stored) };
    this.#catchUp = new CatchUpJob(this);
    this.#refusals = new Refusals(this);
  }

  /** The group of its source, which may change. */
  get group(): string {
    return this.#options.reader.group;
  }

  get source(): SourceName {
    return this.#options.reader.name;
  }

  get access(): Access | undefined {
    return this.#options.access;
  }

  cost(): number {
    return this.#refusals.stand(this.memory.refusal) ? 0 : this.#options.reader.cost();
  }

  async read(read: Read, signal: AbortSignal): Promise<WindowedAnswer> {
    // What the present source has refused says nothing of another.
    const refusal = this.#options.reader.triesAnother === true ? undefined : this.memory.refusal;
    await this.#refusals.begin(refusal, signal);
    return this.readWindow((now) => this.presentWindow(now), read, signal, true);
  }

  /** The window that brings the newest buckets. @param now platform ms */
  presentWindow(now: number): Window {
    const { reader, learned, memory } = this.#options;
    const { ledger } = this.memory;
    const isNew = ledger.since === undefined && ledger.reached === undefined;
    const lag = reader.costsByWindow && isNew ? recentLag(memory.of(learned.part), now) : undefined;
    return presentWindow(ledger, this.counts, now, {
      horizon: this.#delays(now).horizon,
      expected: lag && now - lag,
      isFree: !reader.costsByWindow,
    });
  }

  /** The next read of what fresh windows do not reach. @param now platform ms */
  pastRead(now: number): PastRead | undefined {
    return pastRead(this.memory.ledger, this.counts, now, this.#delays(now).settle);
  }

  /**
   * @param window asked for when the first operation leaves (platform ms)
   * @param mayChange true if the answer may break the metric down by other values than before
   */
  readWindow(
    window: Parameters<SourceReader['read']>[1],
    read: Read,
    signal: AbortSignal,
    mayChange = false,
  ): Promise<WindowedAnswer> {
    const dimensions = () => counterNames(this.memory.ledger);
    return this.#options.reader.read(read, window, signal, { dimensions, mayChange });
  }

  /** Remembers a refusal. A read that was skipped because of an earlier refusal changes nothing. */
  failed(failure: PlatformFailure): PollResult | undefined {
    const { platformClock, isKnown, target, learned } = this.#options;
    const { memory } = this;
    const now = platformClock.now();
    if (this.#refusals.stand(memory.refusal)) return undefined;
    const refusal = this.#refusals.of(failure, memory.refusal, isUsuallyRead(memory.ledger, now));
    if (refusal === undefined && memory.refusal === undefined) return undefined;
    const missing = { target: targetName(target), isKnown: isKnown(target) };
    const after = { ...memory, refusal };
    return {
      outcome: 'empty',
      failure,
      memory: changed(this.#part, after),
      commit: entriesOf(this.#part.key, memory, after),
      ...(failure.outcome === 'not_found' && {
        learned: { metric: learned, evidence: { ...nothingShown(now), missing } },
      }),
      exposures: () => [],
    };
  }

  conclude(answered: WindowedAnswer): PollResult {
    const { samples, learned, memory } = this.#options;
    const { now } = answered;
    const { ledger } = this.memory;
    const delays = this.#delays(now);
    const applied = apply(ledger, answered, this.#rules(now));
    const { usable, evidence } = applied;
    const { rows, series } = answered.decoded;
    const width = usualWidth(applied.ledger);
    const { reached: end } = applied.ledger;
    const common = { warning: answered.notice, unknownDimensions: samples.unknown(series.keys()) };
    const missing = shareMissing(answered, applied.ledger);
    const buckets = { dimensions: series.size, rows, width: usable.size > 0 ? width : undefined, missing };
    if (width === undefined || end === undefined || usable.size === 0)
      return {
        ...common,
        ...this.resultOf(answered, applied),
        buckets: { ...buckets, newestExposed: undefined },
      };
    const reached = progressBeyond(end, width, now, delays.lag);
    const shown = bucketToShow(ledger, usable, now, { width, until: reached - delays.publish });
    const { boundUntil, until, exposures } = this.#exposuresOf(applied, { now, width, reached, shown });
    // Only a bucket that is new shows how late the platform is.
    const isNew = shown !== undefined && shown + width > (ledger.shown.until ?? Number.NEGATIVE_INFINITY);
    const lag = isNew ? now - reached : ledger.shown.lag;
    const after = { ...applied, ledger: { ...applied.ledger, shown: { until, boundUntil, lag } } };
    const gaugesUntil = reached - pushDelay(memory.of(learned.part), this.#options.delays, now);
    return {
      ...common,
      ...this.resultOf(answered, { ...after, evidence }, { exposures, gaugesUntil }),
      buckets: { ...buckets, newestExposed: shown },
    };
  }

  #exposuresOf(
    { ledger, usable, evidence }: Applied,
    given: {
      readonly now: number;
      readonly width: number;
      readonly reached: number;
      readonly shown: number | undefined;
    },
  ): {
    readonly exposures: readonly Exposure[];
    readonly until: number | undefined;
    readonly boundUntil: number | undefined;
  } {
    const { samples, memory, learned } = this.#options;
    const { now, width, reached, shown } = given;
    const early = earlyExposure(samples, {
      usable,
      now,
      width,
      reached,
      publishDelay: this.#delays(now).publish,
      metric: memory.of(learned.part),
      evidence,
      boundUntil: ledger.shown.boundUntil,
    });
    const { exposures, boundUntil } = early;
    if (shown === undefined) return { exposures, until: ledger.shown.until, boundUntil };
    const until = shown + width;
    const gauges = samples.gauges(usable, until, ledger);
    const moments = [samples.moment('lastBucket', shown), samples.moment('dataUntil', until)];
    return {
      exposures: [
        { part: 'now', samples: gauges, dataUntil: until },
        { part: 'moments', samples: moments, lasts: true },
        ...exposures,
      ],
      until,
      boundUntil,
    };
  }

  followUp(): FollowUp | undefined {
    return this.#catchUp.followUp();
  }

  /** Age (ms) that its data reaches when all is well, or while a bucket is shown that came late; undefined while unknown. */
  expectedAge(intervalMs: number, now: number): number | undefined {
    const { ledger } = this.memory;
    const width = usualWidth(ledger);
    if (width === undefined) return undefined;
    const { publish, lag } = this.#delays(now);
    const late = publish + intervalMs + Math.min(ledger.shown.lag, LONGEST_LAG_MS);
    const isShown = now - (ledger.shown.until ?? 0) <= late + TOLERATED_SECONDS * 1_000;
    return Math.max(publish + intervalMs + lag + width, isShown ? late : 0);
  }

  counted(intervalMs: number, now: number): CountedUntil | undefined {
    const { ledger } = this.memory;
    const until = countedUntil(ledger, this.counts);
    if (until === undefined) return undefined;
    return { until, expectedAge: this.#delays(now).settle + intervalMs + (usualWidth(ledger) ?? 0) };
  }

  /** The counters that it keeps in the state. */
  get kept(): KeptCounters {
    return { key: this.#part.key, watermark: countedUntil(this.memory.ledger, this.counts) };
  }

  /** True if an answer ever had buckets. */
  get hasData(): boolean {
    return usualWidth(this.memory.ledger) !== undefined;
  }

  get product(): string {
    return this.target.product.slug;
  }

  spanBefore(until: number): CountedSpan | undefined {
    return spanBefore(this.memory.ledger.checkpoints, until);
  }

  async truthOf({ window }: CountedSpan, read: Read, signal: AbortSignal): Promise<number | undefined> {
    const { decoded } = await this.readWindow(() => window, read, signal);
    return sumOfCounted(this.memory.ledger, this.counts, decoded, window);
  }

  /** True for a dimension that has a counter and that the present source can answer. */
  get counts(): HasCounter {
    const { samples, reader } = this.#options;
    const { dimensions } = reader;
    return (dimension) => samples.counts(dimension) && (dimensions?.has(dimension) ?? true);
  }

  get memory(): SeriesMemory {
    const { memory } = this.#options;
    const known = memory.of(this.#part);
    if (known.ledger.since !== undefined) return known;
    // The state may have become readable since. Counters that began at zero would jump to their totals later.
    const ledger = memory.late(this.#part)?.ledger;
    return ledger?.since === undefined ? known : { ...known, ledger };
  }

  #delays(now: number): Delays {
    const { memory, learned, delays } = this.#options;
    return delaysOf(memory.of(learned.part), delays, now);
  }

  #rules(now: number) {
    return { counts: this.counts, delays: this.#delays(now), certainNow: this.platformClock.certain(now) };
  }

  /** Result of applying an answer about the past. @param restMs how long catching up rests if nothing has changed */
  concludePast(answered: WindowedAnswer, restMs: number): PollResult {
    const { ledger } = this.memory;
    const applied = apply(ledger, answered, this.#rules(answered.now));
    const restsUntil = isChanged(ledger, applied.ledger) ? 0 : answered.now + restMs;
    return this.resultOf(answered, applied, { restsUntil });
  }

  /**
   * What a poll leaves of an answer.
   * @throws RowsRejected when nothing of it is usable
   */
  resultOf(
    { decoded }: WindowedAnswer,
    applied: Applied,
    given: {
      readonly exposures?: readonly Exposure[];
      readonly gaugesUntil?: number;
      readonly restsUntil?: number;
    } = {},
  ): PollResult {
    const { samples, outlet, learned } = this.#options;
    const { exposures = [], gaugesUntil, restsUntil = 0 } = given;
    const { memory } = this;
    const { rejected, settled, skipped, restated, evidence, usable } = applied;
    const isNothing = [...decoded.series.values()].every(({ timestamps }) => timestamps.length === 0);
    if (isNothing && rejected.size > 0) throw new RowsRejected(rejected);
    const push =
      outlet.pushed === undefined
        ? { ledger: applied.ledger, samples: [] }
        : pushOf(memory.ledger, applied.ledger, settled, { samples, gaugesUntil, usable });
    const after: SeriesMemory = { ledger: push.ledger, refusal: undefined, restsUntil };
    // The evidence of the answer, with the counters as before.
    const refused = { ...after, ledger: withCountersOf(push.ledger, memory.ledger) };
    return {
      outcome: isNothing ? 'empty' : 'ok',
      rejected,
      learned: { metric: learned, evidence },
      commit: entriesOf(this.#part.key, memory, after),
      timed: push.samples,
      counting: { counted: settled.length, skipped, restated },
      memory: changed(this.#part, after, refused),
      // The answer may be good although it could not be committed: then what was counted before is still fresh.
      exposures: (committed) => [...this.#counters((committed ? after : refused).ledger), ...exposures],
    };
  }

  #counters(ledger: Ledger): Exposure[] {
    if (ledger.since === undefined) return [];
    const { samples } = this.#options;
    const until = countedUntil(ledger, this.counts);
    const moment = until === undefined ? [] : [samples.moment('countedUntil', until)];
    return [{ part: 'total', samples: [...samples.counters(ledger), ...moment] }];
  }
}

function configurationOf({ by, id, name }: Target): Partial<JobSubject> {
  return by === 'product' ? {} : { configuration_id: id, configuration: name };
}
