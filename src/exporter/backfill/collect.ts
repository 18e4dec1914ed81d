import { setMaxListeners } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { Connection, type ConnectionOptions } from '../account/connection.ts';
import type { Clock } from '../clock.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import type { Decoded } from '../decode/decode.ts';
import { GraphqlSource } from '../graphql/graphql-source.ts';
import { Survey } from '../plan/survey.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { type FailureOutcome, PlatformFailure, QUESTIONS, type Read } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import { demandPerMinute } from '../rate-limit/demand-forecast.ts';
import { periodOf } from '../rate-limit/poll-intervals.ts';
import { someStart } from '../series/answer-buckets.ts';
import { answerWidth } from '../series/bucket-width.ts';
import { type Evidence, isTimedOut, type MissingBucketTimeout, missedAgain } from '../series/counter.ts';
import { SeriesJob } from '../series/series-job.ts';
import { SeriesReader, type SeriesReaderOptions } from '../series/series-reader.ts';
import { type SourceReader, wantedBy } from '../series/series-source.ts';
import { doubtAgain, type WidthDoubt } from '../series/width-doubt.ts';
import { type ReadMode, USUAL_SETTLE_MS } from '../settling/learned.ts';
import { FINEST_WINDOW_MS, MINUTE_MS, type Window } from '../settling/window.ts';
import { AccountMemory } from '../state/account-memory.ts';
import { NO_MEMORY } from '../state/state.ts';
import {
  availableAt,
  type HistoryWindow,
  moment,
  nameOf,
  type PlannedSeries,
  targetOf,
} from './history-plan.ts';
import type { BackfillProgress, QuotaWait } from './progress.ts';
import { LongFailure } from './refusal.ts';
import { isWhole, recordOf, type Spool, type SpoolLine, type SpoolRecord, together } from './work-folder.ts';

/** So many series are asked for together where they share operations. */
const SHARED = 1_000;

/** One account of the platform, read for its past. */
export class HistoryAccount {
  readonly #account: AccountConfig;
  readonly #connection: Connection;
  readonly #clock: Clock;
  /** By API, product and metric. */
  readonly #modes = new Map<string, ReadMode>();
  readonly #graphql: GraphqlSource;
  /** APIs that REST answered with 404 where GraphQL had rows. */
  readonly #closed = new Set<PlannedSeries['api']>();
  #demand = 0;

  constructor(account: AccountConfig, options: Omit<ConnectionOptions, 'account' | 'reserve'>) {
    this.#clock = options.clock;
    this.#account = account;
    this.#connection = new Connection({ ...options, account, reserve: () => this.#reserve() });
    const { platformClock, scopes } = this.#connection.platform;
    if (account.source !== 'rest') scopes.apart(QUESTIONS.group, QUESTIONS.assumedLimit);
    const { name, api_url, units, request } = account;
    this.#graphql = new GraphqlSource({
      account: { name, address: api_url },
      memory: new AccountMemory(NO_MEMORY),
      platformClock,
      units,
      mostBytes: request.max_response_bytes,
    });
  }

  get name(): string {
    return this.#account.name;
  }

  /** Maximum number of operations in flight. */
  get concurrency(): number {
    // What is asked for together is one operation by GraphQL: requests in flight are limited where they leave.
    const isShared = this.#account.source === 'graphql' || this.#closed.size > 0;
    return isShared ? SHARED : this.#account.request.concurrency;
  }

  /** Every metric of every target that the exporter would poll, found as it finds them. @throws PlatformFailure */
  async discover(retries: RetryOptions): Promise<PlannedSeries[]> {
    const survey = new Survey({
      account: this.#account,
      scopes: this.#connection.platform.scopes,
      readFor: (group) => this.#connection.operations.readFor(group),
      // What is written with ids for names stays so.
      namesWaitMs: Number.POSITIVE_INFINITY,
    });
    for (const job of survey.jobs()) {
      if (job.subject.collector !== 'discovery' || !this.#isRead(job.group, job.subject.product)) continue;
      await withRetries(async () => {
        const { outcome, reason } = await survey.poll(job, retries.signal);
        if (outcome !== 'ok' && outcome !== 'empty') throw new PlatformFailure(outcome, reason ?? outcome);
      }, retries).catch(unlessNotFound);
    }
    return survey.jobs().flatMap((job) => this.#planned(job));
  }

  /** Learns the platform's time, where no answer has told it, by a read of one of these series. @throws PlatformFailure */
  async askTheTime([first]: readonly PlannedSeries[], retries: RetryOptions): Promise<void> {
    if (first === undefined || this.platformClock.known) return;
    const { reader, read } = this.source(first);
    const newest = (now: number) => ({ from: now - FINEST_WINDOW_MS, to: now });
    await withRetries(() => reader.read(read, newest, retries.signal), retries).catch(unlessNotFound);
  }

  /** Reserves what an exporter with this configuration needs for these series. */
  reserveQuotaFor(series: readonly PlannedSeries[]): void {
    this.#demand = demandOf(this.#account, series);
  }

  /** What the platform has now, as far as its time is known. */
  available(): Window {
    const { settle_delay: delay } = this.#account;
    return availableAt(this.platformClock.now(), typeof delay === 'number' ? delay : USUAL_SETTLE_MS);
  }

  get platformClock(): PlatformClock {
    return this.#connection.platform.platformClock;
  }

  /** How a planned metric is read. */
  source(planned: PlannedSeries): Pick<HistoryReaderOptions, 'reader' | 'read'> {
    const { dimensions = [], top } = this.#account.collectors[planned.api]?.products[planned.product] ?? {};
    const metric = `${planned.api} ${planned.product} ${planned.metric}`;
    const asked = {
      target: targetOf(planned),
      metric: planned.metric,
      wants: wantedBy(dimensions),
      most: top,
      mode: () => this.#modes.get(metric) ?? 'metric',
      // What is planned was found by the exporter's own reads: few of these metrics are missing.
      mayTry: () => true,
      platformClock: this.platformClock,
    };
    const series = this.#readerOf(asked, planned.api);
    const reader = {
      read: async (...question: Parameters<SourceReader['read']>) => {
        const answer = await series.read(...question);
        if (answer.mode !== undefined) this.#modes.set(metric, answer.mode);
        return answer;
      },
    };
    return { reader, read: this.#connection.operations.readFor(planned.api) };
  }

  /** By the source that is configured; or by REST, and by GraphQL where REST does not know what is asked for. */
  #readerOf(asked: SeriesReaderOptions, api: PlannedSeries['api']): Pick<SourceReader, 'read'> {
    const configured = this.#account.collectors[api]?.source ?? this.#account.source;
    const rest: SourceReader = new SeriesReader(asked);
    const other = configured === 'rest' ? undefined : this.#graphql.reader(asked);
    if (other === undefined) return rest;
    const { onlyElsewhere = [] } = asked.target.product;
    // That REST does not know what it never has shows nothing of REST.
    if (configured === 'graphql' || onlyElsewhere.includes(asked.metric)) return other;
    return {
      read: async (...question) => {
        if (this.#closed.has(api)) return other.read(...question);
        try {
          return await rest.read(...question);
        } catch (failure) {
          if (!(failure instanceof PlatformFailure) || failure.outcome !== 'not_found') throw failure;
          const answer = await other.read(...question);
          if (answer.decoded.rows > 0) this.#closed.add(api);
          return answer;
        }
      },
    };
  }

  /** Until when nothing of this account can be read, where its quota is used up and something waits for it. */
  waits(): QuotaWait[] {
    const until = this.#connection.queue.restsUntil(this.#clock.now());
    return until === undefined ? [] : [{ account: this.name, until }];
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #reserve(): number {
    const { quota } = this.#account;
    const { limit = quota.assumed_limit, othersPerMinute } =
      this.#connection.platform.scopes.of('metrics').limiter;
    // What others take is left to them in any case: of an exporter only what it has not taken yet comes on top.
    return leftAlone(quota.reserve, Math.max(0, this.#demand - othersPerMinute), limit);
  }

  #isRead(group: string, product: string | undefined): boolean {
    const { metrics, analytics } = this.#account.collectors;
    const collector = group === 'metrics' ? metrics : analytics;
    return collector?.products[product ?? '']?.by.includes('configuration') ?? false;
  }

  #planned(job: Job): PlannedSeries[] {
    if (!(job instanceof SeriesJob)) return [];
    const { target, metric } = job;
    const { product, by, id, name, owner } = target;
    const own = owner === undefined ? {} : { owner };
    return [
      { account: this.#account.name, api: product.api, product: product.slug, by, id, name, metric, ...own },
    ];
  }
}

/** A product that the account does not have is not listed; the others are. */
function unlessNotFound(error: unknown): void {
  if (!(error instanceof PlatformFailure) || error.outcome !== 'not_found') throw error;
}

/** The history gets at least this share of the limit (0 to 1), whatever the exporter needs, so that it finishes. */
const LEAST_SHARE = 0.1;

/** The share of a limit that a history leaves alone: the reserve, and what an exporter of the same configuration needs. */
export function leftAlone(reserve: number, demand: number, limit: number): number {
  return Math.max(reserve, Math.min(1 - LEAST_SHARE, reserve + demand / limit));
}

/** Operations per minute by which an exporter keeps up with these series. */
export function demandOf({ collectors }: AccountConfig, series: readonly PlannedSeries[]): number {
  const demands = series.flatMap(({ api, product }) => {
    const collector = collectors[api];
    const schedule = collector?.products[product]?.schedule ?? collector?.schedule;
    if (schedule === undefined) return [];
    return [{ periodMs: periodOf(schedule).mean, cost: 1, weight: 1 }];
  });
  return demandPerMinute(demands);
}

/** One metric of one target, how it is read, and where what was read is kept. */
export interface Collected {
  readonly planned: PlannedSeries;
  readonly spool: Spool;
  readonly source: Pick<HistoryReaderOptions, 'reader' | 'read'>;
}

interface CollectOptions {
  readonly concurrency: number;
  readonly series: readonly Collected[];
  readonly windows: readonly HistoryWindow[];
  /** The end of the range (ms). */
  readonly end: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly progress: BackfillProgress;
}

/** Reads what spools lack, the oldest window of each first. @throws LongFailure, and the signal's reason when it aborts */
export function collect(options: CollectOptions): Promise<void> {
  const { concurrency, signal } = options;
  return inParallel(missing(options), concurrency, (work, ending) => read(work, ending, options), signal);
}

interface Work {
  readonly one: Collected;
  readonly window: HistoryWindow;
}

function* missing({ windows, series }: CollectOptions): Generator<Work> {
  for (const window of windows) {
    for (const one of series) {
      // Looked at when its turn comes: by then another window may have shown that there is nothing to read.
      if (!one.spool.vanished && !one.spool.has(window.index)) yield { one, window };
    }
  }
}

async function read({ one, window }: Work, signal: AbortSignal, options: CollectOptions): Promise<void> {
  const { clock, end, progress, windows } = options;
  const { planned, spool, source } = one;
  const metric = nameOf(planned);
  const from = moment(window.from);
  try {
    const onRetry = ({ message: reason }: PlatformFailure, pause: number) =>
      progress.log.warn({ metric, from, reason, retry_seconds: pause / 1_000 }, 'reading a window failed');
    const line = await readWindow(window, { ...source, clock, end, signal, onRetry });
    const advanced = await spool.append(line, windows.length);
    progress.advance(advanced);
    if ('vanished' in line && advanced > 0)
      progress.log.warn({ metric }, 'the platform does not have this metric');
  } catch (failure) {
    if (!(failure instanceof PlatformFailure)) throw failure;
    const { message, outcome } = failure;
    throw new LongFailure(`${metric}, ${from} to ${moment(window.to)}: ${message} (${outcome})`);
  }
}

/** Works on items, several at once, in their order. The first failure aborts what is under way, and is thrown. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, failed.signal]);
  // Each worker waits on it in its own way; more than ten at once are no leak.
  setMaxListeners(0, ending);
  const iterator = items[Symbol.iterator]();
  const worker = async () => {
    try {
      for (let next = iterator.next(); !next.done; next = iterator.next()) {
        ending.throwIfAborted();
        await work(next.value, ending);
      }
    } catch (error) {
      failed.abort(error);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  ending.throwIfAborted();
}

export interface HistoryReaderOptions extends RetryOptions {
  readonly reader: Pick<SourceReader, 'read'>;
  readonly read: Read;
  /** The end of the range (ms): buckets that end later are not waited for. */
  readonly end: number;
}

/** Buckets count as missing from the platform when a whole answer brings nothing new, or after this many answers. */
const BELIEVED: MissingBucketTimeout = { after: 0, whole: 1, asked: 5 };

/**
 * Reads one window of a metric, until nothing is missing or it is believed to be: a damaged answer must not cost a
 * bucket, and a bucket that there never was must not hold up the history. What several answers bring is put together.
 * @throws PlatformFailure when it keeps failing
 */
export async function readWindow(window: HistoryWindow, options: HistoryReaderOptions): Promise<SpoolLine> {
  let evidence: Evidence = { since: 0, until: 0, asked: 0, whole: 0 };
  let doubt: WidthDoubt | undefined;
  let known: SpoolRecord | undefined;
  for (;;) {
    const ask = moved(window.ask, (doubt?.answers ?? 0) * MINUTE_MS, options.end);
    const { reader, read, signal } = options;
    const answer = await withRetries(() => reader.read(read, () => ask, signal), options).catch(vanished);
    if (answer === undefined) return { vanished: true };
    const { decoded } = answer;
    if (widthOf(decoded, doubt) === undefined) doubt = doubtAgain(doubt, decoded, options.clock.now());
    const width = widthOf(decoded, doubt);
    const inDoubt = width === undefined && decoded.width !== undefined;
    const before = known;
    known = together(before, recordOf(window, decoded.series, inDoubt ? MINUTE_MS : width));
    const sound = decoded.rejected.size === 0 && !inDoubt;
    if (sound && isWhole(known, window, options.end)) return known;
    const bringsNothing = someStart(decoded) !== undefined && isDeepStrictEqual(known, before);
    evidence = missedAgain(evidence, bringsNothing && !inDoubt, options.clock.now());
    if (isTimedOut(evidence, BELIEVED)) return known;
  }
}

function widthOf(decoded: Decoded, doubt: WidthDoubt | undefined): number | undefined {
  return answerWidth(decoded, { known: undefined, seen: undefined, doubt });
}

/** An answer that loses every second row brings others for a window that begins at another minute. */
function moved({ from, to }: Window, by: number, end: number): Window {
  return to + by <= end ? { from: from + by, to: to + by } : { from: from - by, to: to - by };
}

/** The platform knows no such metric, or no longer the configuration: there is nothing to read, now or later. */
function vanished(error: unknown): undefined {
  if (error instanceof PlatformFailure && error.outcome === 'not_found') return undefined;
  throw error;
}

export interface RetryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called for every failure that is retried, with the delay (ms). */
  readonly onRetry: (failure: PlatformFailure, pause: number) => void;
}

/** How long something may keep failing before backfill gives up. */
export const RETRY_TIMEOUT_MS = 15 * 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Failures that a retry does not change. */
const FINAL: readonly FailureOutcome[] = ['unauthorized', 'forbidden', 'not_acceptable'];

/** "Not found" may be temporary, but not this many times in a row. */
const NOT_FOUND_TRIES = 3;

/** Retries until it succeeds, with growing pauses. @throws PlatformFailure a final one, or the last when time is over */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, signal, onRetry } = options;
  let failingSince: number | undefined;
  let notFound = 0;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (failure) {
      if (!(failure instanceof PlatformFailure) || FINAL.includes(failure.outcome)) throw failure;
      notFound = failure.outcome === 'not_found' ? notFound + 1 : 0;
      failingSince ??= clock.now();
      if (notFound >= NOT_FOUND_TRIES || clock.now() - failingSince >= RETRY_TIMEOUT_MS) throw failure;
      onRetry(failure, pause);
      await clock.sleep(pause, signal);
    }
  }
}
