import type { AccountObserver } from '../account/observer.ts';
import { RefusalLog } from './refusal-log.ts';
import type { ReportLog } from './report-log.ts';
import type { SelfMetrics } from './self-metrics.ts';

/** Counts operations and how they wait, and logs what the platform says of its limits. */
export function reportOperations(
  metrics: SelfMetrics,
  log: ReportLog,
): Pick<AccountObserver, 'exchanged' | 'assumedLimit' | 'departed'> & { left(account: string): void } {
  const refusals = new RefusalLog(log);
  return {
    exchanged(account, info, { name }) {
      const { status } = info;
      metrics.operations.add(1, account, name, status === undefined ? 'none' : String(status));
      refusals.exchanged(account, name, info);
    },
    assumedLimit(account, limit) {
      log.warn(
        { account, operations_per_minute: limit },
        'the platform sends no rate limit headers: quota.assumed_limit applies',
      );
    },
    departed(account, _scope, waitedMs) {
      metrics.quotaWait.observe(Math.max(0, waitedMs) / 1_000, account);
    },
    left: (account) => refusals.forget(account),
  };
}
