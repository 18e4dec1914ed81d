import type { AccountObserver } from '../account/observer.ts';
import type { Clock } from '../clock.ts';
import { fits } from '../rate-limit/demand.ts';
import { FailureLog } from './failure-log.ts';
import { RejectionLog } from './rejection-log.ts';
import type { ReportLog } from './report-log.ts';
import type { SelfMetrics } from './self-metrics.ts';

/** Counts polls, and logs how they fail, what is planned, and what goes wrong in the exporter itself. */
export function reportPolls(
  metrics: SelfMetrics,
  log: ReportLog,
  clock: Pick<Clock, 'now' | 'wall'>,
): Pick<AccountObserver, 'polled' | 'planned' | 'jobsDropped' | 'defect' | 'left'> {
  const failures = new FailureLog(log);
  const rejections = new RejectionLog(log, () => clock.now());
  /** The collectors of each account that have a time of their last success. */
  const succeeded = new Map<string, Set<string>>();
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
    defect(account, job, error) {
      log.error({ account, job: job.id, err: error }, 'a poll failed: this is a bug');
    },
    left(account, failure) {
      for (const collector of succeeded.get(account) ?? []) {
        metrics.pollLastSuccess.remove(account, collector);
      }
      succeeded.delete(account);
      metrics.jobsDropped.remove(account);
      failures.forget(account);
      rejections.forget(account);
      if (failure !== undefined) log.error({ account, err: failure }, 'the account did not stop properly');
    },
  };
}
