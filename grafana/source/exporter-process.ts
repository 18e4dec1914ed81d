import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { chart } from './chart.ts';
import { LIMITS } from './limits.ts';
import { EXPORTER, of, rate } from './query.ts';

const own = (family: string) => of(family, EXPORTER);

/** Panels of the exposed series and the process. */
export const output: readonly Panel[] = [
  chart({
    title: 'Series',
    description:
      'Series of the platform that are exposed. They stay below limits.series of the configuration.',
    unit: 'short',
    queries: [{ expr: own('edge_exporter_series'), legend: '{{instance}}' }],
  }),
  chart({
    title: 'Series not exposed',
    description:
      'Series per minute that are not exposed, because of limits.series, or because another job has the same series. There should be none.',
    queries: [
      { expr: `60 * ${rate('edge_exporter_series_dropped_total', EXPORTER)}`, legend: '{{instance}}: limit' },
      {
        expr: `60 * ${rate('edge_exporter_series_duplicate_total', EXPORTER)}`,
        legend: '{{instance}}: twice',
      },
    ],
  }),
  chart({
    title: 'Outbox',
    description: 'Samples that wait for each receiver. Empty if nothing is pushed.',
    unit: 'short',
    noValue: 'nothing is pushed',
    queries: [{ expr: own('edge_exporter_outbox_samples'), legend: '{{receiver}}' }],
  }),
  chart({
    title: 'Oldest in the outbox',
    description:
      'Age of the oldest sample that waits for each receiver. Seconds are normal. Empty if nothing waits.',
    unit: 's',
    noValue: 'nothing waits',
    queries: [
      { expr: `time() - ${own('edge_exporter_outbox_oldest_timestamp_seconds')}`, legend: '{{receiver}}' },
    ],
  }),
  chart({
    title: 'Pushed',
    description:
      'Samples per minute that each receiver took, refused for good, or lost when the outbox reached its limits.',
    noValue: 'nothing is pushed',
    queries: [
      {
        expr: `60 * ${rate('edge_exporter_push_samples_sent_total', EXPORTER)}`,
        legend: '{{receiver}}: taken',
      },
      {
        expr: `60 * ${rate('edge_exporter_push_samples_refused_total', EXPORTER)}`,
        legend: '{{receiver}}: refused, {{reason}}',
      },
      {
        expr: `60 * ${rate('edge_exporter_push_samples_dropped_total', EXPORTER)}`,
        legend: '{{receiver}}: dropped, {{reason}}',
      },
    ],
  }),
  chart({
    title: 'Duration of scrapes',
    description: 'How long Prometheus takes to scrape the exporter.',
    unit: 's',
    queries: [{ expr: own('scrape_duration_seconds'), legend: '{{instance}}' }],
  }),
  chart({
    title: 'Processor',
    description: 'Share of one core that the process uses.',
    unit: 'percentunit',
    queries: [{ expr: rate('process_cpu_seconds_total', EXPORTER), legend: '{{instance}}' }],
  }),
  chart({
    title: 'Memory',
    description: 'Memory of the process, and of its JavaScript heap.',
    unit: 'bytes',
    queries: [
      { expr: own('process_resident_memory_bytes'), legend: '{{instance}}: process' },
      { expr: own('nodejs_heap_size_used_bytes'), legend: '{{instance}}: heap' },
    ],
  }),
  chart({
    title: 'Event loop lag',
    description: 'Delay of the event loop: 99th percentile. Scrapes wait as long.',
    unit: 's',
    limits: LIMITS.eventLoopLag,
    queries: [{ expr: own('nodejs_eventloop_lag_p99_seconds'), legend: '{{instance}}' }],
  }),
];
