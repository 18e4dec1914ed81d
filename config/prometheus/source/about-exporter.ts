/** The `job` of the exporter in Prometheus. */
export const EXPORTER_JOB = 'edge-exporter';

/** What alerts of one account of the exporter have in common. */
export const OF_ACCOUNT = {
  about: 'exporter',
  dashboard: 'edge-exporter',
  variables: ['account'],
} as const;

/** What alerts of the exporter as a whole have in common. */
export const OF_EXPORTER = { about: 'exporter', dashboard: 'edge-exporter', variables: [] } as const;
