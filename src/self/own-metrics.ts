import type { MetricMaker } from './metric-maker.ts';

/** The exporter as a whole. */
export function ownMetrics({ counter, gauge }: MetricMaker) {
  return {
    sandbox: gauge(
      'sandbox',
      'Whether the embedded platform is polled, all of whose data is made up: 1 or 0.',
      [],
    ),
    series: gauge('series', 'Series of the platform that are exposed.', []),
    seriesDropped: counter(
      'series_dropped_total',
      'Series that were not exposed because of limits.series.',
      [],
    ),
    seriesDuplicate: counter(
      'series_duplicate_total',
      'Samples not exposed because another job shows the same series.',
      [],
    ),
    configReloadSuccessful: gauge(
      'config_last_reload_successful',
      'Whether the last attempt to load the configuration succeeded.',
      [],
    ),
    configReloadTimestamp: gauge(
      'config_last_reload_success_timestamp_seconds',
      'When the configuration in use was loaded.',
      [],
    ),
  };
}
