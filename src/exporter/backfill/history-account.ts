import { Connection, credentialsFrom } from '../account/connection.ts';
import { SourceProbe } from '../account/source-probe.ts';
import type { Clock } from '../clock.ts';
import type { Progress, QuotaWait } from '../command-line/progress.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { type GraphqlSeries, GraphqlSource } from '../graphql/graphql-source.ts';
import { Survey } from '../plan/survey.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, QUESTIONS } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import { periodOf } from '../rate-limit/poll-intervals.ts';
import type { Secret } from '../secret.ts';
import { RestSource } from '../series/rest-source.ts';
import { type SourceName, wantedBy } from '../series/series-source.ts';
import { FINEST_WINDOW_MS, MINUTE_MS } from '../settling/window.ts';
import { type RetryOptions, withRetries } from './attempts.ts';
import { type Available, availableAt, type PlannedSeries, targetOf } from './history-plan.ts';
import type { HistoryUnit, ReadSeries } from './read-window.ts';
import { BackfillRefusal } from './refusal.ts';

/** A series of a plan, in the form that a source reads. */
interface AskedSeries extends GraphqlSeries {
  /** Number of the series in the plan. */
  readonly number: number;
  readonly source: SourceName;
}

interface HistoryAccountOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly guard: (secret: Secret) => void;
  readonly progress: Progress;
}

/** Reads the past of one account of the platform. */
export class HistoryAccount {
  readonly #account: AccountConfig;
  readonly #options: HistoryAccountOptions;
  readonly #connection: Connection;
  readonly #graphql: GraphqlSource;
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
    this.#graphql = new GraphqlSource({
      platformClock,
      units,
      mostBytes: request.max_response_bytes,
    });
  }

  get name(): string {
    return this.#account.name;
  }

  /** Maximum number of reads in flight. */
  get concurrency(): number {
    return this.#account.request.concurrency;
  }

  /**
   * Lists every series that the exporter would poll, and learns the platform's time.
   * @throws BackfillRefusal also if nothing was found, because the address is then wrong
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
      // A history that starts with ids instead of names keeps them, so the names are awaited.
      namesWaitMs: Number.POSITIVE_INFINITY,
    });
    const poll = (job: Job) =>
      this.#asked(async () => {
        const { outcome, reason } = await survey.poll(job, signal);
        if (outcome !== 'ok' && outcome !== 'empty') throw new PlatformFailure(outcome, reason ?? outcome);
      });
    for (const job of survey.jobs())
      if (job.subject.collector === 'discovery' && this.#isRead(job.group, job.subject.product))
        missing = (await poll(job)) ?? missing;
    // The source of the series is probed once the series are known.
    for (const job of survey.jobs()) if (job instanceof SourceProbe) missing = (await poll(job)) ?? missing;
    if (missing !== undefined && !this.#hasAnswered) throw missing;
    const series = this.#planned(survey);
    const [first] = series;
    if (first === undefined || this.platformClock.known) return series;
    // No list has shown the platform's time, so a read determines it.
    const now = this.platformClock.now();
    const [unit] = this.units(new Map([[0, first]]));
    const window = { from: now - FINEST_WINDOW_MS, to: now };
    await this.#asked(async () => unit?.read([{ number: 0, names: undefined }], window, signal));
    return series;
  }

  /** History that the platform has, according to its known time. */
  get available(): Available {
    return availableAt(this.platformClock.now(), this.#account.settle_delay);
  }

  get platformClock(): PlatformClock {
    return this.#connection.platform.platformClock;
  }

  /**
   * Returns the series of a plan in units of reading: single series by REST, groups by GraphQL. From then on, reserves the
   * operations that an exporter needs for these series.
   */
  units(planned: ReadonlyMap<number, PlannedSeries>): HistoryUnit[] {
    const asked = [...planned].map(([number, series]) => ({ number, ...this.#askedOf(series) }));
    const alone = asked.filter(({ source }) => source === 'rest').map((one) => [one]);
    const groups = this.#graphql.groups(asked.filter(({ source }) => source === 'graphql'));
    return [...alone, ...groups.map(({ series }) => series)].flatMap((together) => {
      const [first] = together;
      if (first === undefined) return [];
      if (first.schedule !== '') this.#demand += MINUTE_MS / periodOf(first.schedule).mean;
      return [{ numbers: together.map(({ number }) => number), read: this.#reader(first, together) }];
    });
  }

  #askedOf(planned: PlannedSeries): Omit<AskedSeries, 'number'> {
    const { api, product, metric, source } = planned;
    const collector = this.#account.collectors[api];
    const { dimensions = [], top, schedule = collector?.schedule ?? '' } = collector?.products[product] ?? {};
    const target = targetOf(planned);
    const id = JSON.stringify([api, product, target.by, target.id, metric]);
    return { id, target, metric, source, wants: wantedBy(dimensions), top, schedule, counterNames: () => [] };
  }

  #reader(first: AskedSeries, together: readonly AskedSeries[]): ReadSeries {
    const { platformClock } = this;
    // The exporter's reads have found the series, so few of these metrics are missing.
    const options = { ...first, mode: () => 'metric' as const, mayTry: () => true, platformClock };
    const source = first.source === 'rest' ? new RestSource(options) : this.#graphql.source(0);
    const read = this.#connection.operations.readFor(source.group);
    return async (asked, window, signal) => {
      const names = new Map(asked.map((one) => [one.number, one.names]));
      const series = together
        .filter(({ number }) => names.has(number))
        .map((one) => ({ ...one, counterNames: () => names.get(one.number) ?? [] }));
      const isPast = asked.some((one) => one.names !== undefined);
      const { answers } = await source.read({ series, window: () => window, isPast }, read, signal);
      return new Map(answers.map(([{ number }, answer]) => [number, answer]));
    };
  }

  /** Returns the wait of this account while its quota is exhausted; empty otherwise. */
  waits(): QuotaWait[] {
    const until = this.#connection.queue.restsUntil(this.#options.clock.now());
    return until === undefined ? [] : [{ account: this.name, until }];
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Sends a request with retries. Returns the failure of a product that the account lacks. @throws any other PlatformFailure */
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
    // Operations of other clients are reserved anyway: only the rest of the exporter's demand is added.
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
        const source = sources.sourceOf(product, metric, by);
        if (source === undefined) continue;
        const own = owner === undefined ? {} : { owner };
        planned.push({
          account: this.name,
          api: product.api,
          product: product.slug,
          by,
          id,
          name,
          metric,
          source,
          ...own,
        });
      }
    }
    return planned;
  }
}

/** Minimum share of the limit (0 to 1) for the history, so that it finishes. */
const LEAST_SHARE = 0.1;

/** Returns the share of a limit that a history does not use: the reserve, and the demand of an exporter (operations per minute). */
export function leftAlone(reserve: number, demand: number, limit: number): number {
  return Math.max(reserve, Math.min(1 - LEAST_SHARE, reserve + demand / limit));
}
