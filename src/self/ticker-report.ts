import type { TickerReports } from '../poll/ticker.ts';
import type { ReportLog } from './report-log.ts';
import type { SelfMetrics } from './self-metrics.ts';

/** Counts and logs what happens to the ticker: one line each time. */
export function reportTicks(metrics: SelfMetrics, log: ReportLog): TickerReports {
  return {
    failed: (pattern, error) => log.error({ pattern, err: error }, 'a scheduled task failed: this is a bug'),
    stepped: (ms) => {
      metrics.clockSteps.add(1);
      metrics.clockLastStep.set(ms / 1_000);
      const direction = ms > 0 ? 'forward' : 'back';
      log.warn({ seconds: Math.round(Math.abs(ms) / 1_000) }, `the machine’s clock was set ${direction}`);
    },
    stalled: (ms) => {
      metrics.stalled.add(ms / 1_000);
      log.warn(
        { seconds: Math.round(ms / 1_000) },
        'the exporter stood still: the process was suspended, or its event loop blocked',
      );
    },
  };
}
