import { Account, type AccountOptions, type HandedOver, type Ownership } from './account/account.ts';
import {
  type AccountObserver,
  type AccountView,
  accountStatus,
  notReady,
  type PushOutput,
} from './account/account-status.ts';
import type { CredentialsFactory } from './account/connection.ts';
import type { AccountLimits } from './account/jobs.ts';
import type { Clock } from './clock.ts';
import type { Member } from './cluster/member.ts';
import { isSame, secretsOf } from './configuration/access.ts';
import { type AccountConfig, type Config, DEFAULT_LIMITS } from './configuration/schema.ts';
import { Exposition, type ExpositionEncoding, type ExpositionOptions } from './exposition/exposition.ts';
import { runInSlices } from './exposition/slices.ts';
import { Store } from './exposition/store.ts';
import type { ExpositionFormat, ShownSample } from './exposition/text-format.ts';
import { Turns } from './poll/operations.ts';
import type { Ticker } from './poll/ticker.ts';
import { Push, ReplicaPush } from './push/push.ts';
import type { PushObserver, ReceiverView } from './push/running-receiver.ts';
import { measuredMetrics } from './self/measured-metrics.ts';
import { OwnExposition } from './self/own-exposition.ts';
import { beginPush, type SelfMetrics } from './self/self-metrics.ts';
import { type KeptCounters, pruneCounters } from './series/pruning.ts';
import { type State, StateWriteFailure } from './state/state.ts';
import type { AccountStatus } from './status-document.ts';
import { matchesAny } from './text/glob.ts';
import { inTurns } from './turns.ts';

export interface ExporterOptions extends ExpositionOptions {
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly state: State;
  /** This replica, which decides the accounts that are polled here; undefined to poll all accounts. */
  readonly member?: Member | undefined;
  readonly metrics: SelfMetrics;
  readonly observer: AccountObserver & PushObserver;
  readonly credentials: CredentialsFactory;
}

/** Schedule of the removal of stale samples. */
const UPKEEP_PATTERN = '*/10 * * * * *';

/** Schedule of pushes of samples other than buckets: in the middle of a minute, since most polls start with it. */
const SNAPSHOT_PATTERN = '30 * * * * *';

/** Schedule of the removal of unused counters from the state. */
const PRUNING_PATTERN = '30 3 * * *';

/** Exporter from the configuration to the bytes of `/metrics`, without process or server. */
export class Exporter {
  readonly #options: ExporterOptions;
  readonly #store: Store;
  readonly #exposition: Exposition;
  readonly #own: OwnExposition;
  readonly #push: Push | ReplicaPush;
  readonly #accounts: RunningAccounts;
  readonly #stopTicking: readonly (() => void)[];
  /** Completion of the configuration that is being applied. */
  #applying: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#store = new Store({ seriesLimit: Number.POSITIVE_INFINITY });
    const { clock, ticker, state, observer, credentials } = options;
    const store = this.#store;
    const instance = options.member?.name;
    this.#push =
      instance === undefined
        ? new Push({ clock, state, observer })
        : new ReplicaPush({ clock, observer, instance });
    this.#exposition = new Exposition(store, options);
    const turns = new Turns(this.#exposition);
    const ownership = instance === undefined ? { state } : undefined;
    this.#accounts = new RunningAccounts({ clock, ticker, store, ownership, observer, credentials, turns });
    const measured = measuredMetrics({
      ...options,
      store,
      accounts: () => this.#accounts.views(),
      receivers: () => this.#push.receivers(),
      now: () => clock.now(),
    });
    this.#own = new OwnExposition([options.metrics.registry, measured], () => clock.now());
    this.#stopTicking = [
      ticker(UPKEEP_PATTERN, () => this.#upkeep()),
      ticker(SNAPSHOT_PATTERN, () => void this.#push.takeSnapshot((wants) => this.#shown(wants))),
      ticker(PRUNING_PATTERN, () => void this.#prune()),
    ];
  }

  /** Applies a configuration: changed parts restart, the others continue. The caller must not apply two at the same time. */
  apply(config: Config, signal: AbortSignal): Promise<void> {
    const applied = this.#apply(config, signal);
    this.#applying = applied.catch(() => undefined);
    return applied;
  }

  /**
   * Returns the response to a scrape. It includes everything that was published before the call, unless rendering takes seconds.
   */
  async body(format: ExpositionFormat, encoding: ExpositionEncoding): Promise<readonly Buffer[]> {
    const { member, metrics } = this.#options;
    member?.enforce();
    beginPush(metrics, this.#push.receivers());
    // Another replica may already expose series that this replica has withdrawn, so they are not counted here.
    const isReplica = member !== undefined;
    const [own] = await Promise.all([
      this.#own.segments(format, isReplica),
      this.#exposition.refreshForScrape(isReplica),
    ]);
    return this.#exposition.snapshot(format, encoding, own);
  }

  /**
   * Returns the status of each account: current and with jobs if it is requested or the only one; else the last one, without jobs.
   */
  accounts(isAsked: (account: string) => boolean = () => true): AccountStatus[] {
    const views = this.#accounts.views();
    return views.map((view) => {
      const last = views.length === 1 || isAsked(view.name) ? undefined : view.lastLook();
      return last ?? accountStatus(view, this.#options.clock);
    });
  }

  /** Returns the receivers that samples are pushed to. */
  receivers(): ReceiverView[] {
    return this.#push.receivers();
  }

  get seriesCount(): number {
    return this.#store.seriesCount;
  }

  get droppedSeries(): number {
    return this.#store.droppedSeries;
  }

  /** Returns why the exporter is not ready, as sentences, first for itself, then for each account; empty if it is ready. */
  notReady(): string[] {
    const { clock, member } = this.#options;
    return [
      member?.trouble ?? [],
      ...this.#accounts.views().map((view) => notReady(view, clock) ?? []),
    ].flat();
  }

  /** Stops polling and revokes tokens. @param signal bounds the revocation */
  async stop(signal: AbortSignal): Promise<void> {
    this.#stopped = true;
    for (const stopTicking of this.#stopTicking) stopTicking();
    const { member } = this.#options;
    // Another replica polls an account as soon as it is released, so the last poll must end before.
    const stopping = member?.leave();
    const stopped = stopping?.then(() => this.#accounts.stop(signal)) ?? this.#accounts.stop(signal);
    await Promise.all([this.#applying, stopped]);
    await this.#push.stop();
  }

  #upkeep(): void {
    this.#store.expire(this.#options.clock.now());
    for (const [label, shown] of this.#store.shortened) this.#options.observer.labelShortened(label, shown);
  }

  /** Returns the samples that a scrape would return now, for the selected families, by the text of their series. */
  async #shown(wants: (family: string) => boolean): Promise<ReadonlyMap<string, ShownSample>> {
    beginPush(this.#options.metrics, this.#push.receivers());
    await this.#exposition.refresh();
    const samples = new Map<string, ShownSample>();
    await runInSlices(this.#store.collect(wants, samples));
    await this.#own.collect(wants, samples);
    return samples;
  }

  async #prune(): Promise<void> {
    try {
      await this.#accounts.prune(this.#options.state);
    } catch (failure) {
      // Pruning is retried the next day. Commits of counters report a failing disk. The state may be closed during a stop.
      if (!(failure instanceof StateWriteFailure || this.#stopped)) throw failure;
    }
  }

  async #apply({ accounts, limits, metrics, push }: Config, signal: AbortSignal): Promise<void> {
    if (this.#stopped) return;
    const isExcluded = matchesAny(metrics.exclude);
    this.#store.exclude(metrics.exclude.length > 0 ? isExcluded : undefined);
    const labels = new Map(accounts.map((account) => [account.name, account.labels]));
    this.#own.configure(isExcluded, (account) => labels.get(account) ?? {});
    this.#store.seriesLimit = limits.series;
    await this.#push.apply(push, accounts.length);
    this.#accounts.pushTo((account) => this.#push.outputOf(account));
    await this.#accounts.apply(accounts, limits, signal);
    if (!this.#stopped)
      this.#options.member?.share(
        accounts.map(({ name }) => name),
        this.#push instanceof ReplicaPush ? this.#push.alongside(this.#accounts) : this.#accounts,
      );
  }
}

interface RunningAccountsOptions
  extends Omit<AccountOptions, 'config' | 'limits' | 'handedOver' | 'ownership'> {
  /** Ownership of all accounts; undefined if accounts start only when this process acquires them. */
  readonly ownership?: Ownership | undefined;
}

interface AccountRun {
  readonly config: AccountConfig;
  readonly account: Account;
  readonly ownership: Ownership;
  /** True if the account is stopping, or has stopped. */
  isLeaving: boolean;
}

/** Running accounts. */
export class RunningAccounts {
  readonly #options: RunningAccountsOptions;
  readonly #running = new Map<string, AccountRun>();
  /** Accounts that are stopping, until they have stopped. Their successors may run already. */
  readonly #leaving = new Map<AccountRun, Promise<void>>();
  /** Configured accounts, and the owned ones, by name. */
  #configs: ReadonlyMap<string, AccountConfig> = new Map();
  readonly #owned = new Map<string, Ownership>();
  #limits: AccountLimits = DEFAULT_LIMITS;
  #outputOf: (account: string) => PushOutput | undefined = () => undefined;
  #stopped = false;

  constructor(options: RunningAccountsOptions) {
    this.#options = options;
  }

  views(): AccountView[] {
    return [...this.#running.values()].map(({ account }) => account.view);
  }

  /** Yields the counters in the state that belong to running accounts. */
  *keptCounters(): Generator<KeptCounters, void> {
    for (const { account } of this.#running.values()) yield* account.keptCounters();
  }

  /** Pushes the results of each account to its output from now on; undefined stops pushing. */
  pushTo(outputOf: (account: string) => PushOutput | undefined): void {
    this.#outputOf = outputOf;
    for (const { account, config } of this.#running.values()) account.pushTo(outputOf(config.name));
  }

  /** Replaces the accounts. Samples of changed accounts stay exposed until their successors have polled them. */
  async apply(configs: readonly AccountConfig[], limits: AccountLimits, signal: AbortSignal): Promise<void> {
    this.#limits = limits;
    const wanted = new Map(configs.map((config) => [config.name, config]));
    this.#configs = wanted;
    const left: Promise<void>[] = [];
    await inTurns([...this.#running.values()], (running) => {
      const after = wanted.get(running.config.name);
      if (after === undefined || !isSame(running.config, after, secretsOf))
        left.push(this.#leave(running, signal, after !== undefined));
    });
    await Promise.all(left);
    await inTurns(wanted.values(), (config) => this.#startAnew(config));
  }

  /** Starts an account that this process has acquired. */
  own(name: string, ownership: Ownership): void {
    this.#owned.set(name, ownership);
    const config = this.#configs.get(name);
    if (config !== undefined && !this.#stopped && !this.#running.has(name)) this.#start(config, undefined);
  }

  /** Stops an account that this process has lost, and withdraws its samples at once. Resolves when it has stopped. */
  async disown(name: string, signal: AbortSignal): Promise<void> {
    this.#owned.delete(name);
    const running = this.#running.get(name);
    if (running?.isLeaving) this.#withdraw(running.account.handedOver());
    else if (running !== undefined) void this.#leave(running, signal, false);
    const itsOwn = [...this.#leaving].filter(([{ config }]) => config.name === name);
    await Promise.all(itsOwn.map(([, left]) => left));
  }

  /** Returns the demand (operations per minute) of each account whose demand is known. */
  demands(): { readonly account: string; readonly demand: number }[] {
    return [...this.#running.values()].flatMap(({ config, account: { demand } }) =>
      demand === undefined ? [] : [{ account: config.name, demand: Math.max(1, Math.round(demand)) }],
    );
  }

  /** Removes unused counters from the state. @throws StateWriteFailure if a commit is refused */
  async prune(state: State): Promise<void> {
    if (this.#options.ownership !== undefined) return pruneCounters(state, this.keptCounters());
    for (const running of [...this.#running.values()]) {
      try {
        if (!running.isLeaving) await pruneCounters(running.ownership.state, running.account.keptCounters());
      } catch (failure) {
        // A failure of one account's state does not stop the others. A stopping account may already have closed its state.
        if (!(failure instanceof StateWriteFailure || running.isLeaving)) throw failure;
      }
    }
  }

  /** Stops all accounts, and starts no further ones. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#stopped = true;
    const running = [...this.#running.values()].filter(({ isLeaving }) => !isLeaving);
    await Promise.all(running.map((running) => this.#leave(running, signal, false)));
    this.#running.clear();
  }

  #ownershipOf(name: string): Ownership | undefined {
    return this.#options.ownership ?? this.#owned.get(name);
  }

  #withdraw(handedOver: HandedOver | undefined): void {
    for (const owner of handedOver?.exposed ?? []) this.#options.store.withdraw(owner);
  }

  /** Starts an account that is not running. */
  #startAnew(config: AccountConfig): void {
    if (this.#stopped) return;
    const before = this.#running.get(config.name);
    if (before === undefined && this.#ownershipOf(config.name) === undefined) return;
    if (before === undefined || before.isLeaving) this.#start(config, before?.account.handedOver());
  }

  #start(config: AccountConfig, handedOver: HandedOver | undefined): void {
    const limits = () => this.#limits;
    const ownership = this.#ownershipOf(config.name);
    if (ownership === undefined) {
      // The account moved to another replica before its restart.
      this.#running.delete(config.name);
      this.#withdraw(handedOver);
      this.#options.observer.left(config.name);
      return;
    }
    const account = new Account({ ...this.#options, ownership, config, limits, handedOver });
    account.pushTo(this.#outputOf(config.name));
    this.#running.set(config.name, { config, account, ownership, isLeaving: false });
    account.start();
  }

  /** Stops an account, and reports a failure. @param returns true if a successor replaces it; until then it stays visible */
  #leave(running: AccountRun, signal: AbortSignal, returns: boolean): Promise<void> {
    const left = this.#left(running, signal, returns).finally(() => this.#leaving.delete(running));
    this.#leaving.set(running, left);
    return left;
  }

  async #left(running: AccountRun, signal: AbortSignal, returns: boolean): Promise<void> {
    const { observer } = this.#options;
    const { account, config } = running;
    running.isLeaving = true;
    if (!returns) this.#running.delete(config.name);
    try {
      await (returns ? account.stopForAnother(signal) : account.stop(signal));
    } catch (error) {
      observer.stopFailed(config.name, error);
    }
    if (!returns) observer.left(config.name);
  }
}
