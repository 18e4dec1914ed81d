import type { Tuning } from './alert-settings.ts';
import {
  floorOf,
  isShare,
  type Judging,
  latest,
  type Measure,
  type Recorded,
  recorded,
  SCOPES,
  scopesOf,
} from './measures.ts';
import { across, ago, range } from './promql.ts';
import type { RecordingRule } from './rule.ts';
import type { Times } from './times.ts';

/** The raise by the last day ends here: what was just below the threshold for long must not become what is usual. */
const HIGHEST_RAISE = 2.5;

/** Less than the multiple is too much of the upper end of the last day, and of the last hour. */
const OF_RAISED = 3 / 4;

/** What is recorded of each measure every few minutes: its hours, what is usual in them, and what is too much. */
export function baselineRules(measure: Measure, times: Times, tuning: Tuning): readonly RecordingRule[] {
  return scopesOf(measure).flatMap((scope) => {
    const names = recorded(scope, measure);
    const judging = { scope, measure, times, tuning };
    return [
      { record: names.hourly, expr: normalMean(names, judging) },
      { record: names.seasonal, expr: seasonal(names, judging) },
      ...usualRules(names, measure, times),
      { record: names.threshold, expr: across('max', thresholdParts(names, judging)) },
      ...(measure.falls === true ? dropRules(names, judging) : []),
    ];
  });
}

function overAnHour(
  operation: 'avg' | 'sum' | 'count' | 'stddev',
  series: string,
  { hour, minute }: Times,
): string {
  return `${operation}_over_time(${range(series, hour, minute)})`;
}

/** Of a quiet series an hour that has less than this part of what is quiet is next to nothing, and not recorded. */
const NEXT_TO_NOTHING = 1 / 5;

/** The mean of an hour, without what is abnormal in it. */
function normalMean({ value, excess, seasonal }: Recorded, { measure, times, tuning }: Judging): string {
  const sum = overAnHour('sum', value, times);
  const mean = `(${sum} - ${overAnHour('sum', excess, times)} or ${sum})\n/\n${overAnHour('count', value, times)}`;
  if (measure.quiet === undefined) return mean;
  const some = `${overAnHour('avg', value, times)} >= ${NEXT_TO_NOTHING * measure.quiet(tuning)}`;
  return `${mean}\nand\n(${some} or ${latest(seasonal, times)})`;
}

/** The mean of the hour that was so long ago; of what may be quiet, 0 where nothing was recorded. */
function before({ hourly, value }: Recorded, { quiet }: Measure, time: number): string {
  return quiet === undefined ? ago(hourly, time) : `(${ago(hourly, time)} or 0 * ${ago(value, time)})`;
}

/**
 * The median of the same hour yesterday and in the last three weeks, of those that there are. In the first week, which
 * has not seen this day of the week, it is the highest of the last three days. After a level was accepted the time
 * before it says nothing. On the first day it is the hour until a while ago.
 */
function seasonal(names: Recorded, { measure, times, tuning }: Judging): string {
  const { day, week, hour, baseline } = times;
  // The hour that was centred on this moment.
  const centred = (time: number): string => before(names, measure, time - hour / 2);
  const weeks = { '1': centred(week), '2': centred(2 * week), '3': centred(3 * week) };
  const days = { '1': centred(day), '2': centred(2 * day), '3': centred(3 * day) };
  const justNow = before(names, measure, 2 * baseline);
  const since = (span: number): string => `last_over_time(${range(names.accepted, span, times.minute)})`;
  const usual = [
    `${justNow} and ${since(day)}`,
    `${centred(day)} and ${since(3 * week)}`,
    `${across('quantile', { yesterday: centred(day), ...weeks }, 0.5)} and ${centred(week)}`,
    across('max', days),
    justNow,
  ].join('\nor\n');
  if (measure.quiet === undefined) return usual;
  return `(\n${usual}\n)\nand max_over_time(${range(names.hourly, week, baseline)}) >= ${measure.quiet(tuning)}`;
}

/** A level that has changed a little is usual after a few hours, and a day's noise of hours is usual as well. */
function usualRules(names: Recorded, measure: Measure, times: Times): readonly RecordingRule[] {
  const { little, quiet } = measure;
  const upper = `quantile_over_time(0.9, ${range(names.drift, times.day, times.baseline)})`;
  const variation = {
    record: names.variation,
    // An hour with abnormal minutes says nothing of the others' noise.
    expr: `${overAnHour('stddev', names.value, times)}\n/\n(${names.hourly} + ${little})\nunless ${overAnHour('count', names.excess, times)}${quiet === undefined ? '' : `\nand ${names.seasonal}`}`,
  };
  return [
    // Of a share the noise of single minutes is not looked at.
    ...(isShare(measure) ? [] : [variation]),
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

/** What a minute must be above, all of it. */
function thresholdParts(
  names: Recorded,
  { measure, scope, times, tuning }: Judging,
): Readonly<Record<string, string>> {
  const { usual } = names;
  const judged = { series: usual, labels: SCOPES[scope] };
  const { alert } = measure;
  if (alert === 'EdgeOffloadCollapse') return { margin: `${usual} + ${tuning.value(alert, 'loss', judged)}` };
  return {
    ...multiples(names, measure, { times, tuned: tuning.value(alert, 'times_usual', judged) }),
    ...(alert !== 'Edge4xxRatio' && {
      noise: `${usual} + ${tuning.value(alert, 'deviations', judged)} * ${noise(names, times)} * (${usual} + ${measure.little})`,
    }),
    floor: `0 * ${usual} + ${floorOf(alert, tuning, judged)}`,
  };
}

function multiples(
  { seasonal: season, usual, drift }: Recorded,
  { little }: Measure,
  { times, tuned }: { readonly times: Times; readonly tuned: string },
) {
  const both = Number((Number(tuned) * OF_RAISED).toPrecision(6));
  const ofRaised = Number.isNaN(both) ? `${tuned} * ${OF_RAISED}` : both;
  return {
    multiple: `${season} * ${tuned}`,
    raised: `${usual} * ${ofRaised}`,
    recent: `((${season} + ${little}) * clamp(min_over_time(${range(drift, times.recent, times.baseline)}), 1, ${HIGHEST_RAISE}) - ${little}) * ${ofRaised}`,
  };
}

/** How much single minutes differ, in the median of the last hours. */
function noise({ variation }: Recorded, times: Times): string {
  return `quantile_over_time(0.5, ${range(variation, times.recent, times.baseline)})`;
}

/** How far around a time of day the lowest is looked for: openings and closings are not to the minute. */
const AROUND = 5 / 4;

/** Of an hour that has this part of the least that is judged there is too little to judge. */
const LEAST_OF_HOUR = 1 / 8;

/**
 * What must be lost is as much less as the last hour has had of its usual, down to this part: a failure falls within minutes, what is
 * few for hours is a holiday. Not further: what falls while too little comes to judge, or as a morning rises, is to be told then.
 */
const LEAST_LEVEL = 0.7;

/** A day whose least hour has this part of its greatest is steady: what closes for the night, or for weekends, is not. */
const STEADY = 1 / 20;

/**
 * Too little is what is far below the least around this time yesterday and in the last weeks, and below the level of the last
 * hour. What has no last week is compared with half of the least around this time of the last three days where a day is steady,
 * and else, in busy hours, with half of the least hour of the last day, which wakes nobody: a weekend that nobody has
 * seen yet is no drop. What has fallen is judged on in hours that have too little for it to begin.
 */
function dropRules(
  names: Recorded,
  { scope, times, tuning }: Omit<Judging, 'measure'>,
): readonly RecordingRule[] {
  const { day, week, hour, baseline, minute } = times;
  const lowest = (time: number): string =>
    `min_over_time(${ago(range(names.hourly, 2 * AROUND * hour - hour, baseline), time - AROUND * hour)})`;
  const overDay = (operation: string): string =>
    `${operation}_over_time(${range(names.hourly, day, baseline)})`;
  const judged = { series: names.seasonal, labels: SCOPES[scope] };
  const share = tuning.value('EdgeTrafficDrop', 'share', judged);
  const enough = tuning.value('EdgeTrafficDrop', 'least_requests', judged);
  const least = across('min', {
    yesterday: lowest(day),
    '1': lowest(week),
    '2': lowest(2 * week),
    '3': lowest(3 * week),
  });
  const level = `clamp(${names.hourly} / (${ago(names.seasonal, hour / 2)} > 0), ${LEAST_LEVEL}, 1)`;
  const known = across('min', { '1': lowest(day), '2': lowest(2 * day), '3': lowest(3 * day) });
  const accepted = `last_over_time(${range(names.accepted, week + day, minute)})`;
  const thisHour = (series: string): string => `${series} >= ${LEAST_OF_HOUR} * ${enough}`;
  const judgedNow = `(\n${overDay('avg')} >= ${enough}\nand\n${thisHour(lowest(day))}\nor\n${names.fallen}\n)`;
  const lastWeek = ago(names.hourly, week - hour / 2);
  return [
    {
      record: names.lower,
      expr: [
        `(\n${least} * ${level} * ${share}\nand ${lastWeek}\nor\n${known} * ${share} / 2\nand ${overDay('min')} > ${STEADY} * ${overDay('max')}\nunless ${lastWeek}\n)`,
        `and ${judgedNow}`,
        `unless ${accepted}`,
      ].join('\n'),
    },
    {
      record: names.lowest,
      expr: `${overDay('min')} * ${share} / 2\nand ${lowest(day)} >= ${overDay('avg')} / 2\nand ${judgedNow}\nunless ${accepted}\nunless ${names.lower}`,
    },
  ];
}
