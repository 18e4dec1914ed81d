import type { Family, Sample } from '../catalogue/family.ts';
import { EDGE_LAST_BUCKET, EDGE_PRODUCT_LAST_BUCKET } from '../catalogue/platform-families.ts';
import { isEmpty } from '../decode/decode.ts';
import { sumWithin } from '../decode/points.ts';
import type { Store } from '../exposition/store.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import { type FollowUp, type Job, type JobSubject, type PollReport, RowsRejected } from '../schedule/job.ts';
import type { Delays } from '../settling/delays.ts';
import type { State, StateKey } from '../state/state.ts';
import type { Target } from '../targets/target.ts';
import { Bookkeeper, type SeriesObserver } from './bookkeeper.ts';
import { CatchUpJob } from './catch-up-job.ts';
import type { CountedSpan } from './checkpoints.ts';
import type { KeptCounters } from './pruning.ts';
import type { SeriesReader } from './reader.ts';
import type { Reconcilable } from './reconciliation-job.ts';
import { newestBucket, type SeriesSamples } from './samples.ts';
import { countersKey } from './stored-counters.ts';
import type { WindowedAnswer } from './windowed-answer.ts';

export interface SeriesJobOptions {
  readonly target: Target;
  readonly metric: string;
  readonly collector: string;
  readonly schedule: string;
  readonly weight: number;
  readonly reader: SeriesReader;
  readonly samples: SeriesSamples;
  /** Shared by all targets of the metric. */
  readonly delays: Delays;
  readonly state: State;
  readonly store: Store;
  readonly platformClock: PlatformClock;
  readonly observer: SeriesObserver;
  /** Until when (local ms) what is published now may be shown without being renewed. */
  readonly freshUntil: () => number;
}

/** Polls one metric of one target: window, read, decode, settle, commit, publish. */
export class SeriesJob implements Job, Reconcilable {
  readonly id: string;
  readonly subject: JobSubject;
  readonly schedule: string;
  readonly weight: number;
  readonly group: string;
  readonly keeper: Bookkeeper;
  readonly #options: SeriesJobOptions;
  readonly #key: StateKey;
  readonly #lastBucket: Family;
  readonly #catchUp: CatchUpJob;
  /** Start of the bucket that the gauges show. */
  #shown = Number.NEGATIVE_INFINITY;
  #withdrawn = false;

  constructor(options: SeriesJobOptions) {
    const { target, metric, collector, samples, reader, delays, state, observer, platformClock } = options;
    this.#options = options;
    this.id = `${collector}/${target.product.slug}/${target.by}/${target.id}/${metric}`;
    this.subject = { collector, product: target.product.slug, ...configurationOf(target), metric };
    this.schedule = options.schedule;
    this.weight = options.weight;
    this.group = target.product.api;
    this.#key = countersKey(target, metric);
    this.keeper = new Bookkeeper({
      account: target.account,
      subject: this.subject,
      key: this.#key,
      state,
      delays,
      observer,
      counts: (dimension) => samples.counts(dimension),
      publish: (counters) => this.#publish('total', samples.counters(counters), options.freshUntil()),
    });
    this.#catchUp = new CatchUpJob({ follows: this, keeper: this.keeper, reader, delays, platformClock });
    this.#lastBucket = target.by === 'product' ? EDGE_PRODUCT_LAST_BUCKET : EDGE_LAST_BUCKET;
  }

  cost(): number {
    return this.#options.reader.cost();
  }

  async poll(read: Read, signal: AbortSignal): Promise<PollReport> {
    const { reader, delays } = this.#options;
    const { counters } = this.keeper;
    const answer = await reader.read(read, (now) => counters.freshWindow(now, delays.horizon(now)), signal);
    const { rejected } = answer.decoded;
    const empty = isEmpty(answer.decoded);
    if (empty && rejected.size > 0) throw new RowsRejected(rejected);
    await this.keeper.enter(answer);
    const lastBucketAt = this.#publishGauges(answer);
    const outcome = empty ? 'empty' : 'ok';
    return { outcome, rejected, ...(lastBucketAt === undefined ? {} : { lastBucketAt }) };
  }

  withdraw(): void {
    this.#withdrawn = true;
    this.keeper.close();
    this.#options.store.withdraw(this.#owner('now'));
    this.#options.store.withdraw(this.#owner('total'));
  }

  followUp(): FollowUp | undefined {
    return this.#catchUp.followUp();
  }

  /** The counters that it keeps in the state. */
  get kept(): KeptCounters {
    return { key: this.#key, watermark: this.keeper.counters.watermark };
  }

  get product(): string {
    return this.#options.target.product.slug;
  }

  spanBefore(until: number): CountedSpan | undefined {
    return this.keeper.checkpoints.spanBefore(until);
  }

  async truthOf({ window }: CountedSpan, read: Read, signal: AbortSignal): Promise<number | undefined> {
    const { decoded } = await this.#options.reader.read(read, () => window, signal);
    const counted = this.keeper.counters.record?.counters.keys() ?? [];
    return sumWithin(
      [...counted].flatMap((name) => decoded.series.get(name) ?? []),
      window,
    );
  }

  #publishGauges({ decoded, now }: WindowedAnswer): number | undefined {
    const { target, delays, samples, freshUntil, observer } = this.#options;
    observer.unknownDimensions(target.account, this.subject, samples.unknown(decoded.series.keys()));
    const width = this.keeper.counters.widthOf(decoded);
    if (width === undefined) return undefined;
    const newest = newestBucket(decoded.series, width, now - delays.publish());
    if (newest === undefined) return undefined;
    const still = samples.gauges(decoded.series, this.#shown, width);
    // Where the delay has grown, the bucket already shown is younger than it allows: time does not go back.
    const stays = this.#shown > newest && still.length > 0;
    // Nor where the platform has fallen behind; it does where the platform's clock was set back.
    if (this.#shown > newest && !stays && this.#shown + width <= now) return this.#shown;
    const gauges = stays ? still : samples.gauges(decoded.series, newest, width);
    if (!stays) this.#shown = newest;
    // What is shown is as old as its bucket, however fresh the answer: it must not outlive its bucket's own age.
    const age = Math.max(0, now - delays.publish() - this.#shown - width);
    const samplesNow = [...gauges, samples.lastBucket(this.#lastBucket, this.#shown)];
    this.#publish('now', samplesNow, freshUntil() - age);
    return this.#shown;
  }

  /** What is shown is gone at once when the job is, even if an answer was still being entered. */
  #publish(face: 'now' | 'total', samples: readonly Sample[], until: number): void {
    if (this.#withdrawn) return;
    const { store, platformClock } = this.#options;
    // What has gone stale meanwhile is not shown for a moment, just because it was read anew.
    if (until <= platformClock.localNow()) store.withdraw(this.#owner(face));
    else store.publish(this.#owner(face), samples, until);
  }

  #owner(face: 'now' | 'total'): string {
    return `${this.#options.target.account}/${this.id}/${face}`;
  }
}

function configurationOf({ by, id, name }: Target): Partial<JobSubject> {
  return by === 'product' ? {} : { configuration_id: id, configuration: name };
}
