import {
  Account,
  type AccountOptions,
  type HandedOver,
  type Ownership,
  type PushOutput,
} from './account/account.ts';
import type { AccountLimits } from './account/jobs.ts';
import type { AccountView } from './account/view.ts';
import { sameAccount } from './configuration/access.ts';
import { type Account as AccountConfig, DEFAULT_LIMITS } from './configuration/schema.ts';
import { type KeptCounters, pruneCounters } from './series/series-memory.ts';
import { madeInSlices, runInSlices } from './slices.ts';
import { type State, StateWriteFailure } from './state/state.ts';

/** What all accounts share. */
export interface RunningAccountsOptions
  extends Omit<AccountOptions, 'config' | 'limits' | 'handedOver' | 'ownership'> {
  /** Of all accounts; without it each is started when this process comes to own it. */
  readonly ownership?: Ownership | undefined;
}

interface Running {
  readonly config: AccountConfig;
  readonly account: Account;
  readonly ownership: Ownership;
  /** Whether it stops, or has stopped. */
  isLeaving: boolean;
}

/** The accounts that run. */
export class RunningAccounts {
  readonly #options: RunningAccountsOptions;
  readonly #running = new Map<string, Running>();
  /** Those that stop, also where others have taken their places, each until nothing of it runs. */
  readonly #leaving = new Map<Running, Promise<void>>();
  /** Those that are configured, and those that this process owns, by name. */
  #configs: ReadonlyMap<string, AccountConfig> = new Map();
  readonly #owned = new Map<string, Ownership>();
  #limits: AccountLimits = DEFAULT_LIMITS;
  #pushed: PushOutput | undefined;
  #stopped = false;

  constructor(options: RunningAccountsOptions) {
    this.#options = options;
  }

  views(): AccountView[] {
    return [...this.#running.values()].map(({ account }) => account.view);
  }

  /** The counters in the state that belong to them. */
  keptCounters(): KeptCounters[] {
    return [...this.#running.values()].flatMap(({ account }) => account.keptCounters());
  }

  /** Has what all of them find pushed from now on, or, of undefined, not. */
  pushTo(output: PushOutput | undefined): void {
    this.#pushed = output;
    for (const { account } of this.#running.values()) account.pushTo(output);
  }

  /**
   * Makes these the accounts: those that have changed start anew, and leave exposed what they expose until the new ones have
   * polled it; the others go on untouched. The caller applies one configuration after another.
   */
  async apply(configs: readonly AccountConfig[], limits: AccountLimits, signal: AbortSignal): Promise<void> {
    this.#limits = limits;
    const wanted = new Map(configs.map((config) => [config.name, config]));
    this.#configs = wanted;
    await Promise.all(await madeInSlices(this.#leaveChanged(wanted, signal)));
    await runInSlices(this.#startAll([...wanted.values()]));
  }

  /** Starts an account, which this process owns from now on. */
  own(name: string, ownership: Ownership): void {
    this.#owned.set(name, ownership);
    const config = this.#configs.get(name);
    if (config !== undefined && !this.#stopped && !this.#running.has(name)) this.#start(config, undefined);
  }

  /** Stops an account, which this process owns no more: what is exposed of it goes at once. Resolves when nothing of it runs. */
  async disown(name: string, signal: AbortSignal): Promise<void> {
    this.#owned.delete(name);
    const running = this.#running.get(name);
    if (running?.isLeaving) this.#withdraw(running.account.handedOver());
    else if (running !== undefined) void this.#leave(running, signal, false);
    const itsOwn = [...this.#leaving].filter(([{ config }]) => config.name === name);
    await Promise.all(itsOwn.map(([, left]) => left));
  }

  /** What each of them asks of the platform (operations a minute). */
  demands(): { readonly account: string; readonly demand: number }[] {
    return this.views().map(({ name, forecast }) => ({
      account: name,
      demand: Math.max(1, Math.round(forecast.perMinute)),
    }));
  }

  /** Removes from what they remember the counters that nothing reads. @throws StateWriteFailure */
  async prune(state: State): Promise<void> {
    if (this.#options.ownership !== undefined) return pruneCounters(state, this.keptCounters());
    for (const running of [...this.#running.values()]) {
      try {
        if (!running.isLeaving) await pruneCounters(running.ownership.state, running.account.keptCounters());
      } catch (failure) {
        // What one account's state refuses is no reason to leave out the others; of one that leaves, it may be closed already.
        if (!(failure instanceof StateWriteFailure || running.isLeaving)) throw failure;
      }
    }
  }

  /** Stops those that are not wanted, or not as they are, an account a step. */
  *#leaveChanged(
    wanted: ReadonlyMap<string, AccountConfig>,
    signal: AbortSignal,
  ): Generator<undefined, Promise<void>[]> {
    const left: Promise<void>[] = [];
    for (const running of [...this.#running.values()]) {
      const { name } = running.config;
      if (!sameAccount(running.config, wanted.get(name)))
        left.push(this.#leave(running, signal, wanted.has(name)));
      yield;
    }
    return left;
  }

  /** Stops all and starts no further one: at once and not in slices, since what stops makes the event loop free. */
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
    const { owners, parts } = handedOver?.exposed ?? { owners: [], parts: new Map() };
    for (const owner of [...owners, ...parts.keys()]) this.#options.store.withdraw(owner);
  }

  /** Starts those that do not run, one a step; asked to stop meanwhile, no further one. */
  *#startAll(configs: readonly AccountConfig[]): Generator<undefined, void> {
    for (const config of configs) {
      if (this.#stopped) return;
      const before = this.#running.get(config.name);
      if (before === undefined && this.#ownershipOf(config.name) === undefined) continue;
      if (before === undefined || before.isLeaving) this.#start(config, before?.account.handedOver());
      yield;
    }
  }

  #start(config: AccountConfig, handedOver: HandedOver | undefined): void {
    const limits = () => this.#limits;
    const ownership = this.#ownershipOf(config.name);
    if (ownership === undefined) {
      // It was to begin anew, and has become another's meanwhile.
      this.#running.delete(config.name);
      this.#withdraw(handedOver);
      return;
    }
    const account = new Account({ ...this.#options, ownership, config, limits, handedOver });
    account.pushTo(this.#pushed);
    this.#running.set(config.name, { config, account, ownership, isLeaving: false });
    account.start();
  }

  /**
   * Stops an account. A failure is reported and affects nothing else.
   * @param returns whether another one takes its place: until then it is still seen
   */
  #leave(running: Running, signal: AbortSignal, returns: boolean): Promise<void> {
    const left = this.#left(running, signal, returns).finally(() => this.#leaving.delete(running));
    this.#leaving.set(running, left);
    return left;
  }

  async #left(running: Running, signal: AbortSignal, returns: boolean): Promise<void> {
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
