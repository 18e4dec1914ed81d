import { OF_EXPORTER } from './about-exporter.ts';
import type { AlertDefinition } from './alert.ts';
import { duration } from './promql.ts';
import type { Times } from './times.ts';
import type { Tuning } from './tuning.ts';

/** What is to be pushed does not arrive: it waits for too long, or it never will. */
export function pushAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const after = tuning.value('EdgePushBehind', 'after', OF_EXPORTER.judged);
  const lost = (family: string): string => `increase(${family}[${duration(times.hour)}]) > 0`;
  const lossy = { ...OF_EXPORTER, alert: 'EdgePushLosing', hold: times.hold, severity: 'ticket' } as const;
  return [
    {
      ...OF_EXPORTER,
      alert: 'EdgePushBehind',
      expr: `time() - edge_exporter_outbox_oldest_timestamp_seconds > ${after}`,
      hold: times.hold,
      severity: 'ticket',
      summary: 'Samples have waited for {{ $labels.receiver }} for {{ $value | humanizeDuration }}',
      description:
        'The receiver {{ $labels.receiver }} of {{ $labels.instance }} does not answer, refuses all requests, or is too slow: the oldest sample has waited for {{ $value | humanizeDuration }}. All arrive when it takes them again, unless the outbox reaches its limits before.',
    },
    {
      ...lossy,
      expr: lost('edge_exporter_push_samples_refused_total'),
      labels: { loss: 'refused' },
      summary: '{{ $labels.receiver }} refuses samples for good: {{ $labels.reason }}',
      description:
        'About {{ $value | humanize }} samples of the last hour were refused by the receiver {{ $labels.receiver }} ({{ $labels.reason }}) and are not sent again. /metrics has them.',
    },
    {
      ...lossy,
      expr: lost('edge_exporter_push_samples_dropped_total'),
      labels: { loss: 'dropped' },
      summary: 'The outbox of {{ $labels.receiver }} drops samples: {{ $labels.reason }}',
      description:
        'About {{ $value | humanize }} samples for the receiver {{ $labels.receiver }} left the outbox unsent in the last hour ({{ $labels.reason }}): it was away for too long for the size of its outbox.',
    },
  ];
}
