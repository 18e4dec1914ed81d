import type { Sample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import type { PollEnd } from '../poll/job.ts';
import { type Commit, PollRunner } from '../poll/runner.ts';
import type { ScheduledJob } from '../poll/schedule.ts';
import type { PollIntervals } from '../rate-limit/poll-intervals.ts';
import { SeriesJob } from '../series/series-job.ts';
import type { State } from '../state/state.ts';
import type { AccountJudge } from './account-judge.ts';
import type { AccountSamples } from './account-samples.ts';
import type { AccountObserver } from './account-status.ts';
import { type AccountStore, withLabels } from './account-store.ts';
import type { Connection } from './connection.ts';
import type { AccountJobs } from './jobs.ts';
import type { SavedParts } from './saved-parts.ts';

/** Where samples are pushed: with each commit, and in place of `/metrics`. */
export interface PushOutput {
  readonly commit: Commit;
  /** Whether `/metrics` has a sample nevertheless. */
  exposes(sample: Sample): boolean;
}

/** Where an account pushes to, at any moment. */
export interface PushDestination {
  pushed: PushOutput | undefined;
}

interface AccountPollsOptions {
  readonly config: Pick<AccountConfig, 'name' | 'labels'>;
  readonly clock: Clock;
  readonly connection: Pick<Connection, 'operations' | 'platform'>;
  readonly intervals: PollIntervals;
  readonly jobs: AccountJobs;
  readonly state: Pick<State, 'commit'>;
  readonly outlet: PushDestination;
  readonly store: AccountStore;
  readonly samples: AccountSamples;
  readonly judge: AccountJudge;
  readonly saved: SavedParts;
  readonly observer: AccountObserver;
  /** Called when other jobs are wanted than before. */
  readonly jobsChanged: () => void;
}

/** The polls of an account, and what follows from how they end. */
export class AccountPolls {
  readonly #options: AccountPollsOptions;
  readonly #runner: PollRunner;
  /** When (local ms) the last one ended; at first, when the account began. */
  lastAt: number;

  constructor(options: AccountPollsOptions) {
    this.#options = options;
    const { config, clock, connection, intervals, jobs, state, outlet, store, observer } = options;
    this.lastAt = clock.now();
    const labelled = withLabels(config.labels);
    this.#runner = new PollRunner({
      account: config.name,
      clock,
      operations: connection.operations,
      reachability: connection.platform.reachability,
      intervals,
      commit: (found) =>
        outlet.pushed?.commit({ ...found, samples: labelled(found.samples) }) ?? state.commit(found.entries),
      memory: jobs.memory,
      exposed: store,
      observer,
    });
  }

  /** Polls a job. Never rejects. */
  async poll(scheduled: ScheduledJob): Promise<void> {
    try {
      const end = await this.#runner.run(scheduled);
      if (end !== undefined) this.#polled(end);
    } catch (error) {
      this.#options.observer.defect(this.#options.config.name, scheduled.job, error);
    }
  }

  #polled(end: PollEnd): void {
    const { connection, intervals, jobs, store, samples, judge, saved, jobsChanged } = this.#options;
    store.platformIs(connection.platform.reachability.up === true);
    // Polls without any request count too: they show that polls come to an end.
    this.lastAt = end.endedAt;
    // The first polls may be the first to read the token; what changes later is exposed every minute.
    if (end.before === undefined) samples.exposeIdentity();
    samples.exposeQuota(end.endedAt);
    const hasLearned = end.result?.learned !== undefined && end.result.learned.length > 0;
    if (hasLearned || end.job.findsJobs) saved.saveSoon();
    if (end.job instanceof SeriesJob && hasLearned) samples.raiseAges(end.job, intervals.of(end.job).planned);
    jobs.sources.polled(end);
    judge.polled(end);
    if (jobs.sources.haveChanged) jobsChanged();
    if (!end.job.findsJobs) return;
    if (jobs.learn(end.job, end.outcome, end.result)) jobsChanged();
    samples.exposeListings();
  }
}
