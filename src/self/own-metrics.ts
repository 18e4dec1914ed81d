import type { MetricMaker } from './metric-maker.ts';

/** The exporter as a whole. */
export function ownMetrics(maker: MetricMaker) {
  return {
    sandbox: maker.gauge(
      'sandbox',
      'Whether the embedded platform is polled, all of whose data is made up: 1 or 0.',
      [],
    ),
    series: maker.gauge('series', 'Series of the platform that are exposed.', []),
    seriesDropped: maker.counter(
      'series_dropped_total',
      'Series that were not exposed because of limits.series.',
      [],
    ),
    seriesDuplicate: maker.counter(
      'series_duplicate_total',
      'Samples not exposed because another job shows the same series.',
      [],
    ),
    labelsShortened: maker.counter(
      'labels_shortened_total',
      'Label values longer than 1024 characters, of which only the beginning is exposed.',
      [],
    ),
    configReloadSuccessful: maker.gauge(
      'config_last_reload_successful',
      'Whether the last attempt to load the configuration succeeded.',
      [],
    ),
    configReloadTimestamp: maker.gauge(
      'config_last_reload_success_timestamp_seconds',
      'When the configuration in use was loaded.',
      [],
    ),
    clockSteps: maker.counter(
      'clock_steps_total',
      'How often the machine’s clock was set while running.',
      [],
    ),
    clockLastStep: maker.gauge(
      'clock_last_step_seconds',
      'By how much the machine’s clock was set last while running, below 0 when back; 0 when it never was.',
      [],
    ),
    stalled: maker.counter(
      'stalled_seconds_total',
      'Time in which nothing ran, in stalls of 10 s or more: the process was suspended, or its event loop blocked.',
      [],
    ),
  };
}
