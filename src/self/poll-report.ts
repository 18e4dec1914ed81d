import type { AccountObserver } from '../account/observer.ts';
import type { Clock } from '../clock.ts';
import type { PollEnd } from '../poll/poll-end.ts';
import { fits } from '../rate-limit/demand.ts';
import { FailureLog } from './failure-log.ts';
import type { EventLog, ReportLog } from './report-log.ts';
import type { SelfMetrics } from './self-metrics.ts';

/** What hangs once hangs again: how often (ms) it is logged for an account. */
const OVERDUE_TOLD_EVERY_MS = 3_600_000;

/** Counts polls, and logs how they fail, what is planned, and what goes wrong in the exporter itself. */
export function reportPolls(
  metrics: SelfMetrics,
  log: ReportLog,
  clock: Pick<Clock, 'now' | 'wall'>,
): Pick<AccountObserver, 'polled' | 'planned' | 'jobsDropped' | 'overdue' | 'defect' | 'left'> {
  const failures = new FailureLog(log);
  const rejections = new RejectionLog(log, () => clock.now());
  /** The collectors of each account that have a time of their last success. */
  const succeeded = new Map<string, Set<string>>();
  /** When it was last logged that a poll of the account is overdue; the counter has them all. */
  const toldOverdue = new Map<string, number>();
  return {
    polled(account, end) {
      const { job, outcome, operations, rejected, durationMs } = end;
      const { collector } = job.subject;
      metrics.polls.add(1, account, collector, outcome);
      if (operations > 0) metrics.pollDuration.observe(durationMs / 1_000, account, collector);
      if ((outcome === 'ok' || outcome === 'empty') && operations > 0) {
        metrics.pollLastSuccess.set(clock.wall() / 1_000, account, collector);
        succeeded.set(account, (succeeded.get(account) ?? new Set()).add(collector));
      }
      for (const [why, rows] of rejected ?? []) {
        metrics.rejectedRows.add(rows, account, collector, why);
      }
      failures.polled(account, end);
      rejections.polled(account, end);
    },
    planned(account, { scope, jobs, perMinute, allowance }) {
      const facts = {
        account,
        scope,
        jobs,
        operations_per_minute: Number(perMinute.toPrecision(3)),
        allowed: allowance,
      };
      if (fits(perMinute, allowance)) log.info(facts, 'the plan fits the quota');
      else log.warn(facts, 'the plan exceeds the quota: intervals stretch, see edge-exporter plan');
    },
    jobsDropped(account, { count, first }) {
      metrics.jobsDropped.set(count, account);
      if (count > 0)
        log.warn({ account, jobs: count, first }, 'too many jobs: those beyond limits.jobs are left out');
    },
    overdue(account, job, part) {
      metrics.pollsOverdue.add(1, account);
      if (clock.now() - (toldOverdue.get(account) ?? Number.NEGATIVE_INFINITY) < OVERDUE_TOLD_EVERY_MS)
        return;
      toldOverdue.set(account, clock.now());
      log.error({ account, job: job.id, part }, 'a poll goes on beyond its timeout: this is a bug');
    },
    defect(account, job, error) {
      log.error({ account, job: job.id, err: error }, 'a poll failed: this is a bug');
    },
    left(account, failure) {
      for (const collector of succeeded.get(account) ?? []) {
        metrics.pollLastSuccess.remove(account, collector);
      }
      succeeded.delete(account);
      toldOverdue.delete(account);
      metrics.jobsDropped.remove(account);
      failures.forget(account);
      rejections.forget(account);
      if (failure !== undefined) log.error({ account, err: failure }, 'the account did not stop properly');
    },
  };
}

/** Bad rows tend to come with every poll: how often (ms) they are logged. */
const TOLD_EVERY_MS = 3_600_000;

interface Told {
  at: number;
  /** Rows dropped since then, of all targets. */
  untold: number;
}

/**
 * Logs that rows of answers were dropped: the target, the reason and how many, never what stood in them. Once an hour
 * for each collector and reason; the counter has them all.
 */
class RejectionLog {
  readonly #log: EventLog;
  readonly #now: () => number;
  readonly #told = new Map<string, Map<string, Told>>();

  constructor(log: EventLog, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  polled(account: string, { job, outcome, rejected = new Map() }: PollEnd): void {
    // Where no row was good, the failure says so.
    if (outcome !== 'ok' && outcome !== 'empty') return;
    const { collector, configuration } = job.subject;
    const told = this.#told.get(account) ?? new Map<string, Told>();
    this.#told.set(account, told);
    for (const [reason, rows] of rejected) {
      const before = told.get(`${collector} ${reason}`);
      if (before !== undefined && this.#now() - before.at < TOLD_EVERY_MS) {
        before.untold += rows;
        continue;
      }
      told.set(`${collector} ${reason}`, { at: this.#now(), untold: 0 });
      const facts = { account, job: job.id, configuration, reason, rows, untold_rows_before: before?.untold };
      this.#log.warn(facts, 'invalid rows of an answer were dropped');
    }
  }

  /** Forgets an account that was removed. */
  forget(account: string): void {
    this.#told.delete(account);
  }
}
