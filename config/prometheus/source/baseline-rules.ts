import { type Measure, SCOPE_NAMES, type Scope } from './measures.ts';
import { across, ago, range } from './promql.ts';
import type { RecordingRule } from './rule.ts';
import type { Thresholds, Times } from './thresholds.ts';

/** Values below this share of the floor are not worth a comparison with the past. */
const NEGLIGIBLE = 0.1;

/** The names of a measure's recorded series. */
export function recorded(scope: Scope, measure: string) {
  const series = (operation: string): string => `${scope}:${measure}:${operation}`;
  return {
    value: series('sum'),
    hourly: series('avg1h'),
    deviation: series('stddev1h'),
    seasonal: series('seasonal'),
    drift: series('drift'),
    threshold: series('threshold'),
    lower: series('lower_threshold'),
  };
}

/** What is recorded of each measure every minute: sums, so that nothing later grows with the exporter's series. */
export function minuteRules(measures: readonly Measure[]): readonly RecordingRule[] {
  return measures.flatMap(({ name, value }) =>
    SCOPE_NAMES.map((scope) => ({ record: recorded(scope, name).value, expr: value(scope) })),
  );
}

/** What is recorded of each measure every few minutes: its hours, what is usual in them, and what is too much. */
export function baselineRules(measure: Measure, thresholds: Thresholds): readonly RecordingRule[] {
  return SCOPE_NAMES.flatMap((scope) => {
    const names = recorded(scope, measure.name);
    const { times } = thresholds;
    const season = [
      {
        record: names.hourly,
        expr: `avg_over_time(${range(names.value, times.hour, times.minute)})`,
      },
      { record: names.seasonal, expr: seasonal(names.hourly, times) },
    ];
    if (measure.judged === 'level') return season;
    const spike = [...season, ...spikeRules(names, measure.floor, thresholds)];
    return measure.judged === 'spike' ? spike : [...spike, dropRule(names, thresholds)];
  });
}

type Names = ReturnType<typeof recorded>;

/**
 * The median of the same hour in the last three weeks. An hour that ended half an hour less than a week ago is centred
 * on this moment. Younger than a week, the same hour yesterday; younger than a day, the hour until a while ago.
 */
function seasonal(hourly: string, { hour, day, week, baseline }: Times): string {
  const weeksAgo = (weeks: number): string => ago(hourly, weeks * week - hour / 2);
  const weeks = across('quantile', { '1': weeksAgo(1), '2': weeksAgo(2), '3': weeksAgo(3) }, 0.5);
  return [weeks, ago(hourly, day - hour / 2), ago(hourly, 2 * baseline)].join('\nor\n');
}

function spikeRules(names: Names, floor: number, { times, spike }: Thresholds): readonly RecordingRule[] {
  const little = floor * NEGLIGIBLE;
  return [
    {
      record: names.deviation,
      expr: `stddev_over_time(${range(names.value, times.hour, times.minute)})`,
    },
    {
      // The last hour is centred half an hour ago: it is compared with what was usual then.
      record: names.drift,
      expr: `(${names.hourly} + ${little})\n/\n(${ago(names.seasonal, times.hour / 2)} + ${little})`,
    },
    {
      record: names.threshold,
      expr: across('max', {
        seasonal: `${spike.seasonal} * ${names.seasonal}`,
        recent: `${spike.recent} * ${usual(names, times, 'clamp_min')}`,
        noise: `${usual(names, times, 'clamp_min')} + ${spike.deviations} * ${deviation(names, times)}`,
        floor: `0 * ${names.seasonal} + ${floor}`,
      }),
    },
  ];
}

function dropRule(names: Names, { times, drop }: Thresholds): RecordingRule {
  return {
    record: names.lower,
    expr: across('min', {
      seasonal: `${drop.share} * ${names.seasonal}`,
      recent: `${usual(names, times, 'clamp_max')} - ${drop.deviations} * ${deviation(names, times)}`,
    }),
  };
}

/** The seasonal median, shifted as the last hours were: a level that has changed is usual after a few hours. */
function usual({ seasonal, drift }: Names, times: Times, clamp: 'clamp_min' | 'clamp_max'): string {
  return `${seasonal} * ${clamp}(quantile_over_time(0.5, ${range(drift, times.recent, times.baseline)}), 1)`;
}

/** How much the minutes of an hour differ, in the median of the last hours: an attack among them does not count. */
function deviation(names: Names, times: Times): string {
  return `quantile_over_time(0.5, ${range(names.deviation, times.recent, times.baseline)})`;
}
