import { Account, type AccountOptions, type PushOutput } from './account/account.ts';
import type { AccountLimits } from './account/jobs.ts';
import type { AccountView } from './account/view.ts';
import { sameAccount } from './configuration/access.ts';
import { type Account as AccountConfig, DEFAULT_LIMITS } from './configuration/schema.ts';
import type { KeptCounters } from './series/stored-counters.ts';
import { runInSlices } from './slices.ts';

/** What all accounts share. */
export type RunningAccountsOptions = Omit<AccountOptions, 'config' | 'limits'>;

interface Running {
  readonly config: AccountConfig;
  readonly account: Account;
}

/** The accounts that run. */
export class RunningAccounts {
  readonly #options: RunningAccountsOptions;
  readonly #running = new Map<string, Running>();
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
   * Makes these the accounts: those that have changed start anew, the others go on untouched. The caller applies one
   * configuration after another.
   */
  async apply(configs: readonly AccountConfig[], limits: AccountLimits, signal: AbortSignal): Promise<void> {
    this.#limits = limits;
    const wanted = new Map(configs.map((config) => [config.name, config]));
    const leaving = [...this.#running].filter(([name, { config }]) => !sameAccount(config, wanted.get(name)));
    for (const [name] of leaving) this.#running.delete(name);
    await Promise.all(leaving.map(([, running]) => this.#leave(running, signal)));
    await runInSlices(this.#startAll([...wanted.values()]));
  }

  /** Stops all and starts no further one: at once and not in slices, since what stops makes the event loop free. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#running.values()].map((running) => this.#leave(running, signal)));
    this.#running.clear();
  }

  /** Starts those that do not run, one a step; asked to stop meanwhile, no further one. */
  *#startAll(configs: readonly AccountConfig[]): Generator<undefined, void> {
    for (const config of configs) {
      if (this.#stopped) return;
      if (!this.#running.has(config.name)) this.#start(config);
      yield;
    }
  }

  #start(config: AccountConfig): void {
    const account = new Account({ ...this.#options, config, limits: () => this.#limits });
    account.pushTo(this.#pushed);
    this.#running.set(config.name, { config, account });
    account.start();
  }

  /** Stops an account. A failure is reported and affects nothing else. */
  async #leave({ config, account }: Running, signal: AbortSignal): Promise<void> {
    const { observer } = this.#options;
    await account.stop(signal).then(
      () => observer.left(config.name),
      (error: unknown) => observer.left(config.name, error),
    );
  }
}
