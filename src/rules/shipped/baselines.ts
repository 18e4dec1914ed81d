import { type AlertSettings, applies, matchersOf, type Tuning } from './alert-settings.ts';
import {
  floorOf,
  type Judging,
  labelsOf,
  latest,
  MEASURES,
  type Measure,
  type Recorded,
  recorded,
  SCOPES,
  type Scope,
  scopesOf,
} from './measures.ts';
import { across, ago, larger, range, selector } from './promql.ts';
import type { RecordingRule } from './rule.ts';
import { MINUTE, type Times } from './times.ts';

/** Time (s) for which a level that an operator accepted is recorded as accepted. */
const ACCEPTING = 3_600;

const COVERING = 3;

/** Series that is 1 while the rules learn a new WAF level of an account, after a rule set changed. */
export const RELEARNING = 'account:edge_waf_ruleset_changed:relearning';

/** Duration (ms) of learning, after which a whole hour of the new level is recorded. */
export const RELEARNS = 75 * MINUTE;

/**
 * Returns the rule of accounts whose level is being learned. An attack that began before the change still counts, so that tuning a
 * rule set against it silences nothing.
 */
export function relearningRule(times: Times): RecordingRule {
  const changed = 'max by (account) (edge_waf_ruleset_changed_timestamp_seconds)';
  const { since } = recorded('account', MEASURES.threats);
  const began = `max by (account) (last_over_time(${range(since, times.apart, times.minute)}))`;
  return {
    record: RELEARNING,
    expr: `time() - ${changed} < bool ${RELEARNS / 1_000} == 1\nunless on (account)\n${began} < ${changed}`,
  };
}

/** Returns the rules of a measure that are evaluated every minute. */
export function minuteRules(measure: Measure, times: Times, tuning: Tuning): readonly RecordingRule[] {
  return scopesOf(measure).flatMap((scope) => {
    const names = recorded(scope, measure);
    const judging = { scope, measure, times, tuning };
    const begun = measure.alert === 'EdgeWafSpike' ? `(${names.active} or ${names.rising})` : names.active;
    const before = `last_over_time(${range(names.since, times.hour, times.minute)})`;
    return [
      { record: names.value, expr: measure.value(scope, tuning) },
      ...spikeRules(names, judging),
      ...(measure.alert === 'EdgeWafSpike' ? [risingRule(names, judging)] : []),
      { record: names.since, expr: `(${before} or time() + 0 * ${begun}) and ${begun}` },
      { record: names.accepted, expr: accepted(names, judging) },
    ];
  });
}

/** Returns the limit of a minute. A rare series without a threshold has its floor as its limit. */
function limit({ scope, measure, times, tuning }: Judging): string {
  const names = recorded(scope, measure);
  const { alert, beside } = measure;
  if (alert === 'EdgeTrafficFlood') {
    const usual = latest(names.usual, times);
    const [many, floor] = (['times_usual', 'floor'] as const).map((parameter) =>
      tuning.value(alert, parameter, { series: names.value, labels: SCOPES[scope] }),
    ) as [string, string];
    return larger(`${usual} * ${many}`, `0 * ${usual} + ${floor}`);
  }
  const known = latest(names.threshold, times);
  if (beside === undefined || alert === 'EdgeOffloadCollapse') return known;
  // The recorded threshold of a rare series has no floor, because the mean of an hour has another one.
  const floor = floorOf(alert, tuning, { series: names.value, labels: SCOPES[scope] });
  // A new configuration is unknown, not abnormal: its threshold comes with the first baselines.
  const seen = `last_over_time(${ago(range(beside(scope), times.hour, times.minute), 2 * times.baseline)})`;
  const old =
    measure.by.length === 0 ? names.value : `${names.value} and on (${SCOPES[scope].join(', ')}) ${seen}`;
  return larger(known, `0 * (${old}) + ${floor}`);
}

/** Number of requests added to both sides of a comparison with the baseline. */
const FEW_REQUESTS = 30;

interface Compared {
  /** Factor of the baseline that is the limit. */
  readonly many: number;
  /** Age (ms) of the middle of the evaluated span. */
  readonly back?: number;
  /** Converts a series to the evaluated value: minutes, or their mean. */
  readonly over?: (series: string) => string;
}

/** Factor by which parts of the requests may grow faster than them. */
const BEYOND_REQUESTS = 1.5;

/**
 * Returns the limit of a measure that is a part of the requests. Threats and error codes may grow with a new shop, a nightly job or
 * a sale. The requests of an attack itself do not count.
 */
export function withRequests(
  limitOf: (scope: Scope) => string,
  { scope, measure, times }: Judging,
  { many, back = 0, over = (series) => series }: Compared,
): string {
  const own = limitOf(scope);
  if (measure.part !== true) return own;
  const requests = recorded('configuration', MEASURES.requests);
  const others =
    measure.alert === 'EdgeWafSpike'
      ? `(${over(requests.value)} - ${over(recorded('configuration', measure).value)})`
      : over(requests.value);
  const growth = `(${others} + ${FEW_REQUESTS}) / (${latest(requests.usual, times, back)} + ${FEW_REQUESTS})`;
  const on = `on (${SCOPES.configuration.join(', ')})${measure.by.length > 0 ? ' group_left ()' : ''}`;
  const grown = `${limitOf('configuration')} * ${on} (${BEYOND_REQUESTS / many} * ${growth} > 1)`;
  if (scope === 'configuration') return `(${grown} or ${own})`;
  // Limits of an account add up: one of its sites may start while the others stay level.
  return `(${own} + sum by (${labelsOf(scope, measure).join(', ')}) (${grown}) or ${own})`;
}

/**
 * Returns the rules of a spike: enough of the last minutes are above the threshold. Lower bounds are counted separately from
 * published minutes, so that no minute counts twice.
 */
function spikeRules(names: Recorded, judging: Judging): readonly RecordingRule[] {
  const { scope, measure } = judging;
  const above = (value: string): string =>
    `${value} > bool ${withRequests((of) => limit({ ...judging, scope: of }), judging, { many: 3 })} == 1`;
  const enough = (series: string, value: string): string =>
    `clamp_max(${enoughAbove(series, value, judging)}, 1)`;
  const published = { record: names.above, expr: above(names.value) };
  if (measure.atLeast === undefined)
    return [published, { record: names.active, expr: enough(names.above, names.value) }];
  return [
    published,
    { record: names.atLeast, expr: measure.atLeast(scope) },
    { record: names.certain, expr: above(names.atLeast) },
    {
      record: names.active,
      expr: `${enough(names.above, names.value)}\nor\n${enough(names.certain, names.atLeast)}`,
    },
  ];
}

/**
 * Returns the condition of a spike. Threats page, so at the start their mean must also exceed the threshold. If one configuration
 * is attacked, fewer minutes suffice for the others.
 */
function enoughAbove(above: string, value: string, { scope, measure, times }: Judging): string {
  const { of, begins, joins } = times.spike;
  const [first, joining] = [begins, joins].map((time) => Math.round(time / times.minute)) as [number, number];
  const count = `sum_over_time(${range(above, of, times.minute)})`;
  if (measure.alert !== 'EdgeWafSpike') return `${count} >= ${first}`;
  const names = recorded(scope, measure);
  const high = `avg_over_time(${range(value, of, times.minute)}) > ${latest(names.threshold, times)}`;
  if (scope === 'account') return `${count} >= ${first} and (${high} or ${names.active})`;
  const begun = `max by (${SCOPES.account.join(', ')}) (${count} and ${high}) >= ${first}`;
  return `${count} >= on (${SCOPES.account.join(', ')}) group_left () (0 * (${begun}) + ${joining}) or ${count} >= ${first} and ${names.active}`;
}

/** Returns the mean of the last minutes. */
export function recently({ value }: Pick<Recorded, 'value'>, { smoothing, minute }: Times): string {
  return `avg_over_time(${range(value, smoothing, minute)})`;
}

/** Returns the larger of the mean of the last minutes and that of the lower bounds of later ones. */
export function inLastMinutes(measure: Measure, names: Recorded, times: Times): string {
  const published = recently(names, times);
  if (measure.atLeast === undefined) return published;
  return larger(recently({ value: names.atLeast }, times), published);
}

/** Returns the condition that one of the last minutes was above the threshold. */
export function stillAbove({ atLeast }: Measure, { above, certain }: Recorded, times: Times): string {
  const still = (series: string) => `max_over_time(${range(series, times.quiet, times.minute)})`;
  return atLeast === undefined ? still(above) : `(${still(above)} or ${still(certain)})`;
}

/** Returns the median of a span, `back` spans ago, which bursts do not affect. */
function middle({ value }: Recorded, { minute }: Times, span: number, back: number): string {
  const samples = range(value, span, minute);
  return `quantile_over_time(0.5, ${back === 0 ? samples : ago(samples, back * span)})`;
}

/** Returns the condition that each of the last three spans exceeds the previous one by a factor. */
export function growing(names: Recorded, times: Times, span: number, growth: number): string {
  const each = [0, 1, 2].map(
    (back) => `${middle(names, times, span, back)} > ${growth} * ${middle(names, times, span, back + 1)}`,
  );
  return each.join('\nand\n');
}

/**
 * Returns the rule of threats that have grown for two hours, because a slow attack raises its own threshold. The rule compares them
 * only with earlier days, and half of the floor suffices. It ends when threats are few again.
 */
function risingRule(names: Recorded, judging: Judging): RecordingRule {
  const { times } = judging;
  const much = (value: string): string => [value, ...risingLimits(judging)].join(' > ');
  const lasts = recently(names, times);
  const usual = latest(names.usual, times);
  const grows = [
    much(middle(names, times, times.growing, 0)),
    growing(names, times, times.growing, 1.1),
    `${middle(names, times, times.growing, 2)} > 2 * ${usual} + ${LITTLE}`,
  ].join('\nand\n');
  const over = (series: string): string => recently({ value: series }, times);
  const requested = withRequests(
    (scope) => `(${latest(recorded(scope, judging.measure).usual, times)} * 1.5)`,
    judging,
    { many: 1.5, over },
  );
  return {
    record: names.rising,
    expr: `clamp_max(\n(${grows}\nor\n${much(lasts)} and ${names.rising})\nunless\n${lasts} <= ${requested}, 1)`,
  };
}

const LITTLE = 4;

function risingLimits({ scope, measure, times, tuning }: Judging): readonly [string, string] {
  const { usual } = recorded(scope, measure);
  const tuned = (parameter: 'times_usual' | 'floor'): string =>
    tuning.value('EdgeWafSpike', parameter, { series: usual, labels: SCOPES[scope] });
  return [`${latest(usual, times)} * ${tuned('times_usual')}`, `${tuned('floor')} / 2`];
}

/**
 * Returns the minutes whose level was accepted as the baseline: after a long time, by an operator, or after a change of the rule
 * set.
 */
function accepted(names: Recorded, { scope, measure, tuning: { settings } }: Judging): string {
  const long = `time() - ${names.since} > bool ${settings.acceptAfter / 1_000} == 1`;
  const byHand = settings.accepted
    .filter(({ where }) => applies(where, SCOPES[scope]))
    .map((one) => acceptedByHand(names, one));
  const shown = measure.by.includes('class') ? `${names.value}{class="4xx"}` : names.value;
  const attack = recorded(scope, MEASURES.threats).accepted;
  // An accepted attack is accepted in all its measures.
  const ofAttack = `${shown} and on (${SCOPES[scope].join(', ')}) ${attack}`;
  // Only refusals are codes of the WAF.
  const refused = measure.by.includes('class') ? `${names.value}{code=~"403|other"}` : names.value;
  const relearned = `${refused} and on (account) ${RELEARNING}`;
  const waf = measure.waf === true ? [relearned] : [];
  const part = measure.waf === true && measure.alert !== 'EdgeWafSpike' ? [ofAttack] : [];
  return [long, ...byHand, ...waf, ...part].join('\nor\n');
}

function acceptedByHand({ value }: Recorded, { where, from }: AlertSettings['accepted'][number]): string {
  const now = `time() - ${Math.floor(from / 1_000)} + 0 * ${selector(value, matchersOf(where))}`;
  return `((${now}) >= 0) < ${ACCEPTING}`;
}

/** Returns the rules of a measure that are evaluated every few minutes. */
export function baselineRules(measure: Measure, times: Times, tuning: Tuning): readonly RecordingRule[] {
  return scopesOf(measure).flatMap((scope) => {
    const names = recorded(scope, measure);
    const judging = { scope, measure, times, tuning };
    const { hour, minute } = times;
    const lastHour = (operation: string, series: string) =>
      `${operation}_over_time(${range(series, hour, minute)})`;
    const on = `on (${SCOPES[scope].join(', ')})${measure.by.length > 0 ? ' group_left ()' : ''}`;
    const mean =
      measure.beside === undefined
        ? lastHour('avg', names.value)
        : // A missing minute of a rare series counts as zero.
          `${lastHour('sum', names.value)} / ${on} ${lastHour('count', measure.beside(scope))}`;
    const accepts = lastHour('last', names.accepted);
    const abnormal = `(${lastHour('sum', names.above)} >= ${COVERING} or ${lastHour('last', names.since)})`;
    const covered = `clamp_max(${abnormal} unless ${accepts}, 1)`;
    const flood = measure.alert === 'EdgeTrafficFlood';
    // Requests are never covered, or a shop that starts would be a flood forever. Those of attacks are subtracted.
    const legitimate = `${mean} - ${lastHour('avg', recorded(scope, MEASURES.threats).value)}\nor\n${mean}`;
    return [
      ...(flood ? [] : [{ record: names.covered, expr: covered }]),
      { record: names.hourly, expr: flood ? legitimate : `${mean}\nunless ${names.covered}` },
      ...(measure.usual === true ? [{ record: names.usual, expr: seasonal(names, judging) }] : []),
      ...(flood ? [] : [{ record: names.threshold, expr: threshold(names, judging) }]),
    ];
  });
}

/**
 * Returns the baseline for this hour: the median of the same hour yesterday and in the last three weeks. In the first week it is
 * the highest of the last three days, on the first day the newest hour. Covered hours are absent. The time before an accepted level
 * does not count.
 */
function seasonal({ hourly, accepted: taken }: Recorded, { scope, measure, times }: Judging): string {
  const { day, week, hour, baseline, minute } = times;
  const centred = (time: number): string => ago(hourly, time - hour / 2);
  const weeks = { '1': centred(week), '2': centred(2 * week), '3': centred(3 * week) };
  const days = { '1': centred(day), '2': centred(2 * day), '3': centred(3 * day) };
  const newest = `last_over_time(${ago(range(hourly, 6 * hour, baseline), 2 * baseline)})`;
  const requests = recorded(scope, MEASURES.requests).usual;
  const on = `on (${SCOPES[scope].join(', ')})${measure.by.length > 0 ? ' group_left ()' : ''}`;
  // The newest hour is adjusted by the usual course of the requests.
  const follows = `* ${on} clamp_min(${latest(requests, times)} / (${latest(requests, times, hour / 2 + 2 * baseline)} > 0), 1)`;
  const taking = measure.part === true ? `(${newest} ${follows} or ${newest})` : newest;
  const since = (span: number): string => `last_over_time(${range(taken, span, minute)})`;
  return [
    `${taking} and ${since(day)}`,
    `${centred(day)} and ${since(3 * week)}`,
    `${across('quantile', { yesterday: centred(day), ...weeks }, 0.5)} and ${centred(week)}`,
    across('max', days),
    newest,
  ].join('\nor\n');
}

/** Share of the factor that applies to the last hour. */
const OF_LAST_HOUR = 3 / 4;

function threshold(names: Recorded, { measure, scope, times, tuning }: Judging): string {
  const alert = measure.alert as Exclude<Measure['alert'], 'EdgeTrafficFlood'>;
  const judged = { series: names.hourly, labels: SCOPES[scope] };
  const usual =
    measure.usual === true ? names.usual : `(\n${seasonal(names, { scope, measure, times, tuning })}\n)`;
  if (alert === 'EdgeOffloadCollapse') return `${usual} + ${tuning.value(alert, 'loss', judged)}`;
  const many = tuning.value(alert, 'times_usual', judged);
  if (measure.least !== undefined) return `${usual} * ${many}`;
  const newest = `last_over_time(${ago(range(names.hourly, times.hour, times.baseline), 2 * times.baseline)})`;
  const floor = floorOf(alert, tuning, judged);
  const deviation = `stddev_over_time(${ago(range(names.value, times.hour, times.minute), 2 * times.baseline)})`;
  return across('max', {
    usual: `${usual} * ${many}`,
    recent: `${newest} * ${many} * ${OF_LAST_HOUR}`,
    ...(alert === 'EdgeWafSpike' && {
      noise: `${names.usual} + ${tuning.value(alert, 'deviations', judged)} * ${deviation} unless ${names.covered}`,
    }),
    // An unknown series has no threshold instead of the floor.
    floor: `0 * ${names.usual} + ${floor}`,
  });
}
