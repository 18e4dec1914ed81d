import { LiveSeries } from '../exposition/live-series.ts';
import { VERSION } from '../version.ts';
import { bucketMetrics } from './bucket-metrics.ts';
import { MetricMaker } from './metric-maker.ts';
import { ownMetrics } from './own-metrics.ts';
import { pollMetrics } from './poll-metrics.ts';
import { pushMetrics } from './push-metrics.ts';

/** The exporter's own metrics, but for those of its process. */
export function createSelfMetrics() {
  const series = new LiveSeries();
  const maker = new MetricMaker(series);
  maker
    .gauge('build_info', 'Version of the exporter and of Node.js; always 1.', ['version', 'node_version'])
    .set(1, VERSION, process.version);
  const metrics = {
    ...pollMetrics(maker),
    ...bucketMetrics(maker),
    ...ownMetrics(maker),
    ...pushMetrics(maker),
  };
  return { ...metrics, exposed: series, families: maker.families };
}

export type SelfMetrics = ReturnType<typeof createSelfMetrics>;
