import type { Sample } from '../catalogue/family.ts';
import { type Clock, Timer } from '../clock.ts';
import { sameAccess } from '../configuration/access.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import type { Store } from '../exposition/store.ts';
import { accountIdOf } from '../platform/credentials.ts';
import type { PollEnd } from '../poll/job.ts';
import type { Turns } from '../poll/operations.ts';
import { PollRunner } from '../poll/runner.ts';
import { Schedule, type ScheduledJob } from '../poll/schedule.ts';
import type { Ticker } from '../poll/ticker.ts';
import { PollIntervals } from '../rate-limit/poll-intervals.ts';
import type { KeptCounters } from '../series/pruning.ts';
import type { State } from '../state/state.ts';
import type { AccountStatus } from '../status-document.ts';
import {
  ageSamples,
  type BehindAt,
  catchingUp,
  factSamples,
  identitySamples,
  type Learned,
  learnedSamples,
  listingSamples,
  quotaSamples,
} from './account-samples.ts';
import {
  type AccountObserver,
  type AccountView,
  accountStatus,
  isSurveyed,
  type PushDestination,
  type PushOutput,
  viewOf,
} from './account-status.ts';
import { AccountStore, type HeldOver, withLabels } from './account-store.ts';
import type { AccountTargets } from './account-targets.ts';
import { Connection, type CredentialsFactory } from './connection.ts';
import { AccountJobs, type AccountLimits, idsOf } from './jobs.ts';
import { SavedParts } from './saved-parts.ts';

/** State that an account leaves to its successor after a reload. */
export interface HandedOver {
  readonly exposed: HeldOver;
  /** Lists of configurations. */
  readonly targets: AccountTargets;
  /** Platform's id of the account, and the address and credentials that it was read with. */
  readonly id: string | undefined;
  readonly access: Pick<AccountConfig, 'api_url' | 'credentials'>;
}

/** Right of this process to poll an account, with the account's state. */
export interface Ownership {
  readonly state: Pick<State, 'get' | 'keys' | 'commit' | 'kind'>;
  /** Returns true while the account may be polled; default: always. */
  readonly mayAct?: () => boolean;
}

export interface AccountOptions {
  readonly config: AccountConfig;
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly store: Store;
  readonly ownership: Ownership;
  readonly observer: AccountObserver;
  readonly credentials: CredentialsFactory;
  /** Turns that all accounts share. */
  readonly turns: Turns;
  readonly limits: () => AccountLimits;
  /** State of the account that a reload replaces; undefined after a start. */
  readonly handedOver?: HandedOver | undefined;
}

/** Longest time (ms) after a reload for which samples of the former account stay while jobs wait for their first poll. */
const LONGEST_TAKEOVER_MS = 60_000;

/** Least time (ms) between two computations of the status, and its addition for each job. */
const LEAST_BETWEEN_LOOKS_MS = 1_000;
const BETWEEN_LOOKS_PER_JOB_MS = 1;

/** Running account of the platform, with its connection, its quota and its jobs. Only this class acts on the results of polls. */
export class Account {
  readonly view: AccountView;
  readonly #options: Omit<AccountOptions, 'handedOver'>;
  readonly #connection: Connection;
  readonly #jobs: AccountJobs;
  readonly #intervals: PollIntervals;
  readonly #runner: PollRunner;
  readonly #schedule: Schedule;
  readonly #store: AccountStore;
  readonly #saved: SavedParts;
  readonly #outlet: PushDestination = { pushed: undefined };
  /** Timer that computes the status after polls may have changed it. */
  readonly #lookLater: Timer;
  #lookFrom = 0;
  /** Status at its last computation, without jobs; undefined before the first. */
  #lastLook: AccountStatus | undefined;
  #stopEveryMinute: () => void = () => undefined;
  /** Source last reported for each collector. */
  readonly #reportedSources = new Map<string, string>();
  /** Counters that are or were recently behind. */
  #behind: BehindAt = new Map();
  #isBeginning = true;
  /** Latest time (local ms) until which samples of the former account stay unchanged. */
  #takesOverUntil: number;
  #stopped = false;
  #isDemandKnown = false;

  constructor({ handedOver, ...options }: AccountOptions) {
    const { config, clock, ticker, ownership, observer, turns } = options;
    const { state, mayAct } = ownership;
    this.#options = options;
    this.#takesOverUntil = clock.now() + (handedOver === undefined ? 0 : LONGEST_TAKEOVER_MS);
    this.#lookLater = new Timer(clock, () => this.#guarded(() => this.#look()));
    this.#connection = new Connection({
      account: config,
      clock,
      credentials: options.credentials,
      mayLeave: mayAct,
      turns,
      observer,
    });
    const { platform, credentials } = this.#connection;
    const { scopes, platformClock } = platform;
    const intervals = new PollIntervals(scopes);
    this.#intervals = intervals;
    this.#store = new AccountStore({
      config,
      store: options.store,
      platformClock,
      intervals,
      outlet: this.#outlet,
      held: handedOver?.exposed,
    });
    this.#jobs = new AccountJobs({
      account: config,
      state,
      outlet: this.#outlet,
      scopes,
      limits: options.limits,
      access: {
        id: accountIdOf(credentials, `${config.api_url} ${config.graphql_url}`),
        look: () => credentials.look(),
      },
      formerTargets: handedOver?.targets,
    });
    const { memory } = this.#jobs;
    const labelled = withLabels(config.labels);
    this.#runner = new PollRunner({
      account: config.name,
      clock,
      operations: this.#connection.operations,
      reachability: platform.reachability,
      intervals,
      commit: (found) =>
        this.#outlet.pushed?.commit({ ...found, samples: labelled(found.samples) }) ??
        state.commit(found.entries),
      memory,
      exposed: this.#store,
      observer,
    });
    this.#schedule = new Schedule({ clock, platformClock, ticker, poll: (job) => this.#poll(job) });
    this.#saved = new SavedParts({ clock, memory, parts: () => this.#jobs.saved(), state });
    const isSameAccess = handedOver !== undefined && sameAccess(handedOver.access, config);
    const formerId = isSameAccess ? handedOver.id : undefined;
    this.view = this.#viewOf(accountIdOf(credentials, new URL(config.api_url).origin, formerId));
  }

  #viewOf(id: AccountView['id']): AccountView {
    return viewOf(this.#options.config, this.#connection, this.#intervals, {
      id,
      jobs: () => this.#schedule.states(),
      isBeginning: () => this.#isBeginning,
      listings: () => this.#jobs.listings(),
      sources: () => this.#jobs.sources.known(),
      lastLook: () => this.#lastLook,
    });
  }

  start(): void {
    // The new id replaces that of the former account at once.
    this.#exposeIdentity();
    this.#stopEveryMinute = this.#options.ticker('* * * * *', () => this.#guarded(() => this.#everyMinute()));
    this.#replaceJobs();
  }

  /** Planned operations per minute; undefined until the account's configurations are listed. */
  get demand(): number | undefined {
    return this.#isDemandKnown ? this.#intervals.perMinute : undefined;
  }

  /** Pushes the results of polls to `output`; undefined stops pushing. */
  pushTo(output: PushOutput | undefined): void {
    this.#outlet.pushed = output;
  }

  /** Returns the counters in the state that belong to this account. */
  keptCounters(): KeptCounters[] {
    return this.#jobs.series().map(({ kept }) => kept);
  }

  /** Stops, but leaves the samples exposed for the account that replaces this one. @throws the errors of `stop` */
  stopForAnother(signal: AbortSignal): Promise<void> {
    this.#store.handOver();
    return this.stop(signal);
  }

  /** Returns the state for the successor, after the account has stopped for it. */
  handedOver(): HandedOver {
    const { config: access } = this.#options;
    return { exposed: this.#store.heldOver(), targets: this.#jobs.targets, id: this.view.id(), access };
  }

  /** Waits for the polls in progress, revokes the token, and closes the connections. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#stopEveryMinute();
    this.#stopped = true;
    this.#lookLater.set(Number.POSITIVE_INFINITY);
    const polls = this.#schedule.stop();
    // The samples go at once: another replica may expose them before the last poll here ends.
    this.#store.close();
    await polls;
    try {
      await this.#saved.stop();
    } finally {
      await this.#connection.close(signal);
    }
  }

  /** Polls a job, and acts on the end of the poll. Never rejects. */
  async #poll(scheduled: ScheduledJob): Promise<void> {
    const { observer, config } = this.#options;
    try {
      const end = await this.#runner.run(scheduled);
      if (end !== undefined) this.#polled(end);
    } catch (error) {
      observer.defect(config.name, scheduled.job, error);
    }
  }

  #polled({ job, outcome, result, endedAt, ...end }: PollEnd): void {
    this.#store.platformIs(this.#connection.platform.reachability.up === true);
    this.#jobs.sources.polled({ job, outcome, result, endedAt, ...end });
    const isLearned = (result?.learned ?? []).length > 0 || result?.discovery !== undefined;
    const isFound = this.#jobs.learn(job, outcome, result) || this.#jobs.sources.haveChanged;
    if (isLearned || isFound) this.#saved.saveSoon();
    if (isFound) this.#replaceJobs();
    // One of the first polls may have read the token for the first time.
    if (end.before === undefined) this.#exposeIdentity();
    const isOther = (this.#connection.platform.reachability.up ?? null) !== this.#lastLook?.up;
    if (isOther || this.#options.clock.now() >= this.#lookFrom) this.#look();
    else this.#lookLater.set(this.#lookFrom);
    this.#publish('quota', quotaSamples(this.view, endedAt));
  }

  /** Makes the current jobs, and polls them from now on. */
  #replaceJobs(): void {
    if (this.#stopped) return;
    const { observer, config } = this.#options;
    const jobs = this.#jobs.jobs();
    this.#intervals.replace(jobs);
    this.#isDemandKnown ||= this.#jobs.areListed;
    this.#schedule.replace(jobs);
    // Until the sources are known, samples of the former account may still be wanted.
    if (this.#jobs.areSourcesReady) this.#store.keep(idsOf(jobs));
    this.#exposeCatchingUp();
    this.#reportSources();
    observer.jobsDropped(config.name, this.#jobs.dropped);
    observer.collects(config.name, new Set(jobs.map(({ subject: { collector } }) => collector)));
  }

  #reportSources(): void {
    const { observer, config } = this.#options;
    for (const chosen of this.#jobs.sources.known()) {
      if (this.#reportedSources.get(chosen.collector) === chosen.source) continue;
      this.#reportedSources.set(chosen.collector, chosen.source);
      observer.sourceChosen(config.name, chosen);
    }
  }

  /** Measures the demand, withdraws stale samples, and reports and exposes the learned values. */
  #everyMinute(): void {
    const { observer, config, clock } = this.#options;
    const { platform } = this.view;
    this.#isBeginning = false;
    const now = platform.platformClock.now();
    const { memory, learned } = this.#jobs;
    const known: Learned[] = [...learned].map((metric) => ({ ...metric, known: memory.of(metric.part) }));
    this.#store.withdrawStale();
    this.#intervals.measure();
    if (platform.reachability.answered)
      observer.planned(config.name, this.#intervals.demands(), isSurveyed(this.#schedule.states()));
    this.#exposeIdentity();
    this.#publish('learned', learnedSamples(config.name, known, config, now));
    this.#publish('quota', quotaSamples(this.view, clock.now()));
    this.#exposeCatchingUp();
    this.#look();
  }

  /** Exposes the identity of the account, once the token is read. */
  #exposeIdentity(): void {
    void this.#connection.credentials.look().then(() =>
      this.#guarded(() => {
        if (!this.#stopped) this.#store.publish('identity', identitySamples(this.view, this.#options.clock));
      }),
    );
  }

  /** Exposes the counters that catch up, even before the first poll: after a restart it counts many buckets at once. */
  #exposeCatchingUp(): void {
    const { intervals, platform } = this.view;
    const now = platform.platformClock.now();
    const jobs = this.#jobs.seriesJobs();
    const found = catchingUp(jobs, this.#behind, now, (job) => intervals.of(job).planned);
    this.#behind = found.behind;
    this.#publish('counting', found.samples);
  }

  /** Exposes samples of the account itself, unless those of the former account are more complete. */
  #publish(part: string, samples: readonly Sample[]): void {
    const isTakingOver =
      this.#options.clock.now() < this.#takesOverUntil &&
      this.#schedule
        .states()
        .some(({ job, lastOutcome }) => job.follows === undefined && lastOutcome === undefined);
    if (!this.#stopped && !isTakingOver) this.#store.publish(part, samples);
  }

  /** Runs the action of a timer. An error is reported, and never ends the process. */
  #guarded(act: () => void): void {
    const { observer, config } = this.#options;
    try {
      act();
    } catch (error) {
      observer.defect(config.name, undefined, error);
    }
  }

  /** Computes the status, and exposes its samples. */
  #look(): void {
    if (this.#stopped) return;
    const { clock, config } = this.#options;
    const { platform, intervals } = this.view;
    const now = clock.now();
    this.#lookFrom =
      now + Math.max(LEAST_BETWEEN_LOOKS_MS, BETWEEN_LOOKS_PER_JOB_MS * this.#schedule.states().length);
    const platformNow = platform.platformClock.now();
    this.#publish('listings', listingSamples(this.view));
    this.#publish('ages', ageSamples(config.name, this.#jobs.seriesJobs(), intervals, platformNow));
    const status = accountStatus(this.view, clock);
    this.#lastLook = { ...status, jobs: [] };
    const { facts } = status;
    // The samples of a former account must not hide that this one is down.
    if (facts.up === false) this.#takesOverUntil = now;
    this.#publish('facts', factSamples(config.name, facts));
  }
}
