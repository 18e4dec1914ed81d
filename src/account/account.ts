import type { Clock } from '../clock.ts';
import type { Account as AccountConfig } from '../configuration/schema.ts';
import type { Store } from '../exposition/store.ts';
import { Client, type ExchangeInfo } from '../platform/client.ts';
import type { Credentials } from '../platform/credentials.ts';
import { DemandForecast } from '../rate-limit/demand-forecast.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import { RequestQueue } from '../rate-limit/request-queue.ts';
import type { PollEnd } from '../schedule/execute.ts';
import type { Job } from '../schedule/job.ts';
import { Schedule } from '../schedule/schedule.ts';
import type { Ticker } from '../schedule/ticker.ts';
import type { KeptCounters } from '../series/pruning.ts';
import type { State } from '../state/state.ts';
import type { AccountStatus } from '../status.ts';
import { AccountDisplay } from './display.ts';
import { linkOf, transportOf } from './from-configuration.ts';
import { Heartbeat } from './heartbeat.ts';
import { isSurveyed } from './job-part.ts';
import { AccountJobs, type Pace } from './jobs.ts';
import type { AccountLink } from './link.ts';
import type { AccountObserver } from './observer.ts';
import { PlanReport } from './plan-report.ts';
import { type AccountFacts, accountStatus } from './status.ts';
import { type AccountTally, tallyAccount } from './tally.ts';

export interface AccountOptions {
  readonly config: AccountConfig;
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly store: Store;
  readonly state: State;
  readonly observer: AccountObserver;
  /** Makes the account's credentials, whose own exchanges are reported like all others. */
  readonly credentials: (onExchange: (info: ExchangeInfo) => void) => Credentials;
}

/** One account of the platform at work: its connection, its quota, its jobs. */
export class Account {
  readonly #options: AccountOptions;
  readonly #link: AccountLink;
  readonly #credentials: Credentials;
  readonly #client: Client;
  readonly #queue: RequestQueue;
  readonly #schedule: Schedule;
  readonly #jobs: AccountJobs;
  readonly #forecast: DemandForecast;
  readonly #display: AccountDisplay;
  readonly #heartbeat: Heartbeat;
  readonly #planReport: PlanReport;

  constructor(options: AccountOptions) {
    const { config, clock, ticker, store, state, observer } = options;
    this.#options = options;
    this.#heartbeat = new Heartbeat(clock);
    this.#planReport = new PlanReport((plan) => observer.planned(config.name, plan));
    this.#link = linkOf(config, clock, {
      onExchange: (info, scope) => this.#exchanged(info, scope),
      onAssumedLimit: (limit) => observer.assumedLimit(config.name, limit),
    });
    this.#credentials = options.credentials(this.#link.observe);
    this.#client = new Client({
      ...transportOf(config, clock),
      credentials: this.#credentials,
      onExchange: this.#link.observe,
    });
    const { scopes, platformClock } = this.#link;
    this.#forecast = new DemandForecast(scopes);
    const shown = { account: config.name, staleAfter: config.stale_after, clock, store };
    this.#display = new AccountDisplay({ ...shown, link: this.#link });
    this.#queue = new RequestQueue({
      clock,
      scopes,
      concurrency: config.request.concurrency,
      tokenRenewed: () => this.#credentials.renewed(),
      onTurn: ({ group }, waitedMs) => observer.departed(config.name, scopes.of(group).name, waitedMs),
    });
    this.#schedule = new Schedule({
      clock,
      platformClock,
      ticker,
      queue: this.#queue,
      forecast: this.#forecast,
      exchange: (resource, signal) => this.#client.get(resource, signal),
      onPollEnd: (end) => this.#polled(end),
      onDefect: (job, error) => observer.defect(config.name, job, error),
    });
    this.#jobs = new AccountJobs({
      account: config,
      store,
      state,
      platformClock,
      observer,
      freshUntil: (pace) => clock.now() + this.#lifetime(pace),
      allowance: (group) => scopes.of(group).limiter.allowance,
      onChange: (jobs) => this.#replace(jobs),
    });
  }

  start(): void {
    this.#heartbeat.start(this.#options.ticker, () => this.#beat());
    this.#replace(this.#jobs.jobs());
  }

  /** Why the account is not ready to be trusted, in plain words; undefined when it is. */
  notReady(): string | undefined {
    const { config } = this.#options;
    const { answered, note } = this.#link.standing;
    if (!answered) {
      const why = note === '' ? '' : `: ${note}`;
      return `account ${config.name}: the platform has not answered yet${why}`;
    }
    const silence = this.#heartbeat.silence();
    if (silence === undefined) return undefined;
    return `account ${config.name}: the scheduler has not run for ${Math.round(silence / 1_000)} s`;
  }

  /** The counters of the state that it keeps. */
  keptCounters(): KeptCounters[] {
    return this.#jobs.series().map(({ kept }) => kept);
  }

  status(): AccountStatus {
    return accountStatus(this.#facts(), this.#options.clock.now());
  }

  tally(): AccountTally {
    const { config, clock } = this.#options;
    const periodOf = (schedule: string) => this.#forecast.periodOf(schedule);
    const facts = { name: config.name, link: this.#link, queue: this.#queue, periodOf };
    return tallyAccount({ ...facts, jobs: this.#schedule.states() }, clock.now());
  }

  /** Lets the polls under way end, gives back the token, and closes the connections. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#heartbeat.stop();
    // Every job takes away what it shows; by their names alone, account "a" could not be told from "a/b".
    this.#schedule.replace([]);
    await this.#schedule.stop();
    this.#queue.stop();
    try {
      await this.#credentials.close(signal);
    } finally {
      this.#display.withdraw();
      await this.#client.close();
    }
  }

  #replace(jobs: readonly Job[]): void {
    this.#forecast.replace(jobs);
    this.#schedule.replace(jobs);
  }

  #beat(): void {
    this.#forecast.measure();
    if (this.#link.standing.answered) {
      this.#planReport.update(this.#forecast, isSurveyed(this.#schedule.states()));
    }
    this.#showVitals();
    this.#display.showLearned(this.#jobs.delays());
  }

  #polled(end: PollEnd): void {
    const { observer, config } = this.#options;
    this.#link.standing.polled(end);
    this.#showVitals();
    observer.polled(config.name, end);
  }

  #exchanged(info: ExchangeInfo, scope: LimitScope): void {
    this.#options.observer.exchanged(this.#options.config.name, info, scope);
    this.#showVitals();
  }

  #showVitals(): void {
    this.#display.showVitals(this.#credentials.expiresAt());
  }

  /** How long what is published now may be shown: until well after the next poll should have renewed it. */
  #lifetime(pace: Pace): number {
    const interval = this.#forecast.intervalOf(pace);
    return Math.max(this.#options.config.stale_after, 3 * interval);
  }

  #facts(): AccountFacts {
    const { config } = this.#options;
    return {
      name: config.name,
      apiUrl: config.api_url,
      reserve: config.quota.reserve,
      link: this.#link,
      queue: this.#queue,
      tokenExpiresAt: this.#credentials.expiresAt(),
      demandPerMinute: this.#forecast.perMinute,
      stretch: this.#forecast.stretch,
      jobs: this.#schedule.states(),
      periodOf: (schedule) => this.#forecast.periodOf(schedule),
    };
  }
}
