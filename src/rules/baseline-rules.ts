import { type Measure, SCOPE_NAMES, SCOPES, type Scope } from './measures.ts';
import { across, ago, range } from './promql.ts';
import { type Recorded, recorded } from './recorded.ts';
import type { RecordingRule } from './rule.ts';
import type { Times } from './times.ts';
import type { Tuning } from './tuning.ts';

/** The raise by the last day ends here: what was just below the threshold for long must not become what is usual. */
const HIGHEST_RAISE = 2.5;

/** Less than the multiple is too much of the upper end of the last day, and of the last hour. */
const OF_RAISED = 3 / 4;

/** What is recorded of each measure every few minutes: its hours, what is usual in them, and what is too much. */
export function baselineRules(measure: Measure, times: Times, tuning: Tuning): readonly RecordingRule[] {
  return SCOPE_NAMES.flatMap((scope) => {
    const names = recorded(scope, measure);
    return [
      { record: names.hourly, expr: overAnHour('avg', names.normal, times) },
      { record: names.seasonal, expr: seasonal(names, times) },
      ...usualRules(names, measure, times),
      ...thresholdRules(names, { measure, scope, times, tuning }),
      ...(measure.falls === true ? dropRules(names, { scope, times, tuning }) : []),
    ];
  });
}

function overAnHour(operation: 'avg' | 'stddev', series: string, { hour, minute }: Times): string {
  return `${operation}_over_time(${range(series, hour, minute)})`;
}

/** The mean of the hour that was centred on this moment so long ago. */
function centred({ hourly }: Recorded, time: number, { hour }: Times): string {
  return ago(hourly, time - hour / 2);
}

/**
 * The median of the same hour yesterday and in the last three weeks, of those that there are. In the first week, which
 * has not seen this day of the week, it is the highest of the last three days. After a level was accepted the time
 * before it says nothing. On the first day it is the hour until a while ago.
 */
function seasonal(names: Recorded, times: Times): string {
  const { day, week, baseline } = times;
  const before = (time: number): string => centred(names, time, times);
  const weeks = { '1': before(week), '2': before(2 * week), '3': before(3 * week) };
  const days = { '1': before(day), '2': before(2 * day), '3': before(3 * day) };
  const justNow = ago(names.hourly, 2 * baseline);
  const since = (span: number): string => `last_over_time(${range(names.accepted, span, times.minute)})`;
  return [
    `${justNow} and ${since(day)}`,
    `${before(day)} and ${since(3 * week)}`,
    `${across('quantile', { yesterday: before(day), ...weeks }, 0.5)} and ${before(week)}`,
    across('max', days),
    justNow,
  ].join('\nor\n');
}

/** A level that has changed a little is usual after a few hours, and a day's noise of hours is usual as well. */
function usualRules(names: Recorded, { little }: Measure, times: Times): readonly RecordingRule[] {
  const upper = `quantile_over_time(0.9, ${range(names.drift, times.day, times.baseline)})`;
  return [
    {
      record: names.variation,
      expr: `${overAnHour('stddev', names.normal, times)}\n/\n(${names.hourly} + ${little})`,
    },
    {
      // The last hour is centred half an hour ago: it is compared with what was usual then.
      record: names.drift,
      expr: `(${names.hourly} + ${little})\n/\n(${ago(names.seasonal, times.hour / 2)} + ${little})`,
    },
    {
      record: names.usual,
      expr: `(${names.seasonal} + ${little}) * clamp(${upper}, 1, ${HIGHEST_RAISE}) - ${little}\nor\n${names.seasonal}`,
    },
  ];
}

interface ThresholdOptions {
  readonly measure: Measure;
  readonly scope: Scope;
  readonly times: Times;
  readonly tuning: Tuning;
}

function thresholdRules(names: Recorded, options: ThresholdOptions): readonly RecordingRule[] {
  return [
    { record: names.threshold, expr: across('max', thresholdParts(names, options)) },
    { record: names.ordinary, expr: `(${names.usual} + ${names.threshold}) / 2` },
  ];
}

/** What a minute must be above, all of it. */
function thresholdParts(
  names: Recorded,
  { measure, scope, times, tuning }: ThresholdOptions,
): Readonly<Record<string, string>> {
  const { usual } = names;
  const judged = { series: usual, labels: SCOPES[scope] };
  const { alert } = measure;
  switch (alert) {
    case 'EdgeOffloadCollapse':
      return { margin: `${usual} + ${tuning.value(alert, 'loss', judged)}` };
    case 'Edge4xxRatio':
      return {
        ...multiples(names, measure, tuning.value(alert, 'times_usual', judged)),
        floor: `0 * ${usual} + ${tuning.value(alert, 'share', judged)}`,
      };
    default:
      return {
        ...multiples(names, measure, tuning.value(alert, 'times_usual', judged)),
        noise: `${usual} + ${tuning.value(alert, 'deviations', judged)} * ${noise(names, times)} * (${usual} + ${measure.little})`,
        floor: `0 * ${usual} + ${tuning.value(alert, 'floor', judged)}`,
      };
  }
}

function multiples({ seasonal: season, usual, drift }: Recorded, { little }: Measure, times: string) {
  const both = Number((Number(times) * OF_RAISED).toPrecision(6));
  const ofRaised = Number.isNaN(both) ? `${times} * ${OF_RAISED}` : both;
  return {
    multiple: `${season} * ${times}`,
    raised: `${usual} * ${ofRaised}`,
    recent: `((${season} + ${little}) * clamp(${drift}, 1, ${HIGHEST_RAISE}) - ${little}) * ${ofRaised}`,
  };
}

/** How much single minutes differ, in the median of the last hours. */
function noise({ variation }: Recorded, times: Times): string {
  return `quantile_over_time(0.5, ${range(variation, times.recent, times.baseline)})`;
}

/**
 * Too little is what is far below the least of this hour yesterday and in the last weeks, or below even a level that
 * has fallen. A weekend that nobody has seen yet is no drop: what has no last week is compared with the least hour of
 * the last day, of half of that, and wakes nobody.
 */
function dropRules(
  names: Recorded,
  { scope, times, tuning }: Omit<ThresholdOptions, 'measure'>,
): readonly RecordingRule[] {
  const { day, week, baseline, minute } = times;
  const before = (time: number): string => centred(names, time, times);
  const judged = { series: names.seasonal, labels: SCOPES[scope] };
  const share = tuning.value('EdgeTrafficDrop', 'share', judged);
  const enough = `${names.seasonal} >= ${tuning.value('EdgeTrafficDrop', 'least_requests', judged)}`;
  const least = across('min', {
    yesterday: before(day),
    '1': before(week),
    '2': before(2 * week),
    '3': before(3 * week),
  });
  const fallen = `quantile_over_time(0.1, ${range(names.drift, day, baseline)})`;
  const accepted = `last_over_time(${range(names.accepted, week + day, minute)})`;
  return [
    {
      record: names.lower,
      expr: `${least} * clamp_max(${fallen}, 1) * ${share}\nand ${before(week)}\nand ${enough}\nunless ${accepted}`,
    },
    {
      record: names.lowest,
      expr: `min_over_time(${range(names.hourly, day, baseline)}) * ${share} / 2\nand ${ago(names.hourly, day)}\nand ${enough}`,
    },
  ];
}
