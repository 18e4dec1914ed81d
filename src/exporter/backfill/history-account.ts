import { Connection, type ConnectionOptions } from '../account/connection.ts';
import type { Clock } from '../clock.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { GraphqlSource } from '../graphql/graphql-source.ts';
import { Survey } from '../plan/survey.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, QUESTIONS } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import { demandPerMinute } from '../rate-limit/demand-forecast.ts';
import { periodOf } from '../rate-limit/poll-intervals.ts';
import { SeriesJob } from '../series/series-job.ts';
import { SeriesReader, type SeriesReaderOptions } from '../series/series-reader.ts';
import { type WindowReader, wantedBy } from '../series/series-source.ts';
import { type ReadMode, USUAL_SETTLE_MS } from '../settling/learned.ts';
import { FINEST_WINDOW_MS, type Window } from '../settling/window.ts';
import { AccountMemory } from '../state/account-memory.ts';
import { NO_MEMORY } from '../state/state.ts';
import { type HistoryReaderOptions, type RetryOptions, withRetries } from './collect.ts';
import { availableAt, type PlannedSeries, targetOf } from './history-plan.ts';
import type { QuotaWait } from './progress.ts';

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
  #hasAnswered = false;

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

  /**
   * Every metric of every target that the exporter would poll, found as it finds them.
   * @throws PlatformFailure also where nothing that was asked for is there: then the address is wrong
   */
  async discover(retries: RetryOptions): Promise<PlannedSeries[]> {
    let missing: PlatformFailure | undefined;
    const survey = new Survey({
      account: this.#account,
      scopes: this.#connection.platform.scopes,
      readFor: (group) => this.#connection.operations.readFor(group),
      // What is written with ids for names stays so.
      namesWaitMs: Number.POSITIVE_INFINITY,
    });
    for (const job of survey.jobs()) {
      if (job.subject.collector !== 'discovery' || !this.#isRead(job.group, job.subject.product)) continue;
      const list = async () => {
        const { outcome, reason } = await survey.poll(job, retries.signal);
        if (outcome !== 'ok' && outcome !== 'empty') throw new PlatformFailure(outcome, reason ?? outcome);
      };
      missing = (await this.#asked(list, retries)) ?? missing;
    }
    if (missing !== undefined && !this.#hasAnswered) throw missing;
    return survey.jobs().flatMap((job) => this.#planned(job));
  }

  /** Learns the platform's time, where no answer has told it, by a read of one of these series. @throws PlatformFailure */
  async askTheTime([first]: readonly PlannedSeries[], retries: RetryOptions): Promise<void> {
    if (first === undefined || this.platformClock.known) return;
    const { reader, read } = this.source(first);
    const newest = (now: number) => ({ from: now - FINEST_WINDOW_MS, to: now });
    await this.#asked(() => reader.read(read, newest, retries.signal), retries);
  }

  /**
   * Asks with retries. A product that the account does not have is not listed, the others are: that failure is returned.
   * @throws PlatformFailure any other
   */
  async #asked(ask: () => Promise<unknown>, retries: RetryOptions): Promise<PlatformFailure | undefined> {
    try {
      await withRetries(ask, { ...retries, isAddressInDoubt: () => !this.#hasAnswered });
      this.#hasAnswered = true;
      return undefined;
    } catch (failure) {
      if (failure instanceof PlatformFailure && failure.outcome === 'not_found') return failure;
      throw failure;
    }
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
      top,
      mode: () => this.#modes.get(metric) ?? 'metric',
      // What is planned was found by the exporter's own reads: few of these metrics are missing.
      mayTry: () => true,
      platformClock: this.platformClock,
    };
    const series = this.#readerOf(asked, planned.api);
    const reader = {
      read: async (...question: Parameters<WindowReader['read']>) => {
        const answer = await series.read(...question);
        if (answer.mode !== undefined) this.#modes.set(metric, answer.mode);
        return answer;
      },
    };
    return { reader, read: this.#connection.operations.readFor(planned.api) };
  }

  /** By the source that is configured; or by REST, and by GraphQL where REST does not know what is asked for. */
  #readerOf(asked: SeriesReaderOptions, api: PlannedSeries['api']): WindowReader {
    const configured = this.#account.collectors[api]?.source ?? this.#account.source;
    const rest: WindowReader = new SeriesReader(asked);
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
    return [...job.series].map(({ target, metric }) => {
      const { product, by, id, name, owner } = target;
      const own = owner === undefined ? {} : { owner };
      return {
        account: this.#account.name,
        api: product.api,
        product: product.slug,
        by,
        id,
        name,
        metric,
        ...own,
      };
    });
  }
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
