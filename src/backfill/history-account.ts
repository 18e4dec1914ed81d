import { Connection, type ConnectionOptions } from '../account/connection.ts';
import { productOf } from '../catalogue/products.ts';
import type { Clock } from '../clock.ts';
import type { Account } from '../configuration/schema.ts';
import { Survey } from '../plan/survey.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { JobSubject } from '../poll/job.ts';
import { ReadModes, SeriesReader } from '../series/series-reader.ts';
import { FINEST_WINDOW_MS } from '../settling/window.ts';
import { wantedDimensions } from '../targets/target.ts';
import { type PlannedSeries, targetOf } from './history-plan.ts';
import { type Available, availableAt } from './history-range.ts';
import type { HistoryReaderOptions } from './history-reader.ts';
import { demandOf, leftAlone } from './left-over.ts';
import type { QuotaWait } from './progress.ts';
import { type RetryOptions, withRetries } from './retry.ts';

/** Of series whose delay is learned, as long as nothing has been. */
const USUAL_SETTLE_DELAY_MS = 10 * 60_000;

/** One account of the platform, read for its past. */
export class HistoryAccount {
  readonly #account: Account;
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #modes = new ReadModes();
  #demand = 0;

  constructor(account: Account, options: Omit<ConnectionOptions, 'account' | 'reserve'>) {
    this.#clock = options.clock;
    this.#account = account;
    this.#connection = new Connection({ ...options, account, reserve: () => this.#reserve() });
  }

  get name(): string {
    return this.#account.name;
  }

  /** Maximum number of operations in flight. */
  get concurrency(): number {
    return this.#account.request.concurrency;
  }

  /**
   * Every metric of every target that the exporter would poll, found as it finds them.
   * @throws PlatformFailure
   */
  async discover(retries: RetryOptions): Promise<PlannedSeries[]> {
    const survey = new Survey({
      account: this.#account,
      scopes: this.#connection.platform.scopes,
      readFor: (group) => this.#connection.operations.readFor(group),
    });
    for (const job of survey.jobs()) {
      if (job.subject.collector !== 'discovery' || !this.#isRead(job.group, job.subject.product)) continue;
      await withRetries(async () => {
        const { outcome, reason } = await survey.poll(job, retries.signal);
        if (outcome !== 'ok' && outcome !== 'empty') throw new PlatformFailure(outcome, reason ?? outcome);
      }, retries).catch(unlessNotFound);
    }
    return survey.jobs().flatMap(({ subject, group }) => this.#planned(subject, group));
  }

  /**
   * Learns the platform's time where no answer has told it yet, by a read of one of these series.
   * @throws PlatformFailure
   */
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
  available(): Available {
    const { settle_delay: delay } = this.#account;
    return availableAt(this.platformClock.now(), typeof delay === 'number' ? delay : USUAL_SETTLE_DELAY_MS);
  }

  get platformClock(): PlatformClock {
    return this.#connection.platform.platformClock;
  }

  /** How a planned metric is read. */
  source(planned: PlannedSeries): Pick<HistoryReaderOptions, 'reader' | 'read'> {
    const dimensions = this.#account.collectors[planned.api]?.products[planned.product]?.dimensions ?? [];
    const reader = new SeriesReader({
      target: targetOf(planned),
      metric: planned.metric,
      wants: wantedDimensions(dimensions),
      modes: this.#modes,
      platformClock: this.platformClock,
    });
    return { reader, read: this.#connection.operations.readFor(planned.api) };
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

  #planned(
    { product, metric, configuration_id: id, configuration: name }: JobSubject,
    group: string,
  ): PlannedSeries[] {
    if (product === undefined || metric === undefined) return [];
    const api = group === 'analytics' ? 'analytics' : 'metrics';
    const common = { account: this.#account.name, api, product } as const;
    if (id !== undefined) return [{ ...common, by: 'configuration', id, name: name ?? '', metric }];
    return [{ ...common, by: 'product', id: String(productOf(api, product).id), name: '', metric }];
  }
}

/** A product that the account does not have is not listed; the others are. */
function unlessNotFound(error: unknown): void {
  if (!(error instanceof PlatformFailure) || error.outcome !== 'not_found') throw error;
}
