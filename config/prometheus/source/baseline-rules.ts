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
    /** What it is in this minute. */
    value: series(measure.endsWith('_ratio') ? 'now' : 'sum'),
    hourly: series('avg1h'),
    /** How much the minutes of the last hour differ, relative to their mean. */
    variation: series('variation1h'),
    /** What is usual at this hour. */
    seasonal: series('seasonal'),
    /** The last hour relative to what was usual in it. */
    drift: series('drift1h'),
    /** What is usual at this hour and by the last day. */
    usual: series('usual'),
    /** What is too much, and what is too little. */
    threshold: series('threshold'),
    lower: series('lower_threshold'),
    /** 1 in minutes above the threshold, otherwise 0. */
    above: series('above'),
  };
}

/** What is recorded of each measure every minute: sums, so that nothing later grows with the exporter's series. */
export function minuteRules(measures: readonly Measure[]): readonly RecordingRule[] {
  return measures.flatMap(({ name, value, judged }) =>
    SCOPE_NAMES.flatMap((scope) => {
      const names = recorded(scope, name);
      const now = { record: names.value, expr: value(scope) };
      const above = { record: names.above, expr: `${names.value} > bool ${names.threshold}` };
      return judged === 'level' ? [now] : [now, above];
    }),
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
    return measure.judged === 'spike' ? spike : [...spike, dropRule(names, measure.floor, thresholds)];
  });
}

type Names = ReturnType<typeof recorded>;

/**
 * The median of the same hour yesterday and in the last three weeks, of those that there are. An hour that ended half
 * an hour less than a week ago is centred on this moment. On the first day it is the hour until a while ago.
 */
function seasonal(hourly: string, { hour, day, week, baseline }: Times): string {
  const before = (time: number): string => ago(hourly, time - hour / 2);
  const weeks = { '1': before(week), '2': before(2 * week), '3': before(3 * week) };
  return `${across('quantile', { yesterday: before(day), ...weeks }, 0.5)}\nor\n${ago(hourly, 2 * baseline)}`;
}

function spikeRules(names: Names, floor: number, thresholds: Thresholds): readonly RecordingRule[] {
  const { times, spike } = thresholds;
  const little = floor * NEGLIGIBLE;
  const upper = `quantile_over_time(0.9, ${range(names.drift, times.day, times.baseline)})`;
  return [
    {
      record: names.variation,
      expr: `stddev_over_time(${range(names.value, times.hour, times.minute)})\n/\n(${names.hourly} + ${little})`,
    },
    {
      // The last hour is centred half an hour ago: it is compared with what was usual then.
      record: names.drift,
      expr: `(${names.hourly} + ${little})\n/\n(${ago(names.seasonal, times.hour / 2)} + ${little})`,
    },
    {
      // A level that has changed is usual after a few hours, and a day's noise of hours is usual as well.
      record: names.usual,
      expr: `(${names.seasonal} + ${little}) * clamp(${upper}, 1, ${spike.highestRaise}) - ${little}\nor\n${names.seasonal}`,
    },
    {
      record: names.threshold,
      expr: across('max', {
        multiple: `${spike.usual} * ${names.usual}`,
        noise: `${names.usual} + ${spike.deviations} * ${noise(names, times)} * (${names.usual} + ${little})`,
        floor: `0 * ${names.usual} + ${floor}`,
      }),
    },
  ];
}

/**
 * Of requests only: they are too few when they are far below even a level that has fallen. Before there is a yesterday,
 * the least of the last hours is what is usual, lest the end of a surge be a drop.
 */
function dropRule(names: Names, floor: number, { times, drop }: Thresholds): RecordingRule {
  const little = floor * NEGLIGIBLE;
  const yesterday = ago(names.hourly, times.day - times.hour / 2);
  const least = `min_over_time(${range(names.hourly, times.recent, times.baseline)})`;
  const season = `(${names.seasonal} and ${yesterday} or ${least})`;
  const lower = `quantile_over_time(0.1, ${range(names.drift, times.day, times.baseline)})`;
  const usual = `((${season} + ${little}) * clamp_max(${lower}, 1) - ${little})`;
  return {
    record: names.lower,
    expr: across('min', {
      seasonal: `${drop.share} * ${season}`,
      noise: `${usual} * (1 - ${drop.deviations} * ${noise(names, times)})`,
    }),
  };
}

/** How much single minutes differ, in the median of the last hours: an attack among them does not count. */
function noise({ variation }: Names, times: Times): string {
  return `quantile_over_time(0.5, ${range(variation, times.recent, times.baseline)})`;
}
