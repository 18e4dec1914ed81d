/** The `job` of the exporter in Prometheus. */
export const EXPORTER_JOB = 'edge-exporter';

/** What alerts of one account of the exporter have in common. */
export const OF_ACCOUNT = {
  about: 'exporter',
  judged: { series: 'edge_up', labels: ['account'] },
  dashboard: 'edge-exporter',
  variables: ['account'],
} as const;

/** What alerts of the exporter as a whole have in common. */
export const OF_EXPORTER = {
  about: 'exporter',
  // Nothing tells one exporter from another in an alerts file.
  judged: { series: 'up', labels: [] },
  dashboard: 'edge-exporter',
  variables: [],
} as const;
