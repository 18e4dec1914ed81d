import type { Sample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import type { Account as AccountConfig } from '../configuration/schema.ts';
import type { Store } from '../exposition/store.ts';
import { ExposedResults } from '../poll/exposed-results.ts';
import type { Job } from '../poll/job.ts';
import type { Turns } from '../poll/operations.ts';
import { type Commit, type PollEnd, PollRunner } from '../poll/runner.ts';
import { Schedule } from '../poll/schedule.ts';
import type { Ticker } from '../poll/ticker.ts';
import { DemandForecast } from '../rate-limit/demand-forecast.ts';
import type { KeptCounters } from '../series/stored-counters.ts';
import { runInSlices } from '../slices.ts';
import type { State } from '../state/state.ts';
import { AccountSamples } from './account-samples.ts';
import { Connection, type CredentialsFactory } from './connection.ts';
import { AccountJobs, type AccountLimits, isSurveyed } from './jobs.ts';
import { type AccountObserver, type AccountView, silenceOf } from './view.ts';

/** Takes what is pushed: with what is committed, and in place of what `/metrics` would show. */
export interface PushOutput {
  readonly commit: Commit;
  /** Whether `/metrics` has a sample nevertheless. */
  exposes(sample: Sample): boolean;
}

export interface AccountOptions {
  readonly config: AccountConfig;
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly store: Store;
  readonly state: Pick<State, 'get' | 'keys' | 'commit'>;
  readonly observer: AccountObserver;
  readonly credentials: CredentialsFactory;
  /** Shared by all accounts. */
  readonly turns: Turns;
  readonly limits: () => AccountLimits;
}

/** A running account of the platform: its connection, its quota, its jobs. */
export class Account {
  readonly view: AccountView;
  readonly #options: AccountOptions;
  readonly #connection: Connection;
  readonly #jobs: AccountJobs;
  readonly #forecast: DemandForecast;
  readonly #schedule: Schedule;
  readonly #exposed: ExposedResults;
  readonly #samples: AccountSamples;
  /** Undefined while nothing is pushed. */
  #pushed: PushOutput | undefined;
  /** When (local ms) the scheduler ran last, and something was polled; at first, when the account began. */
  #beatAt: number;
  #polledAt: number;
  #stopBeating: () => void = () => undefined;
  #replacements = 0;
  #stopped = false;

  constructor(options: AccountOptions) {
    const { config, clock, ticker, store, state, observer, turns } = options;
    const { name: account, stale_after: staleAfter } = config;
    this.#options = options;
    this.#beatAt = clock.now();
    this.#polledAt = clock.now();
    this.#connection = new Connection({
      account: config,
      clock,
      credentials: options.credentials,
      turns,
      onExchange: (info, scope) => {
        observer.exchanged(account, info, scope);
        this.#samples.exposeVitals();
      },
      onTurn: (waitedMs) => observer.departed(account, waitedMs),
    });
    const { platform, queue, operations } = this.#connection;
    const { scopes, platformClock } = platform;
    const forecast = new DemandForecast(scopes);
    this.#forecast = forecast;
    const exposes = (sample: Sample) => this.#pushed?.exposes(sample) ?? true;
    this.#exposed = new ExposedResults({ account, clock, forecast, store, exposes, staleAfter });
    const runner = new PollRunner({
      account,
      clock,
      operations,
      forecast,
      commit: (found) => this.#pushed?.commit(found) ?? state.commit(found.entries),
      exposed: this.#exposed,
      observer,
      polled: (end) => this.#polled(end),
    });
    const exposed = this.#exposed;
    this.#schedule = new Schedule({ clock, platformClock, ticker, forecast, runner, exposed });
    this.#jobs = new AccountJobs({
      account: config,
      memory: state,
      isPushed: () => this.#pushed !== undefined,
      scopes,
      limits: options.limits,
      onDropped: (dropped) => observer.jobsDropped(account, dropped),
    });
    this.view = {
      name: account,
      apiUrl: config.api_url,
      reserve: config.quota.reserve,
      platform,
      queue,
      forecast,
      tokenExpiresAt: () => this.#connection.credentials.expiresAt(),
      jobs: () => this.#schedule.states(),
      listings: () => this.#jobs.targets.listings(),
      silence: () =>
        silenceOf({
          now: clock.now(),
          beatAt: this.#beatAt,
          polledAt: this.#polledAt,
          platformUp: platform.reachability.up !== false,
          shortestIntervalMs: forecast.shortestIntervalMs(),
        }),
    };
    this.#samples = new AccountSamples(this.view, { clock, store, staleAfter });
  }

  start(): void {
    // On the scheduler's own ticker, so that a missing run shows that the scheduler has stopped.
    this.#stopBeating = this.#options.ticker('* * * * *', () => {
      this.#beatAt = this.#options.clock.now();
      void runInSlices(this.#takeStock());
    });
    this.#replace();
  }

  /** Has what the polls find pushed from now on, or, of undefined, not. */
  pushTo(output: PushOutput | undefined): void {
    this.#pushed = output;
  }

  /** The counters in the state that belong to this account. */
  keptCounters(): KeptCounters[] {
    return this.#jobs.series().map(({ kept }) => kept);
  }

  /** Waits for the polls in progress, revokes the token, and closes the connections. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#stopBeating();
    this.#stopped = true;
    // Each job withdraws its own series: by name prefix alone, account "a" would match "a/b".
    await this.#schedule.stop();
    try {
      await this.#connection.close(signal);
    } finally {
      this.#samples.withdraw();
    }
  }

  /** Polls the jobs that are wanted now. There may be thousands: they are made in slices, the newest time for good. */
  #replace(): void {
    this.#replacements += 1;
    void runInSlices(this.#makeJobs(this.#replacements));
  }

  *#makeJobs(replacement: number): Generator<undefined, void> {
    const jobs: Job[] = [];
    for (const job of this.#jobs.wanted()) {
      jobs.push(job);
      yield;
      if (this.#isOutdated(replacement)) return;
    }
    for (const step of this.#forecast.replace(jobs)) {
      yield step;
      if (this.#isOutdated(replacement)) return;
    }
    this.#schedule.replace(jobs);
  }

  #isOutdated(replacement: number): boolean {
    return this.#stopped || replacement !== this.#replacements;
  }

  /** What was learned and what it asks of the quota, in steps, since each goes through all jobs. */
  *#takeStock(): Generator<undefined, void> {
    const { observer, config } = this.#options;
    const platformNow = this.view.platform.platformClock.now();
    for (const change of this.#jobs.delays.changes(platformNow)) observer.delayChanged(config.name, change);
    yield* this.#exposed.withdrawStale();
    yield* this.#forecast.measure();
    if (this.view.platform.reachability.answered) {
      observer.planned(config.name, this.#forecast.demands(), isSurveyed(this.#schedule.states()));
    }
    this.#samples.exposeVitals();
    this.#samples.exposeListings();
    yield* this.#samples.exposeLearned(this.#jobs.delays.all(), this.#jobs.series());
  }

  #polled(end: PollEnd): void {
    const { observer, config } = this.#options;
    const { reachability } = this.view.platform;
    const wasUp = reachability.up;
    reachability.polled(end);
    this.#exposed.platformIs(reachability.up === true);
    if (end.operations > 0) this.#polledAt = this.#options.clock.now();
    // All else that the vitals tell comes with an exchange, and was exposed then.
    if (reachability.up !== wasUp) this.#samples.exposeVitals();
    observer.polled(config.name, end);
    if (!end.job.findsJobs) return;
    if (this.#jobs.learn(end.job, end.outcome, end.result)) this.#replace();
    this.#samples.exposeListings();
  }
}
