import type { PushObserver } from '../push/running-receiver.ts';
import type { ReportLog } from './lasting-problems.ts';
import { isNewIn } from './lasting-problems.ts';
import type { SelfMetrics } from './self-metrics.ts';

/** Number of consecutive failures from which a receiver is reported. One or two come with every restart of it. */
const LOGGED_AFTER = 3;

/** Returns an observer that counts pushed samples, and logs a receiver that fails, refuses samples or falls behind. */
export function reportPush(metrics: SelfMetrics, log: ReportLog): PushObserver {
  const failures = new Map<string, number>();
  const logged = new Set<string>();
  const isNews = (about: string) => isNewIn(logged, about);
  return {
    sent(receiver, samples) {
      metrics.pushSent.inc({ receiver }, samples);
      const before = failures.get(receiver) ?? 0;
      failures.delete(receiver);
      logged.delete(`${receiver} outbox`);
      if (before >= LOGGED_AFTER)
        log.info({ receiver, failures: before }, 'the receiver takes samples again');
    },
    refused(receiver, reason, samples, words) {
      metrics.pushRefused.inc({ receiver, reason }, samples);
      if (!isNews(`${receiver} refused ${reason}`)) return;
      log.warn(
        { receiver, reason, samples, answer: words },
        'the receiver refuses samples for good; edge_exporter_push_samples_refused_total counts them',
      );
    },
    dropped(receiver, reason, samples) {
      metrics.pushDropped.inc({ receiver, reason }, samples);
      if (!isNews(`${receiver} dropped ${reason}`)) return;
      log.warn(
        { receiver, reason, samples },
        'samples left the outbox unsent; edge_exporter_push_samples_dropped_total counts them',
      );
    },
    failed(receiver, words) {
      metrics.pushFailures.inc({ receiver });
      const count = (failures.get(receiver) ?? 0) + 1;
      failures.set(receiver, count);
      if (count === LOGGED_AFTER) {
        log.warn({ receiver, reason: words }, 'samples cannot be sent: they wait in the outbox');
      }
    },
    outboxNotRead(receiver, words) {
      if (!isNews(`${receiver} outbox`)) return;
      log.warn({ receiver, reason: words }, 'the outbox cannot be read: nothing is sent until it can');
    },
    pushDefect(receiver, error) {
      metrics.pushDefects.inc({ receiver });
      log.error({ receiver, err: error }, 'pushing to a receiver was interrupted: this is a bug');
    },
  };
}
