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

/** State that an account hands over to its successor after a reload. */
export interface HandedOver {
  readonly exposed: HeldOver;
  /** Lists of configurations. */
  readonly targets: AccountTargets;
  /** The platform's id of the account, and what it was read with. */
  readonly id: string | undefined;
  readonly access: Pick<AccountConfig, 'api_url' | 'credentials'>;
}

/** Right of this process to poll an account, and the account's state. */
export interface Ownership {
  readonly state: Pick<State, 'get' | 'keys' | 'commit' | 'kind'>;
  /** True while it may be polled; always, if it is left out. */
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
  /** Shared by all accounts. */
  readonly turns: Turns;
  readonly limits: () => AccountLimits;
  /** Left by the account that a reload replaces. */
  readonly handedOver?: HandedOver | undefined;
}

/** After a reload, samples of the account before stay for this time (ms) at most, while jobs wait for their first poll. */
const LONGEST_TAKEOVER_MS = 60_000;

/** Least time (ms) between two looks at how the account is, and for each of its jobs. */
const LEAST_BETWEEN_LOOKS_MS = 1_000;
const BETWEEN_LOOKS_PER_JOB_MS = 1;

/** A running account of the platform: its connection, its quota, its jobs. The only place that acts on what they find. */
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
  /** Looks at how the account is, once polls may have changed that. */
  readonly #lookLater: Timer;
  #lookFrom = 0;
  /** Status when it was looked at last, without jobs. */
  #lastLook: AccountStatus | undefined;
  #stopEveryMinute: () => void = () => undefined;
  /** Source of each collector that was reported last. */
  readonly #reportedSources = new Map<string, string>();
  /** Counters that were behind. */
  #behind: BehindAt = new Map();
  #isBeginning = true;
  /** Latest time (local ms) until which samples of the account before a reload stay as they are. */
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
    // At once: the id of the account before a reload stays no longer than that.
    this.#exposeIdentity();
    this.#stopEveryMinute = this.#options.ticker('* * * * *', () => this.#guarded(() => this.#everyMinute()));
    this.#replaceJobs();
  }

  /** Operations a minute that it asks of the platform; undefined until its configurations are listed. */
  get demand(): number | undefined {
    return this.#isDemandKnown ? this.#intervals.perMinute : undefined;
  }

  /** Pushes what polls find to `output`; undefined stops pushing. */
  pushTo(output: PushOutput | undefined): void {
    this.#outlet.pushed = output;
  }

  /** Counters in the state that belong to this account. */
  keptCounters(): KeptCounters[] {
    return this.#jobs.series().map(({ kept }) => kept);
  }

  /** Stops, but leaves its samples exposed for the account that takes its place. @throws what `stop` throws */
  stopForAnother(signal: AbortSignal): Promise<void> {
    this.#store.handOver();
    return this.stop(signal);
  }

  /** Returns the state for the successor, once the account has stopped for it. */
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
    // At once: another replica may expose it before the last poll here is over.
    this.#store.close();
    await polls;
    try {
      await this.#saved.stop();
    } finally {
      await this.#connection.close(signal);
    }
  }

  /** Polls a job, and acts on how that ended. Never rejects. */
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
    // The first polls may be the first to read the token.
    if (end.before === undefined) this.#exposeIdentity();
    const isOther = (this.#connection.platform.reachability.up ?? null) !== this.#lastLook?.up;
    if (isOther || this.#options.clock.now() >= this.#lookFrom) this.#look();
    else this.#lookLater.set(this.#lookFrom);
    this.#publish('quota', quotaSamples(this.view, endedAt));
  }

  /** Makes the jobs that are wanted now, and polls them from now on. */
  #replaceJobs(): void {
    if (this.#stopped) return;
    const { observer, config } = this.#options;
    const jobs = this.#jobs.jobs();
    this.#intervals.replace(jobs);
    this.#isDemandKnown ||= this.#jobs.areListed;
    this.#schedule.replace(jobs);
    // Until the sources are known, what a former account has left may still be wanted.
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

  /** Measures demand, withdraws what is stale, and reports and exposes what was learned. */
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

  /** Exposes whose account it is, once the token is read. */
  #exposeIdentity(): void {
    void this.#connection.credentials.look().then(() =>
      this.#guarded(() => {
        if (!this.#stopped) this.#store.publish('identity', identitySamples(this.view, this.#options.clock));
      }),
    );
  }

  /** Exposes which counters catch up. Before the first poll too: after a restart it brings all at once. */
  #exposeCatchingUp(): void {
    const { intervals, platform } = this.view;
    const now = platform.platformClock.now();
    const jobs = this.#jobs.seriesJobs();
    const found = catchingUp(jobs, this.#behind, now, (job) => intervals.of(job).planned);
    this.#behind = found.behind;
    this.#publish('counting', found.samples);
  }

  /** Exposes samples of the account itself, unless those of the account before a reload are more complete. */
  #publish(part: string, samples: readonly Sample[]): void {
    const isTakingOver =
      this.#options.clock.now() < this.#takesOverUntil &&
      this.#schedule
        .states()
        .some(({ job, lastOutcome }) => job.follows === undefined && lastOutcome === undefined);
    if (!this.#stopped && !isTakingOver) this.#store.publish(part, samples);
  }

  /** Does what a timer asks for; an error is reported, and never ends the process. */
  #guarded(act: () => void): void {
    const { observer, config } = this.#options;
    try {
      act();
    } catch (error) {
      observer.defect(config.name, undefined, error);
    }
  }

  /** Exposes how the account is. */
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
