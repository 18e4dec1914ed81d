import { accountStatus } from './account/account-status.ts';
import type { CredentialsFactory } from './account/connection.ts';
import { type AccountObserver, notReady } from './account/view.ts';
import type { Clock } from './clock.ts';
import type { Config } from './configuration/schema.ts';
import {
  Exposition,
  type ExpositionEncoding,
  type ExpositionOptions,
  type ExpositionPart,
} from './exposition/exposition.ts';
import type { ExpositionFormat } from './exposition/negotiate.ts';
import { Store } from './exposition/store.ts';
import { Turns } from './poll/operations.ts';
import type { Ticker } from './poll/ticker.ts';
import { Push } from './push/push.ts';
import type { PushObserver } from './push/push-observer.ts';
import type { ReceiverView } from './push/running-receiver.ts';
import { RunningAccounts } from './running-accounts.ts';
import { measureAccounts, measurePush, measureStore } from './self/measured.ts';
import type { SelfMetrics } from './self/self-metrics.ts';
import { pruneCounters } from './series/stored-counters.ts';
import { runInSlices } from './slices.ts';
import { type State, StateWriteFailure } from './state/state.ts';
import type { AccountStatus } from './status.ts';

export interface ExporterOptions extends ExpositionOptions {
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly state: State;
  readonly metrics: SelfMetrics;
  /** Exposed after everything else. */
  readonly processMetrics?: ExpositionPart;
  readonly observer: AccountObserver & PushObserver;
  readonly credentials: CredentialsFactory;
}

/** How often stale samples are removed and account metrics updated. */
const UPKEEP_PATTERN = '*/10 * * * * *';

/** When what `/metrics` shows besides buckets is pushed: in the middle of a minute, since most polls come as one begins. */
const SNAPSHOT_PATTERN = '30 * * * * *';

/** When unused counters in the state are removed. */
const PRUNING_PATTERN = '30 3 * * *';

/** Everything between the configuration and the bytes of `/metrics`, without process or server. */
export class Exporter {
  readonly #options: ExporterOptions;
  readonly #store: Store;
  readonly #exposition: Exposition;
  readonly #push: Push;
  readonly #accounts: RunningAccounts;
  readonly #stopTicking: readonly (() => void)[];
  /** The configuration that is being applied. */
  #applying: Promise<void> = Promise.resolve();
  /** Accounts are measured one time after another. */
  #measuring: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#store = new Store({
      seriesLimit: Number.POSITIVE_INFINITY,
      onShortened: (label, shown) => options.observer.labelShortened(label, shown),
    });
    const { metrics, processMetrics, clock, ticker, state, observer, credentials } = options;
    const store = this.#store;
    this.#push = new Push({ clock, state, observer });
    const turns = new Turns(() => this.#exposition.isAwaited);
    this.#accounts = new RunningAccounts({ clock, ticker, store, state, observer, credentials, turns });
    const parts = [store, metrics.exposed, ...(processMetrics === undefined ? [] : [processMetrics])];
    this.#exposition = new Exposition(parts, options);
    metrics.exposed.beforeRefresh(() => measureStore(metrics, store));
    this.#stopTicking = [
      ticker(UPKEEP_PATTERN, () => this.#upkeep()),
      ticker(SNAPSHOT_PATTERN, () => void this.#push.takeSnapshot(() => this.#measuredPage())),
      ticker(PRUNING_PATTERN, () => void this.#prune()),
    ];
  }

  /**
   * Makes this the configuration: accounts that have changed start anew, the others go on untouched. The caller applies
   * one after another.
   */
  apply(config: Config, signal: AbortSignal): Promise<void> {
    const applied = this.#apply(config, signal);
    this.#applying = applied.catch(() => undefined);
    return applied;
  }

  /** The document that a scrape gets, ready to be sent, with everything that was published before the call. */
  body(
    format: ExpositionFormat,
    encoding: ExpositionEncoding,
  ): Promise<readonly Buffer[]> | readonly Buffer[] {
    const refreshed = this.#exposition.refreshForScrape();
    const body = () => this.#exposition.snapshot(format, encoding);
    return refreshed === undefined ? body() : refreshed.then(body);
  }

  accounts(): AccountStatus[] {
    return this.#accounts.views().map((view) => accountStatus(view, this.#options.clock));
  }

  /** The receivers that samples are pushed to. */
  receivers(): ReceiverView[] {
    return this.#push.receivers();
  }

  get seriesCount(): number {
    return this.#store.seriesCount;
  }

  get droppedSeries(): number {
    return this.#store.droppedSeries;
  }

  /** Resolves when scrapes see everything that was published before the call. */
  settled(): Promise<void> {
    return this.#exposition.settled();
  }

  /** Why the exporter is not ready, as sentences; empty if it is. */
  notReady(): string[] {
    return this.#accounts.views().flatMap((view) => notReady(view) ?? []);
  }

  /** Stops polling and revokes tokens, until the signal aborts. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#stopped = true;
    for (const stopTicking of this.#stopTicking) stopTicking();
    await Promise.all([this.#applying, this.#accounts.stop(signal)]);
    await this.#push.stop();
  }

  #upkeep(): void {
    this.#store.expire(this.#options.clock.now());
    void this.#measure();
  }

  async #measuredPage(): Promise<readonly Buffer[]> {
    await this.#measure();
    return this.body('text', 'identity');
  }

  #measure(): Promise<void> {
    const { metrics, state, clock } = this.#options;
    this.#measuring = this.#measuring.then(() => {
      measurePush(metrics, this.#push.receivers());
      return runInSlices(measureAccounts(metrics, state, this.#accounts.views(), clock.now()));
    });
    return this.#measuring;
  }

  async #prune(): Promise<void> {
    try {
      await pruneCounters(this.#options.state, this.#accounts.keptCounters());
    } catch (failure) {
      // Retried the next day; a failing disk is reported when counters are written.
      if (!(failure instanceof StateWriteFailure)) throw failure;
    }
  }

  async #apply({ accounts, limits, push }: Config, signal: AbortSignal): Promise<void> {
    if (this.#stopped) return;
    this.#store.seriesLimit = limits.series;
    await this.#push.apply(push);
    this.#accounts.pushTo(push.length > 0 ? this.#push : undefined);
    await this.#accounts.apply(accounts, limits, signal);
    if (!this.#stopped) await this.#measure();
  }
}
