import type { Clock } from '../clock.ts';
import { partOf } from '../collectors.ts';
import { sameAccess } from '../configuration/access.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import type { Store } from '../exposition/store.ts';
import { accountIdOf } from '../platform/credentials.ts';
import { isPassing } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import type { Turns } from '../poll/operations.ts';
import { type JobState, Schedule, type ScheduledJob } from '../poll/schedule.ts';
import type { Ticker } from '../poll/ticker.ts';
import { PollIntervals } from '../rate-limit/poll-intervals.ts';
import type { KeptCounters } from '../series/pruning.ts';
import { SeriesJob } from '../series/series-job.ts';
import { DelayReports } from '../settling/delay-reports.ts';
import { runInSlices } from '../slices.ts';
import type { State } from '../state/state.ts';
import { AccountJudge } from './account-judge.ts';
import { AccountPolls, type PushDestination, type PushOutput } from './account-polls.ts';
import { AccountSamples } from './account-samples.ts';
import {
  type AccountObserver,
  type AccountView,
  accountStatus,
  shortestInterval,
  silenceOf,
} from './account-status.ts';
import { AccountStore } from './account-store.ts';
import type { AccountTargets } from './account-targets.ts';
import { Connection, type CredentialsFactory } from './connection.ts';
import type { HeldOver } from './held-over.ts';
import { AccountJobs, type AccountLimits } from './jobs.ts';
import { LearnedSamples } from './learned-samples.ts';
import { SavedParts } from './saved-parts.ts';

/** What an account hands over to the one that takes its place after a reload. */
export interface HandedOver {
  readonly exposed: HeldOver;
  /** What is known of the lists of configurations. */
  readonly targets: AccountTargets;
  /** The platform's id of the account, and what it was read with. */
  readonly id: string | undefined;
  readonly access: Pick<AccountConfig, 'api_url' | 'credentials'>;
}

/** What makes an account this process' own. */
export interface Ownership {
  /** What it remembers. */
  readonly state: Pick<State, 'get' | 'keys' | 'commit' | 'kind'>;
  /** Whether it may be polled at this moment; it always may where it is left out. */
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
  /** Where a reload starts the account anew. */
  readonly handedOver?: HandedOver | undefined;
}

/** A running account of the platform: its connection, its quota, its jobs. */
export class Account {
  readonly view: AccountView;
  readonly #options: Omit<AccountOptions, 'handedOver'>;
  readonly #connection: Connection;
  readonly #jobs: AccountJobs;
  readonly #forecast: PollIntervals;
  readonly #polls: AccountPolls;
  readonly #schedule: Schedule;
  readonly #store: AccountStore;
  readonly #samples: AccountSamples;
  readonly #learnedSamples: LearnedSamples;
  readonly #judge: AccountJudge;
  readonly #saved: SavedParts;
  readonly #delayReports: DelayReports;
  readonly #outlet: PushDestination = { pushed: undefined };
  /** When (local ms) the scheduler ran last; at first, when the account began. */
  #beatAt: number;
  #stopBeating: () => void = () => undefined;
  #replacements = 0;
  /** The source of each collector as it was said last. */
  readonly #noted = new Map<string, string>();
  #isBeginning = true;
  #stopped = false;
  #isTakingStock = false;
  #isDemandKnown = false;

  constructor({ handedOver, ...options }: AccountOptions) {
    const { config, clock, ticker, ownership, observer, turns } = options;
    const { state, mayAct } = ownership;
    const { name: account, stale_after: staleAfter } = config;
    this.#options = options;
    const isSameAccess = handedOver !== undefined && sameAccess(handedOver.access, config);
    const formerId = isSameAccess ? handedOver.id : undefined;
    this.#delayReports = new DelayReports(config);
    this.#beatAt = clock.now();
    this.#connection = new Connection({
      account: config,
      clock,
      credentials: options.credentials,
      mayLeave: mayAct,
      turns,
      observer,
    });
    const { platform, queue, credentials } = this.#connection;
    const { scopes, platformClock } = platform;
    const forecast = new PollIntervals(scopes);
    this.#forecast = forecast;
    this.#store = new AccountStore({
      config,
      store: options.store,
      platformClock,
      intervals: forecast,
      outlet: this.#outlet,
      held: handedOver?.exposed,
      isSameAccess,
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
    const exposed = this.#store;
    const poll = (scheduled: ScheduledJob) => this.#polls.poll(scheduled);
    this.#schedule = new Schedule({ clock, platformClock, ticker, poll, exposed });
    this.view = {
      name: account,
      apiUrl: config.api_url,
      credentials: config.credentials.kind,
      shard: config.shard,
      id: accountIdOf(credentials, new URL(config.api_url).origin, formerId),
      reserve: config.quota.reserve,
      platform,
      queue,
      forecast,
      intervals: forecast,
      tokenExpiresAt: credentials.expiresAt.bind(credentials),
      tokenRenewsAt: credentials.renewsAt.bind(credentials),
      jobs: () => this.#schedule.states(),
      isBeginning: () => this.#isBeginning,
      listings: () => this.#jobs.listings(),
      sources: () => this.#jobs.sources.known(),
      silence: () =>
        silenceOf({
          now: clock.now(),
          beatAt: this.#beatAt,
          polledAt: this.#polls.lastAt,
          platformUp: platform.reachability.up !== false,
          shortestIntervalMs: shortestInterval(this.#schedule.states(), forecast),
        }),
      judged: () => this.#judge.judged(),
    };
    const samples = new AccountSamples(this.view, { clock, store: this.#store, staleAfter });
    this.#samples = samples;
    const publish = samples.publish.bind(samples);
    this.#learnedSamples = new LearnedSamples(this.view, { delays: config, publish });
    this.#judge = new AccountJudge(this.view, {
      clock,
      status: () => accountStatus(this.view, clock),
      expose: (judgement) => publish('judgement', judgement),
    });
    const { memory } = this.#jobs;
    this.#saved = new SavedParts({ clock, memory, parts: () => this.#jobs.saved(), state });
    this.#polls = new AccountPolls({
      config,
      clock,
      connection: this.#connection,
      intervals: forecast,
      jobs: this.#jobs,
      state,
      outlet: this.#outlet,
      store: this.#store,
      samples,
      judge: this.#judge,
      saved: this.#saved,
      observer,
      jobsChanged: () => this.#replace(),
    });
  }

  start(): void {
    // At once: what the account of before was known by stays no longer than that.
    this.#exposeIdentity();
    // On the scheduler's own ticker: no beat means that the scheduler has stopped.
    this.#stopBeating = this.#options.ticker('* * * * *', () => {
      this.#beatAt = this.#options.clock.now();
      this.#isBeginning = false;
      // Of thousands of jobs on a busy machine it may take longer than a minute.
      if (!this.#isTakingStock) void runInSlices(this.#takeStock());
    });
    this.#replace();
  }

  /** What it asks of the platform (operations a minute); undefined until it is known what there is to poll. */
  get demand(): number | undefined {
    return this.#isDemandKnown ? this.#forecast.perMinute : undefined;
  }

  /** Pushes what polls find to `output`; undefined stops pushing. */
  pushTo(output: PushOutput | undefined): void {
    this.#outlet.pushed = output;
  }

  /** The counters in the state that belong to this account. */
  keptCounters(): KeptCounters[] {
    return this.#jobs.series().map(({ kept }) => kept);
  }

  /** Stops, but leaves its samples exposed for the account that takes its place. @throws what `stop` throws */
  stopForAnother(signal: AbortSignal): Promise<void> {
    this.#store.handOver();
    return this.stop(signal);
  }

  /** What it hands over once it has stopped for another. */
  handedOver(): HandedOver {
    const { config: access } = this.#options;
    return { exposed: this.#store.heldOver(), targets: this.#jobs.targets, id: this.view.id(), access };
  }

  /** Waits for the polls in progress, revokes the token, and closes the connections. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#stopBeating();
    this.#stopped = true;
    // Each job withdraws its own series: by name prefix alone, account "a" would match "a/b".
    const polls = this.#schedule.stop();
    this.#store.keep(new Set());
    // At once: another replica may expose it before the last poll here is over.
    this.#judge.stop();
    this.#samples.withdraw();
    await polls;
    try {
      await this.#saved.stop();
    } finally {
      await this.#connection.close(signal);
    }
  }

  /** Exposes whose account it is, once it was looked whether there is another token by now. */
  #exposeIdentity(): void {
    void this.#connection.credentials.look().then(() => this.#samples.exposeIdentity());
  }

  /** Reports the source that series are read by, if it has changed. */
  #noteSources(): void {
    if (this.#stopped) return;
    const { observer, config } = this.#options;
    for (const chosen of this.#jobs.sources.known()) {
      if (this.#noted.get(chosen.collector) === chosen.source) continue;
      this.#noted.set(chosen.collector, chosen.source);
      observer.sourceChosen(config.name, chosen);
    }
  }

  /** Polls the jobs that are wanted now. There may be thousands: they are made in slices, and the latest call wins. */
  #replace(): void {
    this.#replacements += 1;
    void runInSlices(this.#makeJobs(this.#replacements));
  }

  *#makeJobs(replacement: number): Generator<undefined, void> {
    // Its turn may come only once the account has stopped, and its state is closed.
    if (this.#isOutdated(replacement)) return;
    const { areListed } = this.#jobs;
    const jobs: Job[] = [];
    for (const job of this.#jobs.wanted()) {
      if (job !== undefined) jobs.push(job);
      yield;
      if (this.#isOutdated(replacement)) return;
    }
    for (const step of this.#forecast.replace(jobs)) {
      yield step;
      if (this.#isOutdated(replacement)) return;
    }
    this.#isDemandKnown ||= areListed;
    for (const step of this.#learnedSamples.exposeCatchingUp(this.#jobs.seriesJobs())) {
      yield step;
      if (this.#isOutdated(replacement)) return;
    }
    // Polls of jobs that are not wanted any more have ended by then: none exposes anything again.
    void this.#schedule.replace(jobs).then(() => this.#replaced(jobs, replacement));
    this.#options.observer.jobsDropped(this.#options.config.name, this.#jobs.dropped);
    const collectors = new Set(jobs.map(({ subject: { collector } }) => collector));
    this.#options.observer.collects(this.#options.config.name, collectors);
  }

  #replaced(jobs: readonly Job[], replacement: number): void {
    this.#noteSources();
    // Until the sources are known, what a former account has left may still be wanted.
    if (!this.#isOutdated(replacement) && this.#jobs.areSourcesChosen) this.#store.keep(idsOf(jobs));
  }

  #isOutdated(replacement: number): boolean {
    return this.#stopped || replacement !== this.#replacements;
  }

  *#takeStock(): Generator<undefined, void> {
    this.#isTakingStock = true;
    try {
      for (const step of this.#stock()) {
        yield step;
        if (this.#stopped) return;
      }
    } finally {
      this.#isTakingStock = false;
    }
  }

  /** Every minute: reports and exposes what was learned, and measures demand; in steps, since each goes through all jobs. */
  *#stock(): Generator<undefined, void> {
    this.#exposeIdentity();
    const { observer, config } = this.#options;
    const platformNow = this.view.platform.platformClock.now();
    const { memory, learned } = this.#jobs;
    const known = [...learned].map((metric) => ({ ...metric, known: memory.of(metric.part) }));
    for (const metric of known) {
      for (const change of this.#delayReports.changes(metric, metric.known, platformNow))
        observer.delayChanged(config.name, change);
    }
    yield* this.#store.withdrawStale();
    yield* this.#forecast.measure();
    if (this.view.platform.reachability.answered) {
      observer.planned(config.name, this.#forecast.demands(), isSurveyed(this.#schedule.states()));
    }
    this.#samples.exposeQuota();
    this.#samples.exposeListings();
    yield* this.#judge.judge();
    yield* this.#samples.exposeAges(this.#jobs.seriesJobs(), platformNow);
    this.#learnedSamples.expose(known, platformNow);
    yield* this.#learnedSamples.exposeCatchingUp(this.#jobs.seriesJobs());
  }
}

/** Returns the ids of jobs and of the series that they read. */
function idsOf(jobs: readonly Job[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const job of jobs) {
    ids.add(job.id);
    if (job instanceof SeriesJob) for (const { id } of job.series) ids.add(id);
  }
  return ids;
}

/** Whether all lists were read once (or refused), so that what there is to poll is known. */
function isSurveyed(states: readonly JobState[]): boolean {
  const lists = states.filter(({ job }) => partOf(job) === 'discovery' || partOf(job) === 'settings');
  return lists.every(
    ({ lastSuccessAt, lastOutcome }) =>
      lastSuccessAt !== undefined || (lastOutcome !== undefined && !isPassing(lastOutcome)),
  );
}
