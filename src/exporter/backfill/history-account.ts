import { Connection, credentialsFrom } from '../account/connection.ts';
import type { Clock } from '../clock.ts';
import type { Progress, QuotaWait } from '../command-line/progress.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { GraphqlSource } from '../graphql/graphql-source.ts';
import { Survey } from '../plan/survey.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, QUESTIONS } from '../platform/read.ts';
import { periodOf } from '../rate-limit/poll-intervals.ts';
import type { Secret } from '../secret.ts';
import { RestSource, type RestSourceOptions } from '../series/rest-source.ts';
import { wantedBy } from '../series/series-source.ts';
import { FINEST_WINDOW_MS, MINUTE_MS } from '../settling/window.ts';
import { type RetryOptions, withRetries } from './attempts.ts';
import { GroupedReads } from './grouped-reads.ts';
import { type Available, availableAt, type PlannedSeries, targetOf } from './history-plan.ts';
import type { ReadSeries } from './read-window.ts';
import { BackfillRefusal } from './refusal.ts';

/** Reads in flight where many share an operation. */
const SHARED = 1_000;

interface HistoryAccountOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly guard: (secret: Secret) => void;
  readonly progress: Progress;
}

/** One account of the platform, read for its past. */
export class HistoryAccount {
  readonly #account: AccountConfig;
  readonly #options: HistoryAccountOptions;
  readonly #connection: Connection;
  readonly #grouped: GroupedReads;
  /** APIs that REST answered with 404 where GraphQL had rows. */
  readonly #closed = new Set<PlannedSeries['api']>();
  /** Operations per minute that an exporter with this configuration needs. */
  #demand = 0;
  #hasAnswered = false;

  constructor(account: AccountConfig, options: HistoryAccountOptions) {
    const { clock, guard, progress } = options;
    const { name, units, request } = account;
    const onNotice = (_: string, text: string) => progress.log.warn({ account: name }, text);
    this.#account = account;
    this.#options = options;
    this.#connection = new Connection({
      account,
      clock,
      credentials: credentialsFrom(clock, { guard, onNotice }),
      observer: { exchanged: () => progress.count() },
      reserve: () => this.#reserve(),
    });
    const { platformClock, scopes } = this.#connection.platform;
    if (account.source !== 'rest') scopes.apart(QUESTIONS.group, QUESTIONS.assumedLimit);
    const graphql = new GraphqlSource({
      platformClock,
      units,
      mostBytes: request.max_response_bytes,
    });
    this.#grouped = new GroupedReads(graphql, this.#connection.operations.readFor(QUESTIONS.group));
  }

  get name(): string {
    return this.#account.name;
  }

  /** Maximum number of reads in flight. */
  get concurrency(): number {
    const isShared = this.#account.source === 'graphql' || this.#closed.size > 0;
    return isShared ? SHARED : this.#account.request.concurrency;
  }

  /**
   * Lists every series that the exporter would poll, and learns the platform's time.
   * @throws BackfillRefusal also if nothing that was asked for is there: then the address is wrong
   */
  async discover(): Promise<PlannedSeries[]> {
    try {
      return await this.#discovered();
    } catch (error) {
      if (!(error instanceof PlatformFailure)) throw error;
      throw new BackfillRefusal(`account ${this.name}: ${error.message} (${error.outcome})`);
    }
  }

  async #discovered(): Promise<PlannedSeries[]> {
    const { signal } = this.#options;
    let missing: PlatformFailure | undefined;
    const survey = new Survey({
      account: this.#account,
      scopes: this.#connection.platform.scopes,
      readFor: (group) => this.#connection.operations.readFor(group),
      // A history that is written with ids for names stays so.
      namesWaitMs: Number.POSITIVE_INFINITY,
    });
    for (const job of survey.jobs()) {
      if (job.subject.collector !== 'discovery' || !this.#isRead(job.group, job.subject.product)) continue;
      const list = async () => {
        const { outcome, reason } = await survey.poll(job, signal);
        if (outcome !== 'ok' && outcome !== 'empty') throw new PlatformFailure(outcome, reason ?? outcome);
      };
      missing = (await this.#asked(list)) ?? missing;
    }
    if (missing !== undefined && !this.#hasAnswered) throw missing;
    const series = this.#planned(survey);
    const [first] = series;
    if (first === undefined || this.platformClock.known) return series;
    // No list has shown the platform's time: a read does.
    const now = this.platformClock.now();
    const read = this.reader(first);
    await this.#asked(() => read({ from: now - FINEST_WINDOW_MS, to: now }, signal));
    return series;
  }

  /** History of the platform, as far as its time is known. */
  get available(): Available {
    return availableAt(this.platformClock.now(), this.#account.settle_delay);
  }

  get platformClock(): PlatformClock {
    return this.#connection.platform.platformClock;
  }

  /**
   * Returns the reader of a series: of the source that is configured, or of GraphQL where REST does not know it. What an
   * exporter needs for the series is left alone from now on.
   */
  reader(planned: PlannedSeries): ReadSeries {
    const { api, product, metric } = planned;
    const collector = this.#account.collectors[api];
    const { dimensions = [], top, schedule = collector?.schedule } = collector?.products[product] ?? {};
    if (schedule !== undefined) this.#demand += MINUTE_MS / periodOf(schedule).mean;
    const wants = wantedBy(dimensions);
    const target = targetOf(planned);
    const asked: RestSourceOptions = {
      target,
      metric,
      wants,
      mode: () => 'metric',
      // The exporter's own reads have found the series: few of these metrics are missing.
      mayTry: () => true,
      platformClock: this.platformClock,
    };
    const source = collector?.source ?? this.#account.source;
    const rest = new RestSource(asked);
    const readByRest = this.#connection.operations.readFor(api);
    const isElsewhere = source === 'graphql' || target.product.onlyElsewhere?.includes(metric) === true;
    const byRest: ReadSeries = (window, signal) => rest.answer(readByRest, () => window, signal);
    if (source === 'rest' || !GraphqlSource.has(target.product, metric)) return byRest;
    const id = JSON.stringify([api, product, target.by, target.id, metric]);
    const byGraphql: ReadSeries = (window, signal, names) => {
      const series = { id, target, metric, wants, top, schedule: '', counterNames: () => names ?? [] };
      return this.#grouped.read(series, window, names !== undefined, signal);
    };
    return async (window, signal, names) => {
      if (isElsewhere || this.#closed.has(api)) return byGraphql(window, signal, names);
      try {
        return await byRest(window, signal);
      } catch (failure) {
        if (!(failure instanceof PlatformFailure) || failure.outcome !== 'not_found') throw failure;
        const answer = await byGraphql(window, signal, names);
        if (answer.decoded.rows > 0) this.#closed.add(api);
        return answer;
      }
    };
  }

  /** Returns the time until which nothing of this account can be read because its quota is used up. */
  waits(): QuotaWait[] {
    const until = this.#connection.queue.restsUntil(this.#options.clock.now());
    return until === undefined ? [] : [{ account: this.name, until }];
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Asks with retries. Returns the failure of a product that the account does not have. @throws PlatformFailure any other */
  async #asked(ask: () => Promise<unknown>): Promise<PlatformFailure | undefined> {
    const { clock, signal, progress } = this.#options;
    const onRetry: RetryOptions['onRetry'] = ({ message: reason }, pause) => {
      const facts = { account: this.name, reason, retry_seconds: pause / 1_000 };
      progress.log.warn(facts, 'the platform could not list what to read');
    };
    const isAddressInDoubt = () => !this.#hasAnswered;
    try {
      await withRetries(ask, { clock, signal, onRetry, isAddressInDoubt });
      this.#hasAnswered = true;
      return undefined;
    } catch (failure) {
      if (failure instanceof PlatformFailure && failure.outcome === 'not_found') return failure;
      throw failure;
    }
  }

  #reserve(): number {
    const { quota } = this.#account;
    const { limit = quota.assumed_limit, othersPerMinute } =
      this.#connection.platform.scopes.of('metrics').limiter;
    // Operations of others are left to them in any case: only the rest of the exporter's comes on top.
    return leftAlone(quota.reserve, Math.max(0, this.#demand - othersPerMinute), limit);
  }

  #isRead(group: string, product: string | undefined): boolean {
    const { metrics, analytics } = this.#account.collectors;
    const collector = group === 'metrics' ? metrics : analytics;
    return collector?.products[product ?? '']?.by.includes('configuration') ?? false;
  }

  #planned({ targets, sources }: Survey): PlannedSeries[] {
    const planned: PlannedSeries[] = [];
    for (const read of targets.products) {
      for (const { target, metric } of targets.reads(read)) {
        const { product, by, id, name, owner } = target;
        if (sources.sourceOf(product, metric, by) === undefined) continue;
        const own = owner === undefined ? {} : { owner };
        planned.push({
          account: this.name,
          api: product.api,
          product: product.slug,
          by,
          id,
          name,
          metric,
          ...own,
        });
      }
    }
    return planned;
  }
}

/** Least share of the limit (0 to 1) that the history gets, so that it finishes. */
const LEAST_SHARE = 0.1;

/** Returns the share of a limit that a history leaves alone: the reserve, and the needs of an exporter (operations per minute). */
export function leftAlone(reserve: number, demand: number, limit: number): number {
  return Math.max(reserve, Math.min(1 - LEAST_SHARE, reserve + demand / limit));
}
