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
  refusalEntries,
  refusalKey,
  restoreRefusal,
} from '../poll/job.ts';
import { type Access, type Asker, Refusals } from '../poll/refusals.ts';
import {
  type DelaySettings,
  delaysOf,
  LONGEST_LAG_MS,
  nothingShown,
  pushDelay,
  recentLag,
} from '../settling/learned.ts';
import type { LearnedMetric } from '../settling/learned-metrics.ts';
import { type AccountMemory, changed, type MemoryPart } from '../state/account-memory.ts';
import type { StateKey } from '../state/state.ts';
import { type Target, targetName } from '../targets/target.ts';
import { progressBeyond, shareMissing, someStart } from './answer-buckets.ts';
import { CatchUpJob, type CaughtUp, type KnownSeries } from './catch-up-job.ts';
import { type CountedAnswer, countAnswer, understood, windowOfPresent } from './counters.ts';
import { earlyExposure } from './early-buckets.ts';
import type { KeptCounters } from './pruning.ts';
import { countersToPush, gaugesToPush, NOTHING_TO_PUSH, type Pushed, type ToPush } from './pushed-series.ts';
import type { Reconcilable } from './reconciliation-job.ts';
import { sumOfCounted } from './reconciliation-job.ts';
import { newestBucket, type SeriesSamples } from './samples.ts';
import {
  BEGINNING,
  type CountedSpan,
  type HasCounter,
  isUsuallyRead,
  pushedKeys,
  restoreSeries,
  type SeriesMemory,
  seriesKey,
  spanBefore,
  storeSeries,
} from './series-memory.ts';
import type { SourceName, SourceReader, WindowedAnswer } from './series-source.ts';

/** Where an account pushes to, at any moment. */
export interface Outlet {
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
  /** What the state holds under a key. */
  readonly stored: (key: StateKey) => unknown;
  readonly outlet: Outlet;
  /** Whether the platform has ever had any data of a target. */
  readonly isKnown: (target: Target) => boolean;
  readonly platformClock: PlatformClock;
  readonly access?: Access | undefined;
}

/** Polls one metric of one target: its newest bucket becomes gauges, its settled ones enter the counters. */
export class SeriesJob implements CaughtUp, Reconcilable, Asker {
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
    const { target, metric } = options;
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
    this.#part = {
      key: seriesKey(target, metric),
      open: (stored) => ({
        ...(stored === undefined ? BEGINNING : restoreSeries(stored, this.counts)),
        refusal: restoreRefusal(options.stored(this.#refusalKey)),
      }),
    };
    this.#catchUp = new CatchUpJob(this);
    this.#refusals = new Refusals(this);
  }

  /** That of its source, which may change. */
  get group(): string {
    return this.#options.reader.group;
  }

  /** The source that it is read by now. */
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
    const window = (now: number) => {
      const { memory, metric, delays } = this.known(now);
      const isNew = memory.record === undefined && memory.reached === undefined;
      const lag = this.#options.reader.costsByWindow && isNew ? recentLag(metric, now) : undefined;
      return windowOfPresent(memory, now, delays.horizon, lag && now - lag);
    };
    return this.readWindow(window, read, signal, true);
  }

  /** Remembers a refusal. A read that was skipped because of an earlier refusal changes nothing. */
  failed(failure: PlatformFailure): PollResult | undefined {
    const { platformClock, isKnown, target, learned } = this.#options;
    const { memory } = this;
    const now = platformClock.now();
    if (this.#refusals.stand(memory.refusal)) return undefined;
    const refusal = this.#refusals.of(failure, memory.refusal, isUsuallyRead(memory, now));
    if (refusal === undefined && memory.refusal === undefined) return undefined;
    const missing = { target: targetName(target), isKnown: isKnown(target) };
    return {
      outcome: 'empty',
      failure,
      memory: changed(this.#part, { ...memory, refusal }),
      commit: refusalEntries(this.#refusalKey, memory.refusal, refusal),
      ...(failure.outcome === 'not_found' && {
        learned: { metric: learned, evidence: { ...nothingShown(now), missing } },
      }),
      exposures: () => [],
    };
  }

  /**
   * @param window asked for when the first operation leaves (platform ms)
   * @param mayChange whether the answer may break the metric down by other values than before
   */
  readWindow(
    window: Parameters<SourceReader['read']>[1],
    read: Read,
    signal: AbortSignal,
    mayChange = false,
  ): Promise<WindowedAnswer> {
    const dimensions = () => this.memory.record?.counters.keys() ?? [];
    return this.#options.reader.read(read, window, signal, { dimensions, mayChange });
  }

  conclude(answered: WindowedAnswer): PollResult {
    const known = this.known(answered.now);
    const { memory, delays } = known;
    const counted = countAnswer(memory, understood(memory, answered), known);
    const { answer, width, reached: newestEnd } = counted;
    const { series, rows } = answer.decoded;
    const missing = width && shareMissing(answer, width);
    const buckets = { dimensions: series.size, rows, width: answer.decoded.width, missing };
    const common = {
      warning: answered.notice,
      unknownDimensions: this.#options.samples.unknown(series.keys()),
    };
    if (width === undefined || newestEnd === undefined)
      return {
        ...common,
        ...this.resultOf(known, counted),
        buckets: { ...buckets, newestExposed: undefined },
      };
    const reached = progressBeyond(newestEnd, width, answer.now, delays.lag);
    const shown = bucketToShow(memory, answer, width, reached - delays.publish);
    const early = earlyExposure(this.#options.samples, {
      answer,
      width,
      reached,
      publishDelay: delays.publish,
      metric: known.metric,
      evidence: counted.evidence,
      boundUntil: memory.boundUntil,
    });
    const gauges = shown === undefined ? [] : this.#gauges(answer, shown, width);
    const shownUntil = shown === undefined ? memory.shownUntil : shown + width;
    // Only a bucket that is new shows how late the platform is.
    const isNew = shown !== undefined && newestEnd > (memory.reached ?? Number.NEGATIVE_INFINITY);
    const shownLag = isNew ? answer.now - reached : memory.shownLag;
    const showing = { width, shownUntil, shownLag, boundUntil: early.boundUntil };
    const result = {
      ...counted,
      memory: { ...counted.memory, ...showing },
      refused: { ...counted.refused, ...showing },
    };
    const toPush = known.isPushed
      ? gaugesToPush(
          answer,
          width,
          reached - pushDelay(known.metric, this.#options.delays, answer.now),
          this.#pushed('gauges'),
        )
      : NOTHING_TO_PUSH;
    return {
      ...common,
      ...this.resultOf(known, result, [...gauges, ...early.exposures], toPush),
      buckets: { ...buckets, newestExposed: shown },
    };
  }

  followUp(): FollowUp | undefined {
    const { record } = this.memory;
    // The usual case, of thousands of jobs: all counters have come equally far, and lack nothing.
    if (record === undefined || record.progress.lacking.length <= 1) return undefined;
    return this.#catchUp.followUp();
  }

  /** Age (ms) that its data reaches when all is well, or while a bucket is shown that came late; undefined while unknown. */
  expectedAge(intervalMs: number, now: number): number | undefined {
    const { memory, learned, delays } = this.#options;
    const { record, width = record?.width, shownLag, shownUntil = 0 } = this.memory;
    if (width === undefined) return undefined;
    const { publish, lag } = delaysOf(memory.of(learned.part), delays, now);
    const late = publish + intervalMs + Math.min(shownLag, LONGEST_LAG_MS);
    const isShown = now - shownUntil <= late + TOLERATED_SECONDS * 1_000;
    return Math.max(publish + intervalMs + lag + width, isShown ? late : 0);
  }

  counted(intervalMs: number, now: number): CountedUntil | undefined {
    const { memory, learned, delays } = this.#options;
    const { record } = this.memory;
    if (record?.progress.countedUntil === undefined) return undefined;
    const { settle } = delaysOf(memory.of(learned.part), delays, now);
    return { until: record.progress.countedUntil, expectedAge: settle + intervalMs + record.width };
  }

  /** The counters that it keeps in the state. */
  get kept(): KeptCounters {
    return { key: this.#part.key, watermark: this.memory.record?.progress.watermark };
  }

  /** Whether an answer ever had buckets. */
  get hasData(): boolean {
    const { record, width } = this.memory;
    return record !== undefined || width !== undefined;
  }

  get product(): string {
    return this.target.product.slug;
  }

  spanBefore(until: number): CountedSpan | undefined {
    return spanBefore(this.memory.checkpoints, until);
  }

  async truthOf({ window }: CountedSpan, read: Read, signal: AbortSignal): Promise<number | undefined> {
    const { decoded } = await this.readWindow(() => window, read, signal);
    return sumOfCounted(this.memory, this.counts, decoded, window);
  }

  /** Whether a dimension has a counter that the present source can continue. */
  get counts(): HasCounter {
    const { samples, reader } = this.#options;
    const { dimensions } = reader;
    return (dimension) => samples.counts(dimension) && (dimensions?.has(dimension) ?? true);
  }

  get memory(): SeriesMemory {
    const { memory } = this.#options;
    const known = memory.of(this.#part);
    if (known.record !== undefined) return known;
    // The state may have become readable since. Counters that began at zero would jump to their totals later.
    const record = memory.late(this.#part)?.record;
    return record === undefined ? known : { ...known, record };
  }

  known(now: number): KnownSeries {
    const { delays, learned, outlet, platformClock } = this.#options;
    const { memory, counts } = this;
    const metric = this.#options.memory.of(learned.part);
    return {
      memory,
      metric,
      counts,
      delays: delaysOf(metric, delays, now),
      certainNow: platformClock.certain(now),
      isPushed: outlet.pushed !== undefined,
    };
  }

  /**
   * What a poll leaves of an answer, `newest` among its exposures.
   * @throws RowsRejected when nothing of it is usable
   */
  resultOf(
    { memory: { record, refusal }, isPushed }: KnownSeries,
    { answer, rejected, memory, refused, update, evidence }: CountedAnswer,
    newest: readonly Exposure[] = [],
    gaugesToPush: ToPush = NOTHING_TO_PUSH,
  ): PollResult {
    const { key } = this.#part;
    const isNothing = someStart(answer.decoded) === undefined;
    if (isNothing && rejected.size > 0) throw new RowsRejected(rejected);
    const isChanged = update !== undefined && update.record !== record;
    const toPush =
      update === undefined || !isPushed
        ? NOTHING_TO_PUSH
        : countersToPush(record?.counters, update, this.#pushed('counters'));
    return {
      outcome: isNothing ? 'empty' : 'ok',
      rejected,
      learned: { metric: this.#options.learned, evidence },
      commit: [
        ...(isChanged ? [{ key, value: storeSeries(memory) }] : []),
        ...(refusal === undefined ? [] : refusalEntries(this.#refusalKey, refusal, undefined)),
        ...toPush.commit,
        ...gaugesToPush.commit,
      ],
      timed: [...toPush.samples, ...gaugesToPush.samples],
      counting: update,
      memory: changed(this.#part, { ...memory, refusal: undefined }, { ...refused, refusal: undefined }),
      // The answer may be good although it could not be committed: then what was counted before is still fresh.
      exposures: (committed) => [...this.#counters(committed ? memory : refused), ...newest],
    };
  }

  get #refusalKey(): StateKey {
    return refusalKey(this.#part.key);
  }

  #counters({ record }: SeriesMemory): Exposure[] {
    if (record === undefined) return [];
    const { samples } = this.#options;
    const until = record.progress.countedUntil;
    const moment = until === undefined ? [] : [samples.moment('countedUntil', until)];
    return [{ part: 'total', samples: [...samples.counters(record.counters), ...moment] }];
  }

  #gauges({ decoded }: WindowedAnswer, shown: number, width: number): Exposure[] {
    const { samples } = this.#options;
    const gauges = samples.gauges(decoded.series, shown, width);
    const moments = [samples.moment('lastBucket', shown), samples.moment('dataUntil', shown + width)];
    return [
      { part: 'now', samples: gauges, dataUntil: shown + width },
      { part: 'moments', samples: moments, lasts: true },
    ];
  }

  #pushed(of: keyof ReturnType<typeof pushedKeys>): Pushed {
    const { samples, stored } = this.#options;
    const key = pushedKeys(this.#part.key)[of];
    return { key, stored: stored(key), samples };
  }
}

/**
 * The start of the bucket that the gauges show from now on: a newer one than before. No bucket is shown twice or after a
 * later one: values would seem to grow, or step back, when the publish delay becomes longer or the platform falls behind.
 * @param until up to where buckets are complete (platform ms)
 */
function bucketToShow(
  { shownUntil }: SeriesMemory,
  { decoded, now }: WindowedAnswer,
  width: number,
  until: number,
): number | undefined {
  const newest = newestBucket(decoded.series, width, until);
  if (newest === undefined || shownUntil === undefined || newest + width > shownUntil) return newest;
  // Where the bucket shown lies in the future, the platform's clock was set back.
  return shownUntil > now ? newest : undefined;
}

function configurationOf({ by, id, name }: Target): Partial<JobSubject> {
  return by === 'product' ? {} : { configuration_id: id, configuration: name };
}
