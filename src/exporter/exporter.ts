import { accountStatus, notReady } from './account/account-status.ts';
import type { CredentialsFactory } from './account/connection.ts';
import type { AccountObserver } from './account/view.ts';
import type { Clock } from './clock.ts';
import type { Member } from './cluster/member.ts';
import type { Config } from './configuration/schema.ts';
import { Exposition, type ExpositionEncoding, type ExpositionOptions } from './exposition/exposition.ts';
import type { ExpositionFormat } from './exposition/negotiate.ts';
import { Store } from './exposition/store.ts';
import type { ShownSample } from './exposition/text-format.ts';
import { Turns } from './poll/operations.ts';
import type { Ticker } from './poll/ticker.ts';
import { Push } from './push/push.ts';
import type { PushObserver, ReceiverView } from './push/running-receiver.ts';
import { RunningAccounts } from './running-accounts.ts';
import { measureAccounts, measureOwners, measurePush, measureStore } from './self/measured.ts';
import type { ProcessMetrics } from './self/process-metrics.ts';
import type { SelfMetrics } from './self/self-metrics.ts';
import { runInSlices } from './slices.ts';
import { type State, StateWriteFailure } from './state/state.ts';
import type { AccountStatus } from './status.ts';
import { matchesAny } from './text/glob.ts';

export interface ExporterOptions extends ExpositionOptions {
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly state: State;
  /** The replica that this is of several, which decides what is polled here; without it, all accounts are. */
  readonly member?: Member | undefined;
  readonly metrics: SelfMetrics;
  /** What measures the process, for `metrics.own`. */
  readonly processMetrics?: Pick<ProcessMetrics, 'measure'>;
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
    const { clock, ticker, state, observer, credentials } = options;
    const store = this.#store;
    this.#push = new Push({ clock, state, observer });
    const turns = new Turns(() => this.#exposition.isAwaited);
    const ownership = options.member === undefined ? { state } : undefined;
    this.#accounts = new RunningAccounts({ clock, ticker, store, ownership, observer, credentials, turns });
    this.#exposition = new Exposition([store], options);
    this.#stopTicking = [
      ticker(UPKEEP_PATTERN, () => this.#upkeep()),
      ticker(SNAPSHOT_PATTERN, () => void this.#push.takeSnapshot((wants) => this.#shown(wants))),
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
  async body(format: ExpositionFormat, encoding: ExpositionEncoding): Promise<readonly Buffer[]> {
    this.#options.member?.enforce();
    await Promise.all([this.#exposition.refreshForScrape(), this.#measureOwn()]);
    const own = this.#options.metrics.own.segments(format);
    return this.#exposition.snapshot(format, encoding, own instanceof Promise ? await own : own);
  }

  /** How each account is; looked at one after the other, since there may be a thousand. */
  *accounts(): Generator<AccountStatus, void> {
    for (const view of this.#accounts.views()) yield accountStatus(view, this.#options.clock);
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

  /** Why the exporter is not ready, as sentences, for itself and then for each account: none if it is. */
  *notReady(): Generator<readonly string[], void> {
    const { clock, member } = this.#options;
    const trouble = member?.trouble;
    yield trouble === undefined ? [] : [trouble];
    for (const view of this.#accounts.views()) {
      const reason = notReady(view, clock);
      yield reason === undefined ? [] : [reason];
    }
  }

  /** Stops polling and revokes tokens, until the signal aborts. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#stopped = true;
    for (const stopTicking of this.#stopTicking) stopTicking();
    const { member } = this.#options;
    // Another replica polls an account as soon as it is given back: not before its last poll here is over.
    const stopping = member?.leave();
    const stopped = stopping?.then(() => this.#accounts.stop(signal)) ?? this.#accounts.stop(signal);
    await Promise.all([this.#applying, stopped]);
    await this.#push.stop();
  }

  #upkeep(): void {
    this.#store.expire(this.#options.clock.now());
    void this.#measure();
  }

  /** The samples that a scrape would get now of the families that are wanted, by the text of their lines. */
  async #shown(wants: (family: string) => boolean): Promise<ReadonlyMap<string, ShownSample>> {
    await this.#measure();
    await Promise.all([this.#exposition.refresh(), this.#measureOwn()]);
    const samples = new Map<string, ShownSample>();
    await runInSlices(this.#store.collect(wants, samples));
    await runInSlices(this.#options.metrics.own.collect(wants, samples));
    return samples;
  }

  /** Measures what is measured only when somebody looks. */
  async #measureOwn(): Promise<void> {
    const { metrics, processMetrics, member } = this.#options;
    if (member !== undefined) await runInSlices(measureOwners(metrics, member.owned()));
    await processMetrics?.measure();
    measureStore(metrics, this.#store);
  }

  #measure(): Promise<void> {
    const { metrics, state, clock } = this.#options;
    this.#measuring = this.#measuring.then(async () => {
      await runInSlices(measurePush(metrics, this.#push.receivers()));
      await runInSlices(measureAccounts(metrics, state, this.#accounts.views(), clock.now()));
    });
    return this.#measuring;
  }

  async #prune(): Promise<void> {
    try {
      await this.#accounts.prune(this.#options.state);
    } catch (failure) {
      // Retried the next day; a failing disk is reported when counters are written.
      if (!(failure instanceof StateWriteFailure)) throw failure;
    }
  }

  async #apply({ accounts, limits, metrics, push }: Config, signal: AbortSignal): Promise<void> {
    if (this.#stopped) return;
    const isExcluded = matchesAny(metrics.exclude);
    this.#store.exclude(metrics.exclude.length > 0 ? isExcluded : undefined);
    const { own } = this.#options.metrics;
    own.exclude(isExcluded);
    const labels = new Map(accounts.map((account) => [account.name, account.labels]));
    own.label((account) => labels.get(account) ?? {});
    this.#store.seriesLimit = limits.series;
    await this.#push.apply(push);
    this.#accounts.pushTo(push.length > 0 ? this.#push : undefined);
    await this.#accounts.apply(accounts, limits, signal);
    if (!this.#stopped)
      this.#options.member?.share(
        accounts.map(({ name }) => name),
        this.#accounts,
      );
    if (!this.#stopped) await this.#measure();
  }
}
