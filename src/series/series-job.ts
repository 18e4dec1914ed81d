import type { Family, Sample } from '../catalogue/family.ts';
import { EDGE_LAST_BUCKET, EDGE_PRODUCT_LAST_BUCKET } from '../catalogue/platform-families.ts';
import type { Store } from '../exposition/store.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import type { Job, JobSubject, PollReport } from '../schedule/job.ts';
import type { State } from '../state/state.ts';
import { type Entry, SeriesBook, type WindowedAnswer } from './series-book.ts';
import type { SeriesReader } from './series-reader.ts';
import { newestBucket, type SeriesSamples } from './series-samples.ts';
import { bookKey, restoreBook, storeBook } from './series-state.ts';
import type { Target } from './target.ts';
import type { Window } from './window.ts';

/** The delays of one metric, asked for at each poll since they may be learned. */
export interface Delays {
  /** Age at which a bucket is shown as a gauge. */
  publish(): number;
  /** Age at which a bucket is counted. */
  settle(): number;
}

/** Told of what an answer brought, to be measured. */
export interface SeriesObserver {
  entered(account: string, subject: JobSubject, entry: Entry, answer: WindowedAnswer): void;
  unknownDimensions(account: string, subject: JobSubject, dimensions: readonly string[]): void;
}

export interface SeriesJobOptions {
  readonly target: Target;
  readonly metric: string;
  readonly collector: string;
  readonly schedule: string;
  readonly weight: number;
  readonly reader: SeriesReader;
  readonly samples: SeriesSamples;
  readonly delays: Delays;
  readonly state: State;
  readonly store: Store;
  readonly platformClock: PlatformClock;
  readonly observer: SeriesObserver;
  /** Until when (local ms) what is published now may be shown without being renewed. */
  readonly freshUntil: () => number;
}

/** How much less the past matters than the present: catching up is done, but behind fresh work. */
const CATCH_UP_WEIGHT = 0.25;

/** How long after a catch-up that brought nothing the next one may leave. */
const CATCH_UP_RETRY_MS = 5 * 60_000;

/** Polls one metric of one target: window, read, decode, settle, commit, publish. */
export class SeriesJob implements Job {
  readonly id: string;
  readonly subject: JobSubject;
  readonly schedule: string;
  readonly weight: number;
  readonly group: string;
  readonly #options: SeriesJobOptions;
  readonly #book: SeriesBook;
  readonly #family: Family;
  /** Answers are entered one after another: a fresh read and a catch-up may come back at the same time. */
  #entering: Promise<unknown> = Promise.resolve();
  readonly #catchUpJob: Job;
  #catchUpNotBefore = 0;
  #withdrawn = false;

  constructor(options: SeriesJobOptions) {
    const { target, metric, collector, schedule, weight, state } = options;
    this.#options = options;
    this.id = `${collector}/${target.product.slug}/${target.by}/${target.id}/${metric}`;
    const configuration =
      target.by === 'product' ? {} : { configuration_id: target.id, configuration: target.name };
    this.subject = { collector, product: target.product.slug, ...configuration, metric };
    this.schedule = schedule;
    this.weight = weight;
    this.#book = new SeriesBook(
      (dimension) => options.samples.counts(dimension),
      restoreBook(state.get(bookKey(target, metric))),
    );
    this.group = target.product.api;
    this.#catchUpJob = this.#followingJob();
    this.#family = target.by === 'product' ? EDGE_PRODUCT_LAST_BUCKET : EDGE_LAST_BUCKET;
  }

  cost(): number {
    return this.#options.reader.cost();
  }

  async poll(read: Read, signal: AbortSignal): Promise<PollReport> {
    const settle = this.#options.delays.settle();
    const answer = await this.#options.reader.read(
      read,
      (now) => this.#book.freshWindow(now, settle),
      signal,
    );
    await this.#enter(answer);
    const lastBucketAt = this.#publishGauges(answer);
    const { rejected, series } = answer.decoded;
    const outcome = series.size === 0 ? 'empty' : 'ok';
    return { outcome, rejected, ...(lastBucketAt === undefined ? {} : { lastBucketAt }) };
  }

  withdraw(): void {
    this.#withdrawn = true;
    this.#options.store.withdraw(this.#owner('now'));
    this.#options.store.withdraw(this.#owner('total'));
  }

  followUp(): { job: Job; notBefore: number } | undefined {
    const { platformClock, delays } = this.#options;
    const window = this.#book.catchUpWindow(platformClock.now(), delays.settle());
    return window === undefined ? undefined : { job: this.#catchUpJob, notBefore: this.#catchUpNotBefore };
  }

  async #catchUp(read: Read, signal: AbortSignal): Promise<PollReport> {
    const { reader, delays, platformClock } = this.#options;
    const settle = delays.settle();
    const before = this.#book.mark;
    const window = (now: number): Window =>
      this.#book.catchUpWindow(now, settle) ?? this.#book.freshWindow(now, settle);
    this.#catchUpNotBefore = platformClock.localNow() + CATCH_UP_RETRY_MS;
    const answer = await reader.read(read, window, signal);
    await this.#enter(answer);
    if (this.#book.mark !== before) this.#catchUpNotBefore = 0;
    return { outcome: answer.decoded.series.size === 0 ? 'empty' : 'ok', rejected: answer.decoded.rejected };
  }

  /** Commits what an answer changes in the counters, and only then shows it. */
  #enter(answer: WindowedAnswer): Promise<void> {
    const entering = this.#entering.then(() => this.#commit(answer));
    this.#entering = entering.catch(() => undefined);
    return entering;
  }

  async #commit(answer: WindowedAnswer): Promise<void> {
    const { delays, state, target, metric, samples, freshUntil, observer } = this.#options;
    const entry = this.#book.draft(answer, delays.settle());
    if (entry === undefined) return;
    const begins = this.#book.record === undefined && entry.record.ledgers.size > 0;
    if (begins || entry.counted + entry.givenUp > 0) {
      await state.commit([{ key: bookKey(target, metric), value: storeBook(entry.record) }]);
    }
    this.#book.enter(entry, answer);
    observer.entered(target.account, this.subject, entry, answer);
    this.#publish('total', samples.counters(entry.record.ledgers), freshUntil());
  }

  #publishGauges({ decoded, now }: WindowedAnswer): number | undefined {
    const { target, delays, samples, freshUntil, observer } = this.#options;
    const width = this.#book.widthOf(decoded);
    if (width === undefined) return undefined;
    const bucket = newestBucket(decoded.series, width, now - delays.publish());
    observer.unknownDimensions(target.account, this.subject, samples.unknown(decoded.series.keys()));
    if (bucket === undefined) return undefined;
    // What is shown is as old as its bucket, however fresh the answer: it must not outlive its bucket's own age.
    const age = now - delays.publish() - bucket - width;
    const gauges = samples.gauges(decoded.series, bucket, width);
    this.#publish('now', [...gauges, samples.lastBucket(this.#family, bucket)], freshUntil() - age);
    return bucket;
  }

  /** What is shown is gone at once when the job is, even if an answer was still being entered. */
  #publish(face: 'now' | 'total', samples: readonly Sample[], until: number): void {
    if (!this.#withdrawn) this.#options.store.publish(this.#owner(face), samples, until);
  }

  #followingJob(): Job {
    return {
      id: `${this.id}/catch-up`,
      subject: this.subject,
      schedule: undefined,
      group: this.group,
      weight: this.weight * CATCH_UP_WEIGHT,
      follows: this,
      cost: () => this.cost(),
      poll: (read, signal) => this.#catchUp(read, signal),
      followUp: () => this.followUp(),
    };
  }

  #owner(face: 'now' | 'total'): string {
    return `${this.#options.target.account}/${this.id}/${face}`;
  }
}
