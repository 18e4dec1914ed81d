import type { TimedSample } from '../catalogue/family.ts';
import type { Rejections } from '../decode/points.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { BucketsRead, CountedUntil, Counting, Exposure, JobSubject } from '../poll/job.ts';
import {
  type DelaySettings,
  type Delays,
  delaysOf,
  type MetricEvidence,
  pushDelay,
} from '../settling/learned.ts';
import type { LearnedMetric } from '../settling/learned-metrics.ts';
import type { Window } from '../settling/window.ts';
import { type AccountMemory, changed, type MemoryChange, type MemoryPart } from '../state/account-memory.ts';
import type { StateEntry, StateKey } from '../state/state.ts';
import type { Target } from '../targets/target.ts';
import { type Applied, apply } from './apply.ts';
import { counterNames } from './breakdown.ts';
import { type CountedSpan, spanBefore } from './checkpoints.ts';
import { sumOfCounted } from './counted-sum.ts';
import { type HasCounter, type Ledger, progressBeyond, usualWidth, withCountersOf } from './ledger.ts';
import { ledgerKey } from './ledger-record.ts';
import { countedUntil, type PastRead, pastRead, presentWindow } from './ledger-windows.ts';
import { earlyExposure } from './lower-bounds.ts';
import { bucketToShow, shareMissing } from './present-buckets.ts';
import type { KeptCounters } from './pruning.ts';
import { pushOf } from './pushed-series.ts';

import type { SeriesSamples } from './samples.ts';
import { entriesOf, restoreMemory, type SeriesMemory } from './series-memory.ts';
import type { ReadableSeries, SeriesSource, WindowedAnswer } from './series-source.ts';

/** Push destination of an account; `pushed` is undefined while nothing is pushed. */
export interface PushDestination {
  readonly pushed: unknown;
}

export interface SeriesOptions {
  readonly target: Target;
  readonly metric: string;
  readonly wants: (dimension: string) => boolean;
  readonly weight: number;
  readonly schedule: string;
  /** Number of values of an open breakdown with separate samples; undefined for the default. */
  readonly top?: number | undefined;
  readonly samples: SeriesSamples;
  readonly memory: Pick<AccountMemory, 'of' | 'late'>;
  /** Learned memory of the metric, shared by all its targets. */
  readonly learned: LearnedMetric;
  readonly delays: DelaySettings;
  readonly outlet: PushDestination;
  readonly platformClock: PlatformClock;
}

/** Result of an answer for one series. It has no effect until the poll runner adopts it. */
export interface SeriesResult {
  readonly series: Series;
  /** True if the answer has no row. */
  readonly isEmpty: boolean;
  /** Rows that were dropped for this series only, besides those dropped while the answer was decoded, by reason. */
  readonly rejected: Rejections;
  readonly learned: LearnedMetric;
  readonly evidence: MetricEvidence;
  readonly commit: readonly StateEntry[];
  readonly timed: readonly TimedSample[];
  readonly memory: MemoryChange;
  readonly counting: Counting;
  readonly ledger: Ledger;
  /** Time (platform ms) up to which all counters are complete; undefined before anything is counted. */
  readonly countedUntil: number | undefined;
  /** Content of the answer; undefined for an answer of the past. */
  readonly buckets?: BucketsRead;
  readonly unknownDimensions?: readonly string[];
  /** Returns the samples to expose. @param committed true if the commit is durable */
  exposures(committed: boolean): readonly Exposure[];
}

/** One metric of one target, with its memory. It computes the result of an answer, and reads nothing itself. */
export class Series implements ReadableSeries {
  readonly id: string;
  readonly target: Target;
  readonly metric: string;
  readonly weight: number;
  readonly subject: JobSubject;
  /** Key of its ledger in the state. */
  readonly key: StateKey;
  /** Source of its reads; undefined until it is assigned to a job. */
  source: SeriesSource | undefined;
  readonly #options: SeriesOptions;
  readonly #part: MemoryPart<SeriesMemory> & { readonly key: StateKey };

  constructor(options: SeriesOptions) {
    const { target, metric, weight } = options;
    const { api, slug } = target.product;
    this.#options = options;
    this.target = target;
    this.metric = metric;
    this.weight = weight;
    this.id = `${api}/${slug}/${target.by}/${target.id}/${metric}`;
    this.subject = { collector: api, product: slug, ...configurationOf(target), metric };
    this.key = ledgerKey(target, metric);
    this.#part = { key: this.key, open: restoreMemory };
  }

  get schedule(): string {
    return this.#options.schedule;
  }

  get top(): number | undefined {
    return this.#options.top;
  }

  get wants(): (dimension: string) => boolean {
    return this.#options.wants;
  }

  get learned(): LearnedMetric {
    return this.#options.learned;
  }

  get memory(): SeriesMemory {
    const { memory } = this.#options;
    const known = memory.of(this.#part);
    if (known.ledger.since !== undefined) return known;
    // The state may have become readable meanwhile. Counters that began at zero would later jump to their totals.
    const ledger = memory.late(this.#part)?.ledger;
    return ledger?.since === undefined ? known : { ...known, ledger };
  }

  /** Returns true for a dimension that has a counter and that the source can answer. */
  get counts(): HasCounter {
    const { samples } = this.#options;
    return (dimension) => samples.counts(dimension) && (this.source?.answers(this, dimension) ?? true);
  }

  counterNames(): Set<string> {
    return counterNames(this.memory.ledger);
  }

  /** Returns the delays of the metric (ms). @param now platform ms */
  delays(now: number): Delays {
    const { memory, learned, delays } = this.#options;
    return delaysOf(memory.of(learned.part), delays, now);
  }

  /** Returns the window that contains the newest buckets. @param now platform ms */
  presentWindow(now: number): Window {
    const { ledger, isRead } = this.memory;
    const isNew = !isRead && ledger.since === undefined && ledger.reached === undefined;
    const costsByWindow = this.source?.costsByWindow ?? false;
    return presentWindow(ledger, this.counts, now, {
      horizon: this.delays(now).horizon,
      expected: costsByWindow && isNew ? now : undefined,
      isFree: !costsByWindow,
    });
  }

  /** Returns the next read beyond the windows of the present; undefined for none. @param now platform ms */
  pastRead(now: number): PastRead | undefined {
    return pastRead(this.memory.ledger, this.counts, now, this.delays(now).settle);
  }

  /**
   * Returns the progress of its counters; undefined before anything is counted.
   * @param intervalMs poll interval
   * @param now platform ms
   */
  counted(intervalMs: number, now: number): CountedUntil | undefined {
    const { ledger } = this.memory;
    const until = countedUntil(ledger, this.counts);
    if (until === undefined) return undefined;
    return { until, expectedAge: this.delays(now).settle + intervalMs + (usualWidth(ledger) ?? 0) };
  }

  /** Its counters in the state, with their position. */
  get kept(): KeptCounters {
    return { key: this.key, watermark: countedUntil(this.memory.ledger, this.counts) };
  }

  /** True if any answer has had buckets. */
  get hasData(): boolean {
    return usualWidth(this.memory.ledger) !== undefined;
  }

  /** Returns the counted sum of a past span that ended by a time; undefined if there is no such span. */
  spanBefore(until: number): CountedSpan | undefined {
    return spanBefore(this.memory.ledger.checkpoints, until);
  }

  /** Returns the sum of its counters' buckets in an answer; undefined if the answer lacks any bucket. */
  sumOf({ decoded, window }: WindowedAnswer): number | undefined {
    return sumOfCounted(this.memory.ledger, this.counts, decoded, window);
  }

  /** Returns the result of an answer of the present. */
  conclude(answered: WindowedAnswer): SeriesResult {
    const { samples, learned, memory } = this.#options;
    const { now, decoded } = answered;
    const { ledger } = this.memory;
    const delays = this.delays(now);
    const applied = apply(ledger, answered, this.#rules(now));
    const { usable } = applied;
    const width = usualWidth(applied.ledger);
    const { reached: end } = applied.ledger;
    const unknownDimensions = samples.unknown(decoded.series.keys());
    const missing = shareMissing(answered, applied.ledger);
    const read = { dimensions: decoded.series.size, rows: decoded.rows, missing };
    if (width === undefined || end === undefined || usable.size === 0) {
      const buckets = { ...read, width: usable.size > 0 ? width : undefined, newestExposed: undefined };
      return { ...this.#resultOf(answered, applied), unknownDimensions, buckets };
    }
    const reached = progressBeyond(end, width, now, delays.lag);
    const shown = bucketToShow(ledger, usable, now, { width, until: reached - delays.publish });
    const { boundUntil, until, exposures } = this.#exposuresOf(applied, { now, width, reached, shown });
    // Only a newly delivered bucket shows the lag of the platform.
    const isNew = shown !== undefined && end > (ledger.reached ?? Number.NEGATIVE_INFINITY);
    const lag = isNew ? now - reached : ledger.shown.lag;
    const after = { ...applied, ledger: { ...applied.ledger, shown: { until, boundUntil, lag } } };
    const gaugesUntil = reached - pushDelay(memory.of(learned.part), this.#options.delays, now);
    return {
      ...this.#resultOf(answered, after, { exposures, gaugesUntil }),
      unknownDimensions,
      buckets: { ...read, width, newestExposed: shown },
    };
  }

  /** Returns the result of an answer of the past. @param restMs pause of catching up if nothing has changed */
  concludePast(answered: WindowedAnswer, restMs: number): SeriesResult {
    const applied = apply(this.memory.ledger, answered, this.#rules(answered.now));
    const result = this.#resultOf(answered, applied);
    if (result.commit.length > 0) return result;
    return this.#resultOf(answered, applied, { restsUntil: answered.now + restMs });
  }

  #rules(now: number) {
    const { platformClock } = this.#options;
    return { counts: this.counts, delays: this.delays(now), certainNow: platformClock.certain(now) };
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
      publishDelay: this.delays(now).publish,
      metric: memory.of(learned.part),
      evidence,
      boundUntil: ledger.shown.boundUntil,
    });
    const { exposures, boundUntil } = early;
    if (shown === undefined) return { exposures, until: ledger.shown.until, boundUntil };
    const until = shown + width;
    const gauges = samples.gauges(usable, until, ledger);
    return {
      exposures: [
        { part: 'now', samples: gauges, dataUntil: until },
        { part: 'moments', samples: [samples.moment('dataUntil', until)], lasts: true },
        ...exposures,
      ],
      until,
      boundUntil,
    };
  }

  #resultOf(
    { decoded }: WindowedAnswer,
    applied: Applied,
    given: {
      readonly exposures?: readonly Exposure[];
      readonly gaugesUntil?: number;
      readonly restsUntil?: number;
    } = {},
  ): SeriesResult {
    const { samples, outlet, learned } = this.#options;
    const { exposures = [], gaugesUntil, restsUntil = 0 } = given;
    const { memory } = this;
    const { rejected, settled, skipped, restated, evidence, usable } = applied;
    const push =
      outlet.pushed === undefined
        ? { ledger: applied.ledger, samples: [] }
        : pushOf(memory.ledger, applied.ledger, settled, { samples, gaugesUntil, usable });
    const after: SeriesMemory = { ledger: push.ledger, isRead: true, restsUntil };
    // If the commit is refused, the evidence of the answer is adopted, but the counters stay as before.
    const refused = { ...after, ledger: withCountersOf(push.ledger, memory.ledger) };
    return {
      series: this,
      isEmpty: [...decoded.series.values()].every(({ timestamps }) => timestamps.length === 0),
      rejected: rejectedBeyond(decoded.rejected, rejected),
      learned,
      evidence,
      commit: entriesOf(this.key, memory, after),
      timed: push.samples,
      memory: changed(this.#part, after, refused),
      counting: { counted: settled.length, skipped, restated },
      ledger: push.ledger,
      countedUntil: countedUntil(push.ledger, this.counts),
      // If the commit is refused, the former counters are exposed again, since they are still valid.
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

/** Returns the rows in `after` that are not in `before`. */
function rejectedBeyond(before: Rejections, after: Rejections): Rejections {
  const more = [...after].map(([reason, rows]) => [reason, rows - (before.get(reason) ?? 0)] as const);
  return new Map(more.filter(([, rows]) => rows > 0));
}
