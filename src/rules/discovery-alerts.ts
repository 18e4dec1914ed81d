import { OF_ACCOUNT } from './about-exporter.ts';
import type { AlertDefinition } from './alert.ts';
import { duration } from './promql.ts';
import type { Times } from './times.ts';

/** What is configured and not there: no poll fails because of it, so nothing else tells. */
export function discoveryAlerts(times: Times): readonly AlertDefinition[] {
  const common = {
    ...OF_ACCOUNT,
    alert: 'EdgeNotDiscovered',
    hold: times.hour,
    severity: 'ticket',
  } as const;
  return [
    {
      ...common,
      // While the platform does not answer, that alone is told.
      expr: `edge_exporter_product_listed == 0\nand on (account)\nmax_over_time(edge_up[${duration(times.hour)}]) == 1`,
      labels: { reason: 'product' },
      summary: 'The configurations of {{ $labels.product }} ({{ $labels.account }}) cannot be listed',
      description:
        'The platform answers, but for an hour it has not listed the configurations of {{ $labels.product }} of {{ $labels.account }}. What was not listed before is not read, and alerts that are made of it are silent.',
    },
    {
      ...common,
      expr: `edge_configurations < 0.5 * max_over_time(edge_configurations[${duration(times.day)}])`,
      labels: { reason: 'fewer' },
      summary:
        'Only {{ $value }} of the configurations of {{ $labels.product }} ({{ $labels.account }}) are listed',
      description:
        'The platform lists {{ $value }} configurations of {{ $labels.product }} of {{ $labels.account }}: fewer than half of those that it listed within the last day. What is not listed is not read, and alerts that are made of it are silent.',
    },
    {
      ...common,
      expr: 'edge_exporter_unmatched_configurations > 0',
      labels: { reason: 'configuration' },
      summary: '{{ $value }} names of {{ $labels.product }} ({{ $labels.account }}) match no configuration',
      description:
        '{{ $value }} entries of configurations.include of {{ $labels.product }} of {{ $labels.account }} have matched no configuration for an hour: they are misspelt, or what they name was renamed or deleted. Nothing of it is read.',
    },
  ];
}
