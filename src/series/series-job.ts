import { DATA_MOMENTS } from '../catalogue/platform-families.ts';
import { isEmpty } from '../decode/decode.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import type { Counted, FollowUp, Job, JobSubject } from '../poll/job.ts';
import { type Exposure, type PollResult, RowsRejected } from '../poll/result.ts';
import type { Delays } from '../settling/delays.ts';
import type { Target } from '../targets/target.ts';
import { CatchUpJob } from './catch-up.ts';
import { type CountedAnswer, CountedSeries } from './counted-series.ts';
import { EarlyBuckets } from './early-buckets.ts';
import { NOTHING_TO_PUSH, PushedSeries, type ToPush } from './pushed-series.ts';
import type { Checkpoints, CountedSpan, Reconcilable } from './reconciliation-job.ts';
import { newestBucket, type SeriesSamples } from './samples.ts';
import type { SeriesReader, WindowedAnswer } from './series-reader.ts';
import { countersKey, type KeptCounters } from './stored-counters.ts';

export interface SeriesJobOptions {
  readonly target: Target;
  readonly metric: string;
  readonly schedule: string;
  readonly weight: number;
  readonly reader: SeriesReader;
  readonly samples: SeriesSamples;
  /** Shared by all targets of the metric. */
  readonly delays: Delays;
  /** What the state holds under a key. */
  readonly stored: (key: readonly string[]) => unknown;
  /** Whether there is anybody to push to. */
  readonly isPushed: () => boolean;
  readonly platformClock: PlatformClock;
  /** For the comparison of its counters with the platform; undefined where they are not compared. */
  readonly checkpoints?: Checkpoints | undefined;
}

/** Polls one metric of one target: its newest bucket becomes gauges, its settled ones enter the counters. */
export class SeriesJob implements Job<WindowedAnswer>, Reconcilable {
  readonly id: string;
  readonly subject: JobSubject;
  readonly schedule: string;
  readonly weight: number;
  readonly group: string;
  /** A metric that the catalogue does not give its product is read of all targets once it is known to have data. */
  readonly findsJobs: boolean;
  readonly #options: SeriesJobOptions;
  readonly #counted: CountedSeries;
  readonly #moments: (typeof DATA_MOMENTS)['configuration' | 'product'];
  /** Made once there is somebody to push to: of thousands of jobs it takes a kilobyte each. */
  #pushed: PushedSeries | undefined;
  readonly #catchUp: CatchUpJob;
  readonly #early: EarlyBuckets;
  /** Bucket width (ms) of the newest answer that showed one: counters that are withheld have none. */
  #width: number | undefined;
  /** End of the bucket that the gauges show. */
  #shownUntil = Number.NEGATIVE_INFINITY;

  constructor(options: SeriesJobOptions) {
    const { target, metric, samples, delays, stored, reader, platformClock, checkpoints } = options;
    const { api, slug } = target.product;
    this.#options = options;
    this.id = `${api}/${slug}/${target.by}/${target.id}/${metric}`;
    this.subject = { collector: api, product: slug, ...configurationOf(target), metric };
    this.schedule = options.schedule;
    this.weight = options.weight;
    this.group = api;
    this.findsJobs = !target.product.metrics.includes(metric);
    const key = countersKey(target, metric);
    const counts = (dimension: string) => samples.counts(dimension);
    this.#counted = new CountedSeries({ key, stored: () => stored(key), delays, counts, checkpoints });
    this.#catchUp = new CatchUpJob({
      follows: this,
      counted: this.#counted,
      counters: () => this.#counters(),
      toPush: (counted) => this.#countersToPush(counted),
      reader,
      delays,
      platformClock,
    });
    this.#moments = DATA_MOMENTS[target.by];
    this.#early = new EarlyBuckets({ target, metric, samples, delays });
  }

  cost(): number {
    return this.#options.reader.cost();
  }

  read(read: Read, signal: AbortSignal): Promise<WindowedAnswer> {
    const { reader, delays } = this.#options;
    const { counters } = this.#counted;
    return reader.read(read, (now) => counters.freshWindow(now, delays.horizon(now)), signal);
  }

  conclude(answered: WindowedAnswer): PollResult {
    const { answer, width, rejected, reached } = this.#counted.counters.understood(answered);
    const { decoded } = answer;
    const { rows, series } = decoded;
    const empty = isEmpty(decoded);
    if (empty && rejected.size > 0) throw new RowsRejected(rejected);
    const counted = this.#counted.conclude(answer);
    const toPush = [this.#countersToPush(counted), this.#gaugesToPush(answer, width, reached)];
    const shown =
      width === undefined || reached === undefined ? undefined : this.#bucketToShow(answer, width, reached);
    return {
      outcome: empty ? 'empty' : 'ok',
      rejected,
      commit: [...counted.commit, ...toPush.flatMap(({ commit }) => commit)],
      timed: toPush.flatMap(({ samples }) => samples),
      counting: counted.counting,
      buckets: { dimensions: series.size, rows, width: decoded.width, newestExposed: shown },
      unknownDimensions: this.#options.samples.unknown(series.keys()),
      adopt: (committed) => {
        counted.adopt(committed);
        if (width === undefined || reached === undefined) return this.#counters();
        this.#width = width;
        const gauges = shown === undefined ? [] : this.#gauges(answer, shown, width);
        return [...this.#counters(), ...gauges, ...this.#early.expose(answer, width, reached)];
      },
    };
  }

  followUp(): FollowUp | undefined {
    return this.#catchUp.followUp();
  }

  /** Age (ms) that its data reaches when all is well; undefined until the width of its buckets is known. */
  expectedAge(intervalMs: number): number | undefined {
    const { delays } = this.#options;
    const width = this.#counted.counters.record?.width ?? this.#width;
    return width === undefined ? undefined : delays.publish() + delays.lag.ms + intervalMs + width;
  }

  counted(intervalMs: number): Counted | undefined {
    const { delays, platformClock } = this.#options;
    const { countedUntil, record } = this.#counted.counters;
    if (countedUntil === undefined || record === undefined) return undefined;
    const settled = delays.settle(platformClock.now());
    return { until: countedUntil, expectedAge: settled + intervalMs + record.width };
  }

  /** The counters that it keeps in the state. */
  get kept(): KeptCounters {
    return { key: this.#counted.key, watermark: this.#counted.counters.watermark };
  }

  get product(): string {
    return this.target.product.slug;
  }

  get target(): Target {
    return this.#options.target;
  }

  get metric(): string {
    return this.#options.metric;
  }

  spanBefore(until: number): CountedSpan | undefined {
    return this.#options.checkpoints?.spanBefore(until);
  }

  async truthOf({ window }: CountedSpan, read: Read, signal: AbortSignal): Promise<number | undefined> {
    const { decoded } = await this.#options.reader.read(read, () => window, signal);
    return this.#counted.counters.sumIfWhole(decoded, window);
  }

  /** The answer may be good although it could not be committed: then what was counted before is still fresh. */
  #counters(): Exposure[] {
    const { totals, counters } = this.#counted;
    if (totals === undefined) return [];
    const { samples } = this.#options;
    const until = counters.countedUntil;
    const moment = until === undefined ? [] : [samples.moment(this.#moments.countedUntil, until)];
    return [{ part: 'total', samples: [...samples.counters(totals), ...moment] }];
  }

  #countersToPush({ before, update }: CountedAnswer): ToPush {
    if (update === undefined || !this.#options.isPushed()) return NOTHING_TO_PUSH;
    return this.#pushedSeries.counters.toPush(before, update);
  }

  #gaugesToPush(answer: WindowedAnswer, width: number | undefined, reached: number | undefined): ToPush {
    const { isPushed, delays } = this.#options;
    if (width === undefined || reached === undefined || !isPushed()) return NOTHING_TO_PUSH;
    return this.#pushedSeries.gauges.toPush(answer, width, reached - delays.publish());
  }

  get #pushedSeries(): PushedSeries {
    const { samples, stored } = this.#options;
    this.#pushed ??= new PushedSeries(this.#counted.key, stored, samples);
    return this.#pushed;
  }

  /**
   * The start of the bucket whose values become the gauges now: one newer than they show. A bucket is shown once: read
   * again it would only seem to grow, where the publish delay has become longer or the platform has fallen behind.
   */
  #bucketToShow({ decoded, now }: WindowedAnswer, width: number, reached: number): number | undefined {
    const newest = newestBucket(decoded.series, width, reached - this.#options.delays.publish());
    if (newest === undefined || newest + width > this.#shownUntil) return newest;
    // Where the bucket shown lies in the future, the platform's clock was set back.
    return this.#shownUntil > now ? newest : undefined;
  }

  #gauges({ decoded, now }: WindowedAnswer, shown: number, width: number): Exposure[] {
    const { samples } = this.#options;
    const { lastBucket, dataUntil } = this.#moments;
    this.#shownUntil = shown + width;
    const gauges = samples.gauges(decoded.series, shown, width);
    const moments = [samples.moment(lastBucket, shown), samples.moment(dataUntil, shown + width)];
    return [
      { part: 'now', samples: gauges, dataAgeMs: now - shown - width },
      { part: 'moments', samples: moments },
    ];
  }
}

function configurationOf({ by, id, name }: Target): Partial<JobSubject> {
  return by === 'product' ? {} : { configuration_id: id, configuration: name };
}
