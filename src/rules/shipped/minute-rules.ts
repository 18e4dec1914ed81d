import type { Tuning } from './alert-settings.ts';
import { type AlertSettings, applies, matchersOf } from './alert-settings.ts';
import {
  type Judging,
  labelsOf,
  latest,
  latestThreshold,
  latestUsual,
  MEASURES,
  type Measure,
  type Recorded,
  recorded,
  SCOPES,
  type Scope,
  scopesOf,
} from './measures.ts';
import { ago, larger, range, selector, smaller } from './promql.ts';
import type { RecordingRule } from './rule.ts';
import type { Times } from './times.ts';

/** How long a level that is accepted by hand is taken in as it is. */
const ACCEPTING = 3_600;

/** What is recorded of each measure every minute, and what of it is normal. */
export function minuteRules(measure: Measure, times: Times, tuning: Tuning): readonly RecordingRule[] {
  return scopesOf(measure).flatMap((scope) => {
    const names = recorded(scope, measure);
    const judging = { scope, measure, times, tuning };
    return [
      { record: names.value, expr: measure.value(scope, tuning) },
      ...spikeRules(names, judging),
      ...(measure.falls === true ? [fallenRule(names, times)] : []),
      ...(measure.rises === true ? [risingRule(names, judging)] : []),
      ...normalRules(names, judging),
    ];
  });
}

/** The mean of the last minutes; where a lower bound tells of later ones, and is higher, the mean of that. */
export function inLastMinutes(measure: Measure, names: Recorded, times: Times): string {
  const published = recently(names, times);
  if (measure.atLeast === undefined) return published;
  const bound = recently({ value: names.atLeast }, times);
  return `(${bound} > ${published} or ${published})`;
}

/** Whether one of the last minutes was above the limit, as published or by its lower bound. */
export function stillAbove({ atLeast }: Measure, { above, certain }: Recorded, times: Times): string {
  const still = (series: string) => `max_over_time(${range(series, times.quiet, times.minute)})`;
  return atLeast === undefined ? still(above) : `(${still(above)} or ${still(certain)})`;
}

/** The median of a span, so many spans ago: pulses and bursts do not move it. */
function middle({ value }: Recorded, { minute }: Times, span: number, back: number): string {
  const samples = range(value, span, minute);
  return `quantile_over_time(0.5, ${back === 0 ? samples : ago(samples, back * span)})`;
}

/** Whether each of the last three spans had so many times what the one before it had. A step grows in two of them at most. */
export function growing(names: Recorded, times: Times, span: number, growth: number): string {
  const each = [0, 1, 2].map(
    (back) => `${middle(names, times, span, back)} > ${growth} * ${middle(names, times, span, back + 1)}`,
  );
  return each.join('\nand\n');
}

/**
 * Whether threats have been growing for two hours: a slow attack raises what the last hours had, and so its own threshold. Here they
 * are compared with the same hour of earlier days alone, and half of the floor is enough. It stays until they are few again. `rising`
 * on the right is that of the minute before.
 */
function risingRule(names: Recorded, options: Judging): RecordingRule {
  const { measure, times } = options;
  const much = (value: string): string => [value, ...risingLimits(options)].join(' > ');
  const grows = [
    much(middle(names, times, times.growing, 0)),
    growing(names, times, times.growing, 1.1),
    `${middle(names, times, times.growing, 2)} > 2 * ${latest(names.seasonal, times)} + ${measure.little}`,
  ].join('\nand\n');
  const lasts = recently(names, times);
  const requested = `${BEYOND_OTHERS} * ${explained(options)}`;
  return {
    record: names.rising,
    expr: `clamp_max(\n(${grows}\nor\n${much(lasts)} and ${names.rising})\nunless\n${lasts} <= ${requested}, 1)`,
  };
}

/** Both of which what grows slowly must be above. */
function risingLimits({ scope, measure, times, tuning }: Judging): readonly [string, string] {
  const { seasonal } = recorded(scope, measure);
  const tuned = (parameter: 'times_usual' | 'floor'): string =>
    tuning.value('EdgeWafSpike', parameter, { series: seasonal, labels: SCOPES[scope] });
  return [`${latest(seasonal, times)} * ${tuned('times_usual')}`, `${tuned('floor')} / 2`];
}

/** What threats must be above where a page goes by their growth alone; there only then. */
export function risingThreshold(scope: Scope, times: Times, tuning: Tuning): string {
  const measure = MEASURES.threats;
  const { rising, active } = recorded(scope, measure);
  const [multiple, floor] = risingLimits({ scope, measure, times, tuning });
  return `${larger(`(${multiple})`, `0 * ${rising} + ${floor}`)} and ${rising} unless ${active}`;
}

/** 1 where there is a spike, whether it began at once or slowly. */
function begunSpike({ active, rising }: Recorded, { rises }: Measure): string {
  return rises === true ? `(${active} or ${rising})` : active;
}

/** The mean of the last minutes. */
export function recently({ value }: Pick<Recorded, 'value'>, { smoothing, minute }: Times): string {
  return `avg_over_time(${range(value, smoothing, minute)})`;
}

/**
 * Whether there is a spike: enough of the last minutes are above the limit. Of a spike the limit stays what it was when
 * it began, as long as the value is more than ordinary at this hour: else an attack would seem over when the day's
 * traffic grows. `active` and `limit` on the right are those of the minute before.
 *
 * Minutes whose lower bound is above the limit are counted apart from published ones, so that none counts twice: enough
 * of them begin a spike that the same minutes would begin once they are published.
 */
function spikeRules(names: Recorded, spike: Judging): readonly RecordingRule[] {
  const { scope, measure, times } = spike;
  const atLeast = measure.atLeast?.(scope);
  const threshold = latestThreshold(spike);
  const ordinary = `(${latestUsual(scope, measure, times)} + ${threshold}) / 2`;
  const begun = `(${names.limit} or ${threshold})`;
  const usualNow = acceptedNow(spike);
  const limit = usualNow === undefined ? begun : larger(usualNow, begun);
  const above = (value: string): string => `${value} > bool ${beyondOthers(limit, spike)} == 1`;
  const enough = (series: string, value: string): string =>
    `clamp_max(${enoughAbove(series, value, spike)}, 1)`;
  return [
    {
      record: names.limit,
      expr: `${smaller(`(${names.limit} > ${ordinary} or ${ordinary} and ${names.limit})`, threshold)} and ${names.active}`,
    },
    { record: names.above, expr: above(names.value) },
    ...(atLeast === undefined
      ? [{ record: names.active, expr: enough(names.above, names.value) }]
      : [
          { record: names.atLeast, expr: atLeast },
          { record: names.certain, expr: above(names.atLeast) },
          {
            record: names.active,
            expr: `${enough(names.above, names.value)}\nor\n${enough(names.certain, names.atLeast)}`,
          },
        ]),
  ];
}

/** Added to both sides where requests are compared with what is usual. */
const FEW_REQUESTS = 30;

/** How much more than all other requests something must have grown. */
export const BEYOND_OTHERS = 1.5;

/**
 * What of a measure the requests explain: what is usual, times what the requests have grown by. An attack's own requests,
 * which the measure counts, explain nothing of it; only where it is broken down by a label (codes, families), all requests
 * count, the attack's as well. Of an account it is the sum: one of its sites may open while the others are as ever.
 * @param over what is judged: minutes, or their mean over a time
 */
export function explained(
  { scope, measure, times }: Judging,
  over: (series: string) => string = (series) => series,
): string {
  const requests = recorded('configuration', MEASURES.requests);
  const usual = latestUsual('configuration', measure, times);
  const among = measure.by.length > 0;
  const others = among
    ? over(requests.value)
    : `${over(requests.value)} - ${over(recorded('configuration', measure).value)}`;
  const growth = `clamp_min((${others} + ${FEW_REQUESTS}) / (${latest(requests.usual, times)} + ${FEW_REQUESTS}), 1)`;
  const ofEach = `${usual} * ${among ? `on (${SCOPES.configuration.join(', ')}) group_left () ` : ''}${growth}`;
  return scope === 'account' ? `sum by (${labelsOf(scope, measure).join(', ')}) (${ofEach})` : ofEach;
}

/**
 * The limit of what is counted among the requests is beyond what these have grown by: what an opening shop, a nightly job or a
 * sale brings of threats and error codes is what any traffic has, and is usual.
 */
function beyondOthers(limit: string, options: Judging): string {
  return options.measure.part === true ? larger(`${BEYOND_OTHERS} * ${explained(options)}`, limit) : limit;
}

/**
 * Whether enough of the last minutes were above the limit; of threats, which wake somebody, their mean above the threshold
 * as well, for it to begin: minutes that differ much are above it now and then. Of an attack on several configurations at once,
 * those that show it a few minutes later are told of with the first: fewer minutes are enough where another has enough.
 */
function enoughAbove(above: string, value: string, { scope, measure, times }: Judging): string {
  const { of, begins, joins } = times.spike;
  const [first, joining] = [begins, joins].map((time) => Math.round(time / times.minute)) as [number, number];
  const count = `sum_over_time(${range(above, of, times.minute)})`;
  if (measure.alert !== 'EdgeWafSpike') return `${count} >= ${first}`;
  const names = recorded(scope, measure);
  const high = `avg_over_time(${range(value, of, times.minute)}) > ${latest(names.threshold, times)}`;
  if (scope === 'account') return `${count} >= ${first} and (${high} or ${names.active})`;
  const account = SCOPES.account.join(', ');
  const begun = `max by (${account}) (${count} and ${high}) >= ${first}`;
  return `${count} >= on (${account}) group_left () (0 * (${begun}) + ${joining}) or ${count} >= ${first} and ${names.active}`;
}

function fallenRule(names: Recorded, times: Times): RecordingRule {
  const lower = `(${latest(names.lower, times)} or ${latest(names.lowest, times)})`;
  return { record: names.fallen, expr: `${recently(names, times)} <= bool ${lower} == 1` };
}

/**
 * What enters the baselines: abnormal minutes do not, or an attack would become what is usual; in their place is what
 * is usual at this hour. Recorded is what is taken off such a minute. A level that stays abnormal for long, with pauses
 * of an hour at most, is accepted.
 */
function normalRules(names: Recorded, options: Judging): readonly RecordingRule[] {
  const { times, measure } = options;
  const falls = measure.falls === true;
  const any = falls
    ? `(${names.active} or ${names.fallen})`
    : `(${names.above} or ${begunSpike(names, measure)})`;
  const lasting = falls ? any : begunSpike(names, measure);
  const season = latest(names.seasonal, times);
  const usual =
    measure.quiet === undefined
      ? season
      : `(${season} or ${latest(names.hourly, times)} or 0 * ${names.value})`;
  const beyond = `${names.value} - ${usual}`;
  return [
    {
      record: names.since,
      expr: `(last_over_time(${range(names.since, times.hour, times.minute)}) or time() + 0 * ${lasting}) and ${lasting}`,
    },
    { record: names.accepted, expr: accepted(names, options) },
    {
      record: names.excess,
      expr: falls
        ? `${beyondMuch(names, times)} unless ${names.fallen}\nor\n${beyond} and ${names.fallen} unless ${names.accepted}`
        : `${beyond} and ${any} unless ${names.accepted}`,
    },
  ];
}

/**
 * What a value has beyond a multiple of what is usual. Of requests a flood is no reason to leave all of it out: a shop
 * that opens on its first day would be one every day, as its mornings would never become usual. Of an attack on a small
 * site, which is no flood yet, no more becomes usual either.
 */
function beyondMuch(names: Recorded, times: Times): string {
  return `(${names.value} - (${MUCH.times} * ${latest(names.seasonal, times)} + ${MUCH.more}) > 0)`;
}

const MUCH = { times: 3, more: 30 };

function accepted(names: Recorded, { scope, measure, tuning: { settings } }: Judging): string {
  const byHand = settings.accepted
    .filter(({ where }) => applies(where, SCOPES[scope]))
    .map(({ where, from }) => {
      const seconds = Math.floor(from / 1_000);
      const now = `time() - ${seconds} + 0 * ${selector(names.value, matchersOf(where))}`;
      return `((${now}) >= 0) < ${ACCEPTING}`;
    });
  const long = `time() - ${names.since} > ${settings.acceptAfter / 1_000}`;
  if (measure.data === 'requests' || measure.rises === true) return [long, ...byHand].join('\nor\n');
  // So is what an attack shows in besides its threats. A share of 403s that is too much at night alone would be a ticket on each of them.
  const shown = measure.by.includes('class') ? `${names.value}{class="4xx"}` : names.value;
  const attack = `${shown} and on (${SCOPES[scope].join(', ')}) ${recorded(scope, MEASURES.threats).accepted}`;
  return [long, ...byHand, attack].join('\nor\n');
}

/**
 * What is accepted of a measure at this hour, by the alerts file; there only within such hours. Undefined where the file has none.
 * @param after how much longer it counts: an hour's mean holds what was accepted before (ms)
 */
export function acceptedNow(options: Judging, after = 0): string | undefined {
  const { scope, tuning, times } = options;
  const parts = tuning.settings.acceptedHours.flatMap((accepted) => {
    const { start, length } = accepted;
    const [from, lasts, day] = [start, Math.min(length + after, times.day), times.day].map(
      (ms) => ms / 1_000,
    );
    const within = `((time() - ${from}) % ${day} < bool ${lasts})`;
    if (applies(accepted.where, SCOPES[scope])) return [`${allowance(options, accepted)} * ${within} > 0`];
    // Where configurations are accepted, their account has that much more.
    const ofConfigurations = allowance({ ...options, scope: 'configuration' }, accepted);
    const labels = labelsOf(scope, options.measure).join(', ');
    return [
      `(${latestUsual(scope, options.measure, times)} + sum by (${labels}) (${ofConfigurations})) * ${within} > 0`,
    ];
  });
  return parts.length === 0 ? undefined : `(${parts.join(' or ')})`;
}

function allowance(
  { scope, measure, times }: Judging,
  { where, times: many }: AlertSettings['acceptedHours'][number],
): string {
  return `${many} * (${latestUsual(scope, measure, times, matchersOf(where))} + ${measure.little})`;
}
