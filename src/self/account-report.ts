import type { AccountObserver } from '../account/observer.ts';
import type { Clock } from '../clock.ts';
import type { PushObserver } from '../push/push.ts';
import { reportData } from './data-report.ts';
import { reportOperations } from './operation-report.ts';
import { reportPolls } from './poll-report.ts';
import { reportPush } from './push-report.ts';
import type { ReportLog } from './report-log.ts';
import type { SelfMetrics } from './self-metrics.ts';

/** Counts what accounts do, and logs what an operator should act on: a problem once, and its end. */
export function reportTo(
  metrics: SelfMetrics,
  log: ReportLog,
  clock: Pick<Clock, 'now' | 'wall'>,
): AccountObserver & PushObserver {
  const operations = reportOperations(metrics, log);
  const polls = reportPolls(metrics, log, clock);
  const data = reportData(metrics, log);
  return {
    ...operations,
    ...polls,
    ...reportPush(metrics, log),
    commitRefused: data.commitRefused,
    labelShortened: data.labelShortened,
    delayChanged: data.delayChanged,
    polled(account, end) {
      polls.polled(account, end);
      data.polled(account, end);
    },
    left(account, failure) {
      operations.left(account);
      data.left(account);
      polls.left(account, failure);
    },
  };
}
