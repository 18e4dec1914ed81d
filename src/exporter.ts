import { Account } from './account/account.ts';
import { accountStatus } from './account/account-status.ts';
import type { CredentialsFactory } from './account/connection.ts';
import type { AccountObserver } from './account/observer.ts';
import { type AccountView, notReady } from './account/view.ts';
import type { Clock } from './clock.ts';
import { sameAccount } from './configuration/access.ts';
import { type Account as AccountConfig, type Config, DEFAULT_LIMITS } from './configuration/schema.ts';
import { Exposition, type ExpositionEncoding } from './exposition/exposition.ts';
import type { ExpositionFormat } from './exposition/negotiate.ts';
import type { ExpositionPart } from './exposition/part.ts';
import { runInSlices } from './exposition/slices.ts';
import { Store } from './exposition/store.ts';
import { Departures } from './poll/departures.ts';
import type { Ticker } from './poll/ticker.ts';
import { Push } from './push/push.ts';
import type { PushObserver } from './push/push-observer.ts';
import type { ReceiverView } from './push/running-receiver.ts';
import { measureAccounts, measurePush, measureStore } from './self/measured.ts';
import type { SelfMetrics } from './self/self-metrics.ts';
import { pruneCounters } from './series/pruning.ts';
import { type State, StateWriteFailure } from './state/state.ts';
import type { AccountStatus } from './status.ts';

export interface ExporterOptions {
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

interface Running {
  readonly config: AccountConfig;
  readonly account: Account;
}

/** Everything between the configuration and the bytes of `/metrics`, without process or server. */
export class Exporter {
  readonly #options: ExporterOptions;
  readonly #store: Store;
  readonly #exposition: Exposition;
  readonly #push: Push;
  readonly #accounts = new Map<string, Running>();
  readonly #departures = new Departures();
  readonly #stopTicking: readonly (() => void)[];
  /** The configuration that is being applied. */
  #applying: Promise<void> = Promise.resolve();
  /** Accounts are measured one time after another. */
  #measuring: Promise<void> = Promise.resolve();
  #limits = DEFAULT_LIMITS;
  #stopped = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#store = new Store({
      seriesLimit: Number.POSITIVE_INFINITY,
      onShortened: (label, shown) => options.observer.labelShortened(label, shown),
    });
    const { metrics, processMetrics, clock, state, observer } = options;
    this.#push = new Push({ clock, state, observer });
    const parts = [this.#store, metrics.exposed, ...(processMetrics === undefined ? [] : [processMetrics])];
    this.#exposition = new Exposition(...parts);
    metrics.exposed.beforeRefresh(() => measureStore(metrics, this.#store));
    this.#stopTicking = [
      options.ticker(UPKEEP_PATTERN, () => this.#upkeep()),
      options.ticker(SNAPSHOT_PATTERN, () => void this.#push.takeSnapshot(() => this.#measuredPage())),
      options.ticker(PRUNING_PATTERN, () => void this.#prune()),
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
    const refreshed = this.#exposition.refresh();
    const body = () => this.#exposition.snapshot(format, encoding);
    return refreshed === undefined ? body() : refreshed.then(body);
  }

  accounts(): AccountStatus[] {
    return this.#views().map((view) => accountStatus(view, this.#options.clock));
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
    return this.#views().flatMap((view) => notReady(view) ?? []);
  }

  /** Stops polling and revokes tokens, until the signal aborts. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#stopped = true;
    for (const stopTicking of this.#stopTicking) stopTicking();
    // At once and not in slices: what stops makes the event loop free.
    const leaving = [...this.#accounts.values()].map((running) => this.#leave(running, signal));
    await Promise.all([this.#applying, ...leaving]);
    this.#accounts.clear();
    await this.#push.stop();
  }

  #views(): AccountView[] {
    return [...this.#accounts.values()].map(({ account }) => account.view);
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
      return runInSlices(measureAccounts(metrics, state, this.#views(), clock.now()));
    });
    return this.#measuring;
  }

  async #prune(): Promise<void> {
    const kept = [...this.#accounts.values()].flatMap(({ account }) => account.keptCounters());
    try {
      await pruneCounters(this.#options.state, kept);
    } catch (failure) {
      // Retried the next day; a failing disk is reported when counters are written.
      if (!(failure instanceof StateWriteFailure)) throw failure;
    }
  }

  async #apply(config: Config, signal: AbortSignal): Promise<void> {
    if (this.#stopped) return;
    this.#limits = config.limits;
    this.#store.seriesLimit = config.limits.series;
    await this.#push.apply(config.push);
    const wanted = new Map(config.accounts.map((account) => [account.name, account]));
    const leaving = [...this.#accounts].filter(
      ([name, { config }]) => !sameAccount(config, wanted.get(name)),
    );
    for (const [name] of leaving) this.#accounts.delete(name);
    await Promise.all(leaving.map(([, running]) => this.#leave(running, signal)));
    if (this.#stopped) return;
    await runInSlices(this.#startAll([...wanted.values()]));
    await this.#measure();
  }

  /** Starts those that do not run, one a step; asked to stop meanwhile, no further one. */
  *#startAll(accounts: readonly AccountConfig[]): Generator<undefined, void> {
    for (const account of accounts) {
      if (this.#stopped) return;
      if (!this.#accounts.has(account.name)) this.#start(account);
      yield;
    }
  }

  /** Stops an account. A failure is reported and affects nothing else. */
  async #leave({ config, account }: Running, signal: AbortSignal): Promise<void> {
    const { observer } = this.#options;
    await account.stop(signal).then(
      () => observer.left(config.name),
      (error: unknown) => observer.left(config.name, error),
    );
  }

  #start(config: AccountConfig): void {
    const { clock, ticker, state, observer, credentials } = this.#options;
    const account = new Account({
      config,
      clock,
      ticker,
      store: this.#store,
      memory: state,
      push: this.#push,
      observer,
      credentials,
      departures: this.#departures,
      limits: () => this.#limits,
    });
    this.#accounts.set(config.name, { config, account });
    account.start();
  }
}
