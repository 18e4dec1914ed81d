import type { MetricMaker } from './metric-maker.ts';

/** The exporter as a whole. */
export function ownMetrics(maker: MetricMaker) {
  return {
    sandbox: maker.gauge(
      'sandbox',
      'Whether the exporter polls the embedded platform, whose data is made up: 1 or 0.',
      [],
    ),
    series: maker.gauge('series', 'Series of the platform that are exposed.', []),
    seriesDropped: maker.counter(
      'series_dropped_total',
      'Series that are not exposed because of limits.series.',
      [],
    ),
    seriesDuplicate: maker.counter(
      'series_duplicate_total',
      'Samples that are not exposed because another job exposes the same series.',
      [],
    ),
    labelsShortened: maker.counter(
      'labels_shortened_total',
      'Label values that were truncated to 1024 characters.',
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
    clockSteps: maker.counter('clock_steps_total', 'Changes of the machine’s clock while running.', []),
    clockLastStep: maker.gauge(
      'clock_last_step_seconds',
      'Last change of the machine’s clock while running, negative if it was set back; 0 if none.',
      [],
    ),
    stalled: maker.counter(
      'stalled_seconds_total',
      'Time in stalls of 10 s or more, in which the process was suspended or its event loop blocked.',
      [],
    ),
  };
}
