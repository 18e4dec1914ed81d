import type { Sample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import type { Account as AccountConfig } from '../configuration/schema.ts';
import { runInSlices } from '../exposition/slices.ts';
import type { Store } from '../exposition/store.ts';
import type { Departures } from '../poll/departures.ts';
import type { Job } from '../poll/job.ts';
import type { PollEnd } from '../poll/poll-end.ts';
import { type Commit, PollRunner } from '../poll/runner.ts';
import { Schedule } from '../poll/schedule.ts';
import type { Ticker } from '../poll/ticker.ts';
import { DemandForecast } from '../rate-limit/demand-forecast.ts';
import type { KeptCounters } from '../series/pruning.ts';
import type { StateReader } from '../state/state.ts';
import { type ExpectedAge, expectedAgeSamples, learnedSamples, vitalSamples } from './account-samples.ts';
import { Connection, type CredentialsFactory } from './connection.ts';
import { Heartbeat } from './heartbeat.ts';
import { AccountJobs, type AccountLimits, isSurveyed } from './jobs.ts';
import type { AccountObserver } from './observer.ts';
import type { AccountView } from './view.ts';

export interface AccountOptions {
  readonly config: AccountConfig;
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly store: Store;
  readonly memory: StateReader;
  /** What is committed and pushed, whether there is anybody to push to, and what `/metrics` is to have beside. */
  readonly push: {
    readonly commit: Commit;
    readonly isWanted: boolean;
    exposes(sample: Sample): boolean;
  };
  readonly observer: AccountObserver;
  readonly credentials: CredentialsFactory;
  /** Shared by all accounts. */
  readonly departures: Departures;
  readonly limits: () => AccountLimits;
}

/** A running account of the platform: its connection, its quota, its jobs. */
export class Account {
  readonly view: AccountView;
  readonly #options: AccountOptions;
  readonly #connection: Connection;
  readonly #runner: PollRunner;
  readonly #schedule: Schedule;
  readonly #jobs: AccountJobs;
  readonly #forecast: DemandForecast;
  readonly #heartbeat: Heartbeat;
  /** Whether the platform was up when the last poll ended. */
  #isUp = false;
  #replacements = 0;
  #stopped = false;

  constructor(options: AccountOptions) {
    const { config, clock, ticker, store, push, observer } = options;
    const account = config.name;
    this.#options = options;
    this.#heartbeat = new Heartbeat(clock);
    this.#connection = new Connection({
      account: config,
      clock,
      credentials: options.credentials,
      onExchange: (info, scope) => {
        observer.exchanged(account, info, scope);
        this.#exposeVitals();
      },
      onTurn: (waitedMs) => observer.departed(account, waitedMs),
    });
    const { platform, queue, readAtOnce: exchange } = this.#connection;
    const { scopes, platformClock } = platform;
    const forecast = new DemandForecast(scopes);
    this.#forecast = forecast;
    this.#runner = new PollRunner({
      account,
      clock,
      queue,
      forecast,
      exchange,
      requestTimeoutMs: config.request.timeout,
      departures: options.departures,
      commit: (found) => push.commit(found),
      store,
      exposes: (sample) => push.exposes(sample),
      staleAfter: config.stale_after,
      polled: (end) => this.#polled(end),
      commitRefused: (job, failure) => observer.commitRefused(account, job, failure),
      overdue: (job, part) => observer.overdue(account, job, part),
      defect: (job, error) => observer.defect(account, job, error),
    });
    this.#schedule = new Schedule({ clock, platformClock, ticker, forecast, runner: this.#runner });
    this.#jobs = new AccountJobs({
      account: config,
      memory: options.memory,
      isPushed: () => push.isWanted,
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
      silence: () => this.#heartbeat.silence(platform.reachability.up !== false),
    };
  }

  start(): void {
    this.#heartbeat.start(this.#options.ticker, () => this.#everyMinute());
    this.#replace();
  }

  /** The counters in the state that belong to this account. */
  keptCounters(): KeptCounters[] {
    return this.#jobs.series().map(({ kept }) => kept);
  }

  /** Waits for the polls in progress, revokes the token, and closes the connections. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#heartbeat.stop();
    this.#stopped = true;
    // Each job withdraws its own series: by name prefix alone, account "a" would match "a/b".
    await this.#schedule.stop();
    try {
      await this.#connection.close(signal);
    } finally {
      for (const part of ['vitals', 'learned']) this.#options.store.withdraw(`${this.view.name}/${part}`);
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
      if (replacement !== this.#replacements || this.#stopped) return;
    }
    this.#forecast.replace(jobs);
    this.#expectPolls(jobs);
    this.#schedule.replace(jobs);
  }

  #expectPolls(jobs: readonly Job[]): void {
    const scheduled = jobs.filter(({ schedule }) => schedule !== undefined);
    this.#heartbeat.expect(scheduled.map((job) => this.#forecast.intervalOf(job)));
  }

  #everyMinute(): void {
    void runInSlices(this.#takeStock());
  }

  /** What was learned and what it asks of the quota, in steps, since each goes through all jobs. */
  *#takeStock(): Generator<undefined, void> {
    const { observer, config } = this.#options;
    const platformNow = this.view.platform.platformClock.now();
    for (const change of this.#jobs.delays.changes(platformNow)) observer.delayChanged(config.name, change);
    if (this.#isUp) this.#runner.withdrawStale();
    this.#forecast.measure();
    yield;
    this.#expectPolls(this.#schedule.states().map(({ job }) => job));
    yield;
    if (this.view.platform.reachability.answered) {
      observer.planned(config.name, this.#forecast.demands(), isSurveyed(this.#schedule.states()));
    }
    yield;
    const ages: ExpectedAge[] = [];
    for (const job of this.#jobs.series()) {
      const { product, metric } = job;
      ages.push({ product, metric, ageMs: job.expectedAge(this.#forecast.intervalOf(job)) });
      yield;
    }
    if (this.#stopped) return;
    this.#exposeVitals();
    this.#exposeLearned(ages);
  }

  #polled(end: PollEnd): void {
    const { observer, config } = this.#options;
    this.view.platform.reachability.polled(end);
    this.#withdrawStaleOnceUp();
    if (end.operations > 0) this.#heartbeat.polled();
    this.#exposeVitals();
    observer.polled(config.name, end);
    if (this.#jobs.learn(end.job, end.outcome, end.result)) this.#replace();
  }

  /** While the platform is down its last data may stay, since `edge_up` tells; once it is up nothing stale may. */
  #withdrawStaleOnceUp(): void {
    const wasUp = this.#isUp;
    this.#isUp = this.view.platform.reachability.up === true;
    if (this.#isUp && !wasUp) this.#runner.withdrawStale();
  }

  /** Reachability, remaining quota and token expiry as samples. */
  #exposeVitals(): void {
    const { clock, store, config } = this.#options;
    const until = clock.now() + config.stale_after;
    store.publish(`${config.name}/vitals`, vitalSamples(this.view, clock), until);
  }

  /** What was learned of the platform's delays, and how old data may therefore be. */
  #exposeLearned(ages: readonly ExpectedAge[]): void {
    const { clock, store, config } = this.#options;
    const now = this.view.platform.platformClock.now();
    const samples = [...this.#jobs.delays.all()].flatMap(({ product, metric, delays }) =>
      learnedSamples({ account: config.name, product, metric }, delays, now),
    );
    samples.push(...expectedAgeSamples(config.name, ages));
    store.publish(`${config.name}/learned`, samples, clock.now() + config.stale_after);
  }
}
