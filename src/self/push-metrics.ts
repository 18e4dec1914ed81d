import type { MetricMaker } from './metric-maker.ts';

/** What is pushed to receivers, and what waits for them. */
export function pushMetrics(maker: MetricMaker) {
  return {
    outboxSamples: maker.gauge('outbox_samples', 'Samples that wait for a receiver.', ['receiver']),
    outboxBytes: maker.gauge('outbox_bytes', 'Size of what waits for a receiver.', ['receiver']),
    outboxOldest: maker.gauge(
      'outbox_oldest_timestamp_seconds',
      'Since when the oldest sample has waited for a receiver; absent when none waits.',
      ['receiver'],
    ),
    pushSent: maker.counter('push_samples_sent_total', 'Samples that a receiver has taken.', ['receiver']),
    pushRefused: maker.counter(
      'push_samples_refused_total',
      'Samples that a receiver refused for good, by reason; they are not sent again.',
      ['receiver', 'reason'],
    ),
    pushDropped: maker.counter(
      'push_samples_dropped_total',
      'Samples that left the outbox unsent, by reason.',
      ['receiver', 'reason'],
    ),
    pushFailures: maker.counter(
      'push_failures_total',
      'Requests to a receiver that failed and were made again.',
      ['receiver'],
    ),
    pushLastSuccess: maker.gauge(
      'push_last_success_timestamp_seconds',
      'When a receiver last took samples.',
      ['receiver'],
    ),
  };
}
