import { collectDefaultMetrics, Registry } from 'prom-client';
import { VERSION } from '../version.ts';
import { bucketMetrics } from './bucket-metrics.ts';
import { metricMaker } from './metric-maker.ts';
import { ownMetrics } from './own-metrics.ts';
import { pollMetrics } from './poll-metrics.ts';

/** prom-client's gauges that are called `_total`, which a counter alone may be. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** The exporter's own metrics, with prom-client's process metrics. */
export function createSelfMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const maker = metricMaker(registry);
  maker
    .gauge('build_info', 'Version of the exporter and of Node.js; always 1.', ['version', 'node_version'])
    .labels(VERSION, process.version)
    .set(1);
  return { registry, ...pollMetrics(maker), ...bucketMetrics(maker), ...ownMetrics(maker) };
}

export type SelfMetrics = ReturnType<typeof createSelfMetrics>;
