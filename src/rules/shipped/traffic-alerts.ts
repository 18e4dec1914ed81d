import type { AlertDefinition } from './alert.ts';
import type { Tuning } from './alert-settings.ts';
import { burning, paging, ratio5xx } from './error-rules.ts';
import { stale } from './freshness-rules.ts';
import {
  floorOf,
  isShare,
  type Judging,
  latest,
  latestUsual,
  MEASURES,
  type Measure,
  type Recorded,
  recorded,
  SCOPE_NAMES,
  SCOPES,
  type Scope,
  scopesOf,
} from './measures.ts';
import {
  acceptedNow,
  BEYOND_OTHERS,
  explained,
  growing,
  inLastMinutes,
  recently,
  stillAbove,
} from './minute-rules.ts';
import { ago, duration, larger, range, selector } from './promql.ts';
import {
  besideConfigurations,
  lately,
  ofTraffic,
  pageTiming,
  seriesValue,
  ticketTiming,
  WHOM,
} from './scopes.ts';
import type { Times } from './times.ts';

type SpikeName = 'threats' | 'blocked' | 'family' | 'clientErrors' | 'misses';

interface Wording {
  readonly summary: (whom: string) => string;
  readonly what: string;
  /** What is said besides. */
  readonly more?: (scope: Scope, times: Times) => string;
}

const WORDINGS: Readonly<Record<SpikeName, Wording>> = {
  threats: {
    summary: (whom) => `{{ $value | humanize }} threats a minute on ${whom}`,
    what: 'The WAF detects {{ $value | humanize }} threats a minute',
    // Of the same minutes: while an attack grows or ends, the newest one alone has more or less than their mean.
    more: (scope, { smoothing, minute }) =>
      ` The WAF blocks ${seriesValue(recorded(scope, MEASURES.blocked).value, scope, { over: ['avg', smoothing - minute / 2] })} requests a minute.`,
  },
  blocked: {
    summary: (whom) => `{{ $value | humanize }} requests a minute blocked on ${whom}`,
    what: 'The WAF blocks {{ $value | humanize }} requests a minute',
  },
  family: {
    summary: (whom) => `{{ $labels.family }} attack on ${whom}: {{ $value | humanize }} threats a minute`,
    what: 'The WAF detects {{ $value | humanize }} threats a minute of the family {{ $labels.family }}',
  },
  clientErrors: {
    summary: (whom) => `{{ $value | humanizePercentage }} client errors on ${whom}`,
    what: '{{ $value | humanizePercentage }} of the responses are 4xx',
  },
  misses: {
    summary: (whom) =>
      `The cache does not serve {{ $value | humanizePercentage }} of the requests of ${whom}`,
    what: 'The origin has to answer {{ $value | humanizePercentage }} of the requests',
  },
};

/** What must be far above its own past, per account and per configuration. */
export function spikeAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const names = Object.keys(WORDINGS) as SpikeName[];
  return names.flatMap((name) =>
    scopesOf(MEASURES[name]).map((scope) => spikeAlert(name, scope, times, tuning)),
  );
}

/** A spike that is not over: the mean of the last minutes, where one of them was above the limit. */
export function spiking(scope: Scope, measure: Measure, times: Times): string {
  const names = recorded(scope, measure);
  const spike = `${names.active}\nand\n${stillAbove(measure, names, times)}`;
  return `${inLastMinutes(measure, names, times)}\nand\n${measure.rises === true ? `(\n${spike}\nor\n${names.rising}\n)` : spike}`;
}

/** Where somebody has been woken for an attack, what follows from it is a part of that. */
function unlessAttacked(scope: Scope, times: Times, span = times.apart): string {
  const attacked = lately(recorded(scope, MEASURES.threats).since, times, span);
  return `\nunless on (${SCOPES[scope].join(', ')})\n${attacked}`;
}

function spikeAlert(name: SpikeName, scope: Scope, times: Times, tuning: Tuning): AlertDefinition {
  const measure: Measure = MEASURES[name];
  const page = name === 'threats';
  const beside = besideConfigurations(scope, measure, times);
  const spike = spiking(scope, measure, times);
  return {
    ...ofTraffic(scope, measure),
    alert: measure.alert,
    expr: `${spike}${page ? '' : unlessAttacked(scope, times)}${beside}`,
    ...(page ? pageTiming(scope, times) : ticketTiming(scope, times)),
    ...words(name, scope, times, tuning),
  };
}

/** What is said where nothing is recorded of what is usual, or too much. */
function unrecorded(
  { quiet, alert }: Measure,
  tuning: Tuning,
): { readonly usual: string; readonly threshold: string } {
  if (quiet === undefined || alert === 'EdgeOffloadCollapse')
    return { usual: 'unknown', threshold: 'unknown' };
  const said = (value: number): string => {
    if (Number.isNaN(value)) return 'its floor';
    return alert === 'Edge4xxRatio' ? `${Number((100 * value).toPrecision(3))}%` : `${value}`;
  };
  const floor = floorOf(alert, tuning, { series: '', labels: Object.values(SCOPES).flat() });
  return { usual: `less than ${said(quiet(tuning))}`, threshold: said(Number(floor)) };
}

function words(
  name: SpikeName,
  scope: Scope,
  times: Times,
  tuning: Tuning,
): Pick<AlertDefinition, 'summary' | 'description'> {
  const { summary, what, more } = WORDINGS[name];
  const measure: Measure = MEASURES[name];
  const names = recorded(scope, measure);
  const unknown = unrecorded(measure, tuning);
  const format = isShare(measure) ? 'humanizePercentage' : 'humanize';
  const value = (series: string, absent: string): string =>
    seriesValue(series, scope, { by: measure.by, format, absent });
  return {
    summary: summary(WHOM[scope]),
    description: `${what} on ${WHOM[scope]}. Usual at this hour: ${value(names.seasonal, unknown.usual)}; too much is what is above ${value(names.threshold, unknown.threshold)}${measure.rises === true ? ', or less where it grows for two hours' : ''}.${more?.(scope, times) ?? ''}`,
  };
}

/** What was abnormal for so long that it is taken for usual: if it was an attack, the next one of its size goes unseen. */
export function acceptedAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const measure = MEASURES.threats;
  const accepted = (scope: Scope): string =>
    `last_over_time(${range(recorded(scope, measure).accepted, times.day, times.minute)})`;
  return SCOPE_NAMES.map((scope) => {
    const names = recorded(scope, measure);
    const beside =
      scope === 'account' ? `\nunless on (${SCOPES.account.join(', ')})\n${accepted('configuration')}` : '';
    return {
      ...ofTraffic(scope, measure),
      alert: 'EdgeAttackUsual',
      expr: `${latest(names.hourly, times)}\nand\n${accepted(scope)}${beside}`,
      hold: times.hour,
      summary: `{{ $value | humanize }} threats a minute on ${WHOM[scope]} are taken for usual now`,
      description: `What has been usual on ${WHOM[scope]} since ${seriesValue(names.since, scope, { format: 'humanizeTimestamp', over: ['last', 2 * times.day], absent: `${duration(tuning.settings.acceptAfter)} ago` })} is an attack's level: threats were above their threshold for ${duration(tuning.settings.acceptAfter)}, so that {{ $value | humanize }} a minute is what counts as usual now. An attack of that size is not told any more, now or when it comes again.`,
    } as const;
  });
}

const SERVER_ERRORS = { label: 'class', operator: '=', value: '5xx' } as const;

/** What is too much in the mean of an hour, or in a few minutes of it, though no page. */
export function elevatedAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  return SCOPE_NAMES.flatMap((scope) => [
    threatsAlert(scope, times, tuning),
    codeAlert(scope, times, tuning),
  ]);
}

function threatsAlert(scope: Scope, times: Times, tuning: Tuning): AlertDefinition {
  const measure = MEASURES.threats;
  const names = recorded(scope, measure);
  const beside = besideConfigurations(scope, measure, times);
  // What grows will be a page, or is a ticket once it grows no more; two and a half hours are enough to tell.
  const before = `avg_over_time(${ago(range(names.value, times.hour, times.minute), 2.5 * times.hour)})`;
  const young = `(${growing(names, times, 2 * times.holdTicket, 1.05)} unless ${before} > 2 * ${latest(names.seasonal, times)})`;
  return {
    ...ofTraffic(scope, measure),
    alert: measure.elevated,
    expr: `${elevated({ scope, measure, times, tuning })}\nunless\n${lately(names.since, times, times.remains)}\nunless\n${young}${beside}`,
    ...ticketTiming(scope, times),
    keepFiring: times.keepAfterLull,
    summary: `{{ $value | humanize }} threats a minute in the last hour on ${WHOM[scope]}`,
    description: `In the last hour the WAF has detected {{ $value | humanize }} threats a minute on ${WHOM[scope]}. Usual at this hour: ${seriesValue(names.seasonal, scope)}. Too few for a page, or too short.`,
  };
}

/** In so large a share of the minutes must it fail to be steady. */
const STEADY = 0.8;

/**
 * A page for server errors is about their codes as well. It comes first: of what fails now and then it comes after half an
 * hour, and a code's ticket, which needs fewer minutes, waits for it. Steady failures are a ticket sooner, unless their share will be a page.
 */
function unlessFailing(scope: Scope, names: Recorded, times: Times, tuning: Tuning): string {
  const within = scope === 'account' ? SCOPE_NAMES : [scope];
  const on = SCOPES[scope].join(', ');
  const told = within.map((one) => `unless on (${on})\n${lately(paging(one), times)}`);
  const above = selector(names.above, [SERVER_ERRORS]);
  const { hour, minute, holdTicket } = times;
  const wait = 2 * holdTicket;
  const began = `max_over_time(${range(above, wait, minute)}) unless max_over_time(${ago(range(above, hour, minute), wait)})`;
  const paged = `${ratio5xx(scope, times.burn.fast[0])} > ${burning(scope, 'fast', tuning)}`;
  const steady = `sum_over_time(${range(above, holdTicket, minute)}) >= ${(STEADY * holdTicket) / minute} unless on (${on}) ${paged}`;
  return ['', ...told, `unless\n(${began} unless (${steady}))`].join('\n');
}

/** Of error codes a spike is no more than a ticket either: whether it is one or an hour's, it is one alert. */
function codeAlert(scope: Scope, times: Times, tuning: Tuning): AlertDefinition {
  const measure = MEASURES.errors;
  const names = recorded(scope, measure);
  const failing = unlessFailing(scope, names, times, tuning);
  const beside = besideConfigurations(scope, measure, times);
  return {
    ...ofTraffic(scope, measure),
    alert: measure.elevated,
    expr: `(\n${spiking(scope, measure, times)}\nor\n${elevated({ scope, measure, times, tuning })}\n)${unlessAttacked(scope, times, times.remains)}${failing}${beside}`,
    ...ticketTiming(scope, times),
    keepFiring: times.keepAfterLull,
    summary: `{{ $value | humanize }} responses {{ $labels.code }} a minute on ${WHOM[scope]}`,
    description: `{{ $value | humanize }} responses a minute of ${WHOM[scope]} have the status code {{ $labels.code }} ({{ $labels.class }}), of minutes or in the mean of an hour. Usual at this hour: ${seriesValue(names.seasonal, scope, { by: measure.by, absent: unrecorded(measure, tuning).usual })}.`,
  };
}

interface JudgingHours extends Judging {
  readonly measure: Measure & { readonly elevated: 'EdgeWafElevated' | 'EdgeStatusCodeSurge' };
}

/** What the mean of an hour must be above to be told, without its abnormal minutes. */
export function hourLimit(judging: JudgingHours): string {
  const { scope, measure, times, tuning } = judging;
  const judged = { series: recorded(scope, measure).value, labels: SCOPES[scope] };
  const usual = latestUsual(scope, measure, times);
  const most = larger(
    `${usual} * ${tuning.value(measure.elevated, 'hour_times_usual', judged)}`,
    `0 * ${usual} + ${tuning.value(measure.elevated, 'hour_floor', judged)}`,
  );
  const usualNow = acceptedNow(judging, times.hour + times.lull);
  return usualNow === undefined ? most : larger(usualNow, most);
}

/** The mean of an hour that is far above the usual, or that has some abnormal minutes: as long as there is more of it. */
function elevated(judging: JudgingHours): string {
  const { scope, measure, times, tuning } = judging;
  const names = recorded(scope, measure);
  const judged = { series: names.value, labels: SCOPES[scope] };
  const overAnHour = (series: string): string => `avg_over_time(${range(series, times.hour, times.minute)})`;
  const limit = hourLimit(judging);
  const burst = `sum_over_time(${range(names.above, times.hour, times.minute)}) >= ${tuning.value(measure.elevated, 'minutes', judged)}`;
  const hour = overAnHour(names.value);
  const lastly = (operation: 'avg' | 'max', series: string): string =>
    `${operation}_over_time(${range(series, times.lull, times.minute)})`;
  const lasts = [0, times.holdHour].map((back) => `${latest(names.hourly, times, back)} > ${limit}`);
  const much = `${lasts.join('\nand\n')}\nor\n${burst}`;
  const still = `${lastly('avg', names.value)} > ${limit} / 2\nor\n${lastly('max', names.above)}`;
  // What grows with the requests, and hardly more than they do, says nothing besides.
  const part = `${BEYOND_OTHERS} * (${explained(judging, overAnHour)} + ${measure.little})`;
  return `${hour}\nand\n(\n${much}\n)\nand\n(\n${still}\n)\nunless\n${hour} <= ${part}`;
}

/** What must be far below its own past. Data that is missing is never taken for traffic that is. */
export function dropAlerts(times: Times): readonly AlertDefinition[] {
  return SCOPE_NAMES.flatMap((scope) => {
    const names = recorded(scope, MEASURES.requests);
    const whole = `unless on (${SCOPES[scope].join(', ')})\n${stale('requests')}`;
    const fallen = `${recently(names, times)}\nand\n${names.fallen}`;
    const known = latest(names.lower, times);
    const common = {
      ...ofTraffic(scope, MEASURES.requests),
      alert: 'EdgeTrafficDrop',
      summary: `Only {{ $value | humanize }} requests a minute on ${WHOM[scope]}`,
    } as const;
    const described = `The edge answers {{ $value | humanize }} requests a minute on ${WHOM[scope]}. Usual at this hour: ${seriesValue(names.seasonal, scope)}. The data is fresh.`;
    const elsewhere = scope === 'account' ? '' : `\nunless\n${moved(times)}`;
    const beside = besideConfigurations(scope, MEASURES.requests, times);
    return [
      {
        ...common,
        labels: { ...common.labels, reason: 'lost' },
        expr: `${fallen}\nand\n${known}${elsewhere}\n${whole}${beside}`,
        ...pageTiming(scope, times, times.hold),
        description: `${described} Visitors do not arrive.`,
      },
      {
        ...common,
        labels: { ...common.labels, reason: 'unsure' },
        expr: `${fallen}\n${scope === 'account' ? `unless\n${known}` : `unless\n(${known} unless ${moved(times)})`}\n${whole}${beside}`,
        hold: times.holdTicket,
        severity: 'ticket',
        description: `${described} Nobody is woken: ${scope === 'account' ? '' : 'either '}there is too little to compare with${scope === 'account' ? '' : ', or another configuration of the account has gained what this one has lost'}.`,
      },
    ] as const;
  });
}

/**
 * A configuration has lost traffic, and another one of the same account has gained about as much, and much of its own,
 * against last week. What larger ones gain by chance is not that.
 */
function moved(times: Times): string {
  const names = recorded('configuration', MEASURES.requests);
  const now = recently(names, times);
  const lastWeek = latest(names.hourly, times, times.week - times.hour / 2);
  const level = larger(now, latest(names.hourly, times));
  // Where last week's data is missing, a configuration is new only if it was not there three days ago either.
  const known = `(${lastWeek} or ${latest(names.hourly, times, 3 * times.day)})`;
  const gained = `max by (account, product) (((${level} > ${MOVED.growth} * ${lastWeek}) - ${lastWeek} or ${now} unless ${known}) unless ${names.fallen})`;
  const lost = `(${latest(names.seasonal, times)} - ${now})`;
  const on = 'on (account, product) group_left ()';
  return `(${MOVED.least} * ${lost} <= ${on} ${gained} and ${MOVED.most} * ${lost} >= ${on} ${gained})`;
}

/** What another configuration has gained: shares of what one has lost, and times what it had. */
const MOVED = { least: 0.3, most: 2.5, growth: 1.7 };

/** Share of server errors that makes more traffic than usual a matter for somebody. */
const FLOOD_ERRORS = 0.01;

/** More requests than ever: information, as long as they do no harm. */
export function floodAlerts(times: Times): readonly AlertDefinition[] {
  return SCOPE_NAMES.flatMap((scope) => {
    const names = recorded(scope, MEASURES.requests);
    const expr = `${spiking(scope, MEASURES.requests, times)}${besideConfigurations(scope, MEASURES.requests, times)}`;
    const harm = `(\n${harmful(scope, times).join('\nor\n')}\n)`;
    const common = {
      ...ofTraffic(scope, MEASURES.requests),
      alert: 'EdgeTrafficFlood',
      summary: `{{ $value | humanize }} requests a minute on ${WHOM[scope]}`,
    } as const;
    const described = `The edge answers {{ $value | humanize }} requests a minute on ${WHOM[scope]}. Usual at this hour: ${seriesValue(names.seasonal, scope)}; too many are more than ${seriesValue(names.threshold, scope)}.`;
    const on = `on (${SCOPES[scope].join(', ')})`;
    return [
      {
        ...common,
        labels: { ...common.labels, reason: 'harm' },
        expr: `${expr}\nand ${on}\n${harm}`,
        ...pageTiming(scope, times, times.hold),
        description: `${described} Errors or threats rise with them.`,
      },
      {
        ...common,
        labels: { ...common.labels, reason: 'traffic' },
        expr: `${expr}\nunless ${on}\n${harm}`,
        hold: scope === 'account' ? times.holdAccount : 0,
        severity: 'info',
        description: `${described} Neither errors nor threats rise with them.`,
      },
    ] as const;
  });
}

/** What makes many requests a matter for somebody. */
function harmful(scope: Scope, times: Times): readonly string[] {
  const above = (measure: Measure): string => {
    const { of, rises } = times.spike;
    const count = `sum_over_time(${range(recorded(scope, measure).above, of, times.minute)})`;
    return `${count} >= ${Math.round(rises / times.minute)}`;
  };
  return [
    `${ratio5xx(scope, times.burn.fast[0])} > ${FLOOD_ERRORS}`,
    above(MEASURES.threats),
    above(MEASURES.clientErrors),
  ];
}
