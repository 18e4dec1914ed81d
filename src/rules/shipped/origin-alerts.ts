import type { AlertDefinition } from './alert.ts';
import type { Judged, Tuning } from './alert-settings.ts';
import { latest, recordedSum, SCOPES } from './measures.ts';
import { duration, range } from './promql.ts';
import type { RecordingRule } from './rule.ts';
import { SITE, seriesValue } from './scopes.ts';
import { TIMES, type Times } from './times.ts';

const SCOPE = 'configuration';

const SUMS = {
  responses: { name: 'edge_upstream_responses_per_minute', family: 'edge_upstream_responses_per_minute' },
  errors: {
    name: 'edge_upstream_errors_per_minute',
    family: 'edge_upstream_responses_per_minute',
    selector: '{class="5xx"}',
  },
  seconds: {
    name: 'edge_upstream_response_seconds_per_minute',
    family: 'edge_upstream_response_seconds_per_minute',
  },
} as const;

function summed(sum: keyof typeof SUMS): string {
  return `${SCOPE}:${SUMS[sum].name}:sum`;
}

/** Returns the names of the recorded series of origins: share of failures, mean time, and usual time. */
export function originSeries({ smoothing }: Times = TIMES) {
  const window = `avg${duration(smoothing)}`;
  return {
    errorRatio: `${SCOPE}:edge_upstream_error_ratio:${window}`,
    time: `${SCOPE}:edge_upstream_response_seconds:${window}`,
    usualTime: `${SCOPE}:edge_upstream_response_seconds:usual`,
  };
}

const JUDGED: Judged = { series: summed('responses'), labels: SCOPES[SCOPE] };

/** Returns the rules of origins with enough responses, which are evaluated every minute. */
export function originRules(times: Times, tuning: Tuning): readonly RecordingRule[] {
  const { errorRatio, time } = originSeries(times);
  const mean = (sum: keyof typeof SUMS): string =>
    `avg_over_time(${range(summed(sum), times.smoothing, times.minute)})`;
  const least = (alert: 'EdgeOriginErrors' | 'EdgeOriginSlow'): string =>
    tuning.value(alert, 'least_responses', JUDGED);
  return [
    ...Object.values(SUMS).map(({ name, ...sum }) => ({
      record: `${SCOPE}:${name}:sum`,
      expr: recordedSum(`${name}:sum`, sum)(SCOPE),
    })),
    {
      record: errorRatio,
      expr: `${mean('errors')}\n/\n(${mean('responses')} >= ${least('EdgeOriginErrors')})`,
    },
    { record: time, expr: `${mean('seconds')}\n/\n(${mean('responses')} >= ${least('EdgeOriginSlow')})` },
  ];
}

/** Returns the rule of the last day's median, which is evaluated every few minutes. */
export function usualOriginRules(times: Times): readonly RecordingRule[] {
  const { time, usualTime } = originSeries(times);
  return [{ record: usualTime, expr: `quantile_over_time(0.5, ${range(time, times.day, times.minute)})` }];
}

/** Returns the tickets of origins that fail or are slow, for configurations that read `upstream_responses`. */
export function originAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const { errorRatio, time, usualTime } = originSeries(times);
  const common = {
    judged: JUDGED,
    about: 'traffic',
    labels: { scope: SCOPE, metric: 'upstream_responses' },
    hold: times.holdTicket,
  } as const;
  const slow = tuning.value('EdgeOriginSlow', 'times_usual', JUDGED);
  return [
    {
      ...common,
      alert: 'EdgeOriginErrors',
      expr: `${errorRatio} > ${tuning.value('EdgeOriginErrors', 'share', JUDGED)}`,
      summary: `{{ $value | humanizePercentage }} of the origin's responses fail on ${SITE}`,
      description: `{{ $value | humanizePercentage }} of the responses of its origins in ${duration(times.smoothing)} were 5xx, before the cache.`,
    },
    {
      ...common,
      alert: 'EdgeOriginSlow',
      expr: `${time} > ${tuning.value('EdgeOriginSlow', 'floor', JUDGED)}\nunless\n${time} <= ${slow} * ${latest(usualTime, times)}`,
      summary: `The origin takes {{ $value | humanizeDuration }} a response on ${SITE}`,
      description: `Mean of ${duration(times.smoothing)}: {{ $value | humanizeDuration }}. Median of the last day: ${seriesValue(() => usualTime, { scopes: [SCOPE], format: 'humanizeDuration' })}.`,
    },
  ];
}
