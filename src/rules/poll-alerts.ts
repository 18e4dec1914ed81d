import { OF_ACCOUNT } from './about-exporter.ts';
import type { AlertDefinition } from './alert.ts';
import { duration } from './promql.ts';
import type { Times } from './times.ts';
import type { Tuning } from './tuning.ts';

/** The collectors of traffic, each with many polls a minute; the others have one now and then. */
export const OF_TRAFFIC = 'metrics|analytics';

const POLLS = 'edge_exporter_polls_total';
const FAILED = 'outcome!~"ok|empty"';

/** Polls that fail for long though the platform answers. While it does not, that alone is told. */
export function pollAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const ofTraffic = (...matchers: string[]): string =>
    `sum by (account) (rate(${POLLS}{${[`collector=~"${OF_TRAFFIC}"`, ...matchers].join(', ')}}[${duration(times.settled)}]))`;
  const failures = `sum by (account, collector) (increase(${POLLS}{collector!~"${OF_TRAFFIC}", ${FAILED}}[${duration(times.unread)}]))`;
  const succeeded = `time() - edge_exporter_poll_last_success_timestamp_seconds < ${times.unread / 1_000}`;
  const answers = (span: number): string =>
    `and on (account)\nmax_over_time(edge_up[${duration(span)}]) == 1`;
  return [
    {
      ...OF_ACCOUNT,
      alert: 'EdgePollsFailing',
      expr: `${ofTraffic(FAILED)}\n/\n${ofTraffic()}\n> ${tuning.value('EdgePollsFailing', 'share', { ...OF_ACCOUNT.judged, by: ['account'] })}\n${answers(times.settled)}`,
      hold: times.settled,
      severity: 'ticket',
      summary: '{{ $value | humanizePercentage }} of the polls of {{ $labels.account }} fail',
      description:
        'The platform answers, but {{ $value | humanizePercentage }} of the polls of the traffic of {{ $labels.account }} have failed for a long time. What they ask for comes late or not at all.',
    },
    {
      ...OF_ACCOUNT,
      alert: 'EdgeCollectorFailing',
      // A single failure within the range is none, whatever the interval.
      expr: `${failures} > 1\nunless on (account, collector)\n${succeeded}\n${answers(times.unread)}`,
      hold: times.hour,
      severity: 'ticket',
      summary: 'Nothing is read for {{ $labels.collector }} of {{ $labels.account }}',
      description: `The platform answers, but no poll of the collector {{ $labels.collector }} of {{ $labels.account }} has succeeded for more than ${times.unread / 3_600_000} hours, and about {{ $value | humanize }} have failed. What it reads is not shown any more, and alerts that are made of it are silent.`,
    },
  ];
}
