import type { AlertDefinition } from './alert.ts';
import { paging, ratio5xx } from './error-rules.ts';
import { stale } from './freshness-rules.ts';
import { MEASURES, type Measure, SCOPE_NAMES, SCOPES, type Scope } from './measures.ts';
import { recently } from './minute-rules.ts';
import { duration, larger, range } from './promql.ts';
import { latest, recorded } from './recorded.ts';
import { besideConfigurations, lately, opened } from './scopes.ts';
import type { Times } from './times.ts';
import type { Tuning } from './tuning.ts';
import { seriesValue, WHOM } from './wording.ts';

/** How much more than the traffic itself something must have grown not to be a part of it. */
const BEYOND_GROWTH = 1.5;

/** Share of server errors that makes more traffic than usual a matter for somebody. */
const FLOOD_ERRORS = 0.01;

type SpikeName = 'threats' | 'blocked' | 'family' | 'errors' | 'clientErrors' | 'misses';

interface Wording {
  readonly format?: 'humanizePercentage';
  readonly summary: (whom: string) => string;
  readonly what: string;
  /** What is said besides. */
  readonly more?: (scope: Scope) => string;
  readonly dashboard: 'edge-security' | 'edge-configuration';
}

const WORDINGS: Readonly<Record<SpikeName, Wording>> = {
  threats: {
    summary: (whom) => `{{ $value | humanize }} threats a minute on ${whom}`,
    what: 'The WAF detects {{ $value | humanize }} threats a minute',
    more: (scope) =>
      ` The WAF blocks ${seriesValue(recorded(scope, MEASURES.blocked).value, scope)} requests a minute.`,
    dashboard: 'edge-security',
  },
  blocked: {
    summary: (whom) => `{{ $value | humanize }} requests a minute blocked on ${whom}`,
    what: 'The WAF blocks {{ $value | humanize }} requests a minute',
    dashboard: 'edge-security',
  },
  family: {
    summary: (whom) => `{{ $labels.family }} attack on ${whom}: {{ $value | humanize }} threats a minute`,
    what: 'The WAF detects {{ $value | humanize }} threats a minute of the family {{ $labels.family }}',
    dashboard: 'edge-security',
  },
  errors: {
    summary: (whom) => `{{ $value | humanize }} responses {{ $labels.code }} a minute on ${whom}`,
    what: '{{ $value | humanize }} responses a minute have the status code {{ $labels.code }} ({{ $labels.class }})',
    dashboard: 'edge-configuration',
  },
  clientErrors: {
    format: 'humanizePercentage',
    summary: (whom) => `{{ $value | humanizePercentage }} client errors on ${whom}`,
    what: '{{ $value | humanizePercentage }} of the responses are 4xx',
    dashboard: 'edge-configuration',
  },
  misses: {
    format: 'humanizePercentage',
    summary: (whom) =>
      `The cache does not serve {{ $value | humanizePercentage }} of the requests of ${whom}`,
    what: 'The origin has to answer {{ $value | humanizePercentage }} of the requests',
    dashboard: 'edge-configuration',
  },
};

/** What must be far above its own past, per account and per configuration. */
export function spikeAlerts(times: Times): readonly AlertDefinition[] {
  const names = Object.keys(WORDINGS) as SpikeName[];
  return names.flatMap((name) => SCOPE_NAMES.map((scope) => spikeAlert(name, scope, times)));
}

/** A spike that is not over: the mean of the last minutes, where one of them was above the limit. */
function spiking(scope: Scope, measure: Measure, times: Times): string {
  const names = recorded(scope, measure);
  const still = `max_over_time(${range(names.above, times.quiet, times.minute)}) == 1`;
  return `${recently(names, times)}\nand\n${names.active} == 1\nand\n${still}`;
}

function spikeAlert(name: SpikeName, scope: Scope, times: Times): AlertDefinition {
  const measure: Measure = MEASURES[name];
  const { dashboard } = WORDINGS[name];
  const page = name === 'threats';
  return {
    alert: measure.alert,
    expr: `${beyondGrowth(name, spiking(scope, measure, times), scope, times)}${unlessPartOfAttack(name, scope, times)}${besideConfigurations(scope, recorded('configuration', measure).since, times)}`,
    judged: { series: recorded(scope, measure).value, labels: SCOPES[scope] },
    hold: (page ? 0 : times.holdTicket) + (scope === 'account' ? times.holdAccount : 0),
    keepFiring: page && scope === 'account' ? 0 : times.keepFiring,
    severity: page ? 'page' : 'ticket',
    about: 'traffic',
    labels: { scope, metric: measure.data },
    ...words(name, scope),
    ...opened(scope),
    ...(dashboard === 'edge-security' && { dashboard }),
  };
}

function words(name: SpikeName, scope: Scope): Pick<AlertDefinition, 'summary' | 'description'> {
  const { summary, what, more, format } = WORDINGS[name];
  const measure: Measure = MEASURES[name];
  const names = recorded(scope, measure);
  const value = (series: string): string =>
    seriesValue(series, scope, { by: measure.by, ...(format && { format }) });
  return {
    summary: summary(WHOM[scope]),
    description: `${what} on ${WHOM[scope]}. Usual at this hour: ${value(names.seasonal)}; too much is what is above ${value(names.limit)}.${more?.(scope) ?? ''}`,
  };
}

/** Where somebody has been woken for an attack or for failures, what follows from it is a part of that. */
function unlessPartOfAttack(name: SpikeName, scope: Scope, times: Times): string {
  const attacked = lately(recorded(scope, MEASURES.threats).since, times);
  const on = `on (${SCOPES[scope].join(', ')})`;
  switch (name) {
    case 'threats':
      return '';
    case 'errors':
      return `\nunless ${on}\n${attacked}\nunless ${on}\n${lately(paging(scope), times)}`;
    default:
      return `\nunless ${on}\n${attacked}`;
  }
}

/** Errors grow with the traffic: those that have not grown much more than it say nothing besides. */
function beyondGrowth(name: SpikeName, expr: string, scope: Scope, times: Times): string {
  if (name !== 'errors') return expr;
  return `(\n${expr}\n)\n${withTraffic(recently(recorded(scope, MEASURES.errors), times), scope, { measure: MEASURES.errors, growth: growth(scope, times), times })}`;
}

interface Growth {
  readonly measure: Measure;
  readonly growth: string;
  readonly times: Times;
}

function withTraffic(now: string, scope: Scope, { measure, growth: traffic, times }: Growth): string {
  const usual = latest(recorded(scope, measure).usual, times);
  return `unless\n${now} / (${usual} + ${measure.little}) <= on (${SCOPES[scope].join(', ')}) group_left () ${BEYOND_GROWTH} * ${traffic}`;
}

/** How many times its usual the traffic of the last minutes is, at least 1. */
function growth(scope: Scope, times: Times): string {
  const names = recorded(scope, MEASURES.requests);
  return `clamp_min(${recently(names, times)} / (${latest(names.usual, times)} + ${MEASURES.requests.little}), 1)`;
}

/** What is too much in the mean of an hour, or in a few minutes of it, though no page. */
export function elevatedAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const elevated = ['threats', 'errors'] as const;
  return elevated.flatMap((name) => SCOPE_NAMES.map((scope) => elevatedAlert(name, scope, times, tuning)));
}

function elevatedAlert(
  name: 'threats' | 'errors',
  scope: Scope,
  times: Times,
  tuning: Tuning,
): AlertDefinition {
  const measure = MEASURES[name];
  const alert = measure.elevated;
  const names = recorded(scope, measure);
  const judged = { series: names.usual, labels: SCOPES[scope] };
  const hour = `avg_over_time(${range(names.value, times.hour, times.minute)})`;
  const normal = latest(names.hourly, times);
  const usual = latest(names.usual, times);
  const limit = larger(
    `${usual} * ${tuning.value(alert, 'hour_times_usual', judged)}`,
    `0 * ${usual} + ${tuning.value(alert, 'hour_floor', judged)}`,
  );
  const burst = `sum_over_time(${range(names.above, times.hour, times.minute)}) >= ${tuning.value(alert, 'minutes', judged)}`;
  const traffic = `clamp_min(avg_over_time(${range(recorded(scope, MEASURES.requests).value, times.hour, times.minute)}) / (${latest(recorded(scope, MEASURES.requests).usual, times)} + ${MEASURES.requests.little}), 1)`;
  const { summary } = WORDINGS[name];
  const paged = `unless\n${lately(names.since, times)}`;
  return {
    alert,
    expr: `${hour}\nand\n(\n${normal} > ${limit}\nor\n${burst}\n)\n${withTraffic(hour, scope, { measure, growth: traffic, times })}\n${paged}${unlessPartOfAttack(name, scope, times)}${besideConfigurations(scope, recorded('configuration', MEASURES.threats).since, times)}`,
    judged: { series: names.value, labels: SCOPES[scope] },
    hold: times.holdTicket + (scope === 'account' ? times.holdAccount : 0),
    severity: 'ticket',
    about: 'traffic',
    keepFiring: times.keepFiring,
    labels: { scope, metric: measure.data, span: 'hour' },
    summary: summary(WHOM[scope]).replace('a minute', 'a minute in the last hour'),
    description: `In the last hour there were {{ $value | humanize }} ${name === 'threats' ? 'threats' : 'responses {{ $labels.code }}'} a minute on ${WHOM[scope]} in the mean; usual at this hour: ${seriesValue(names.seasonal, scope, measure)}. Too few for a page, or too short.`,
    ...opened(scope),
  };
}

/** More requests than ever: information, as long as they do no harm. */
export function floodAlerts(times: Times): readonly AlertDefinition[] {
  return SCOPE_NAMES.flatMap((scope) => {
    const names = recorded(scope, MEASURES.requests);
    const expr = `${spiking(scope, MEASURES.requests, times)}${besideConfigurations(scope, recorded('configuration', MEASURES.requests).since, times)}`;
    const harm = `(\n${harmful(scope, times).join('\nor\n')}\n)`;
    const common = {
      alert: 'EdgeTrafficFlood',
      judged: { series: names.value, labels: SCOPES[scope] },
      about: 'traffic',
      labels: { scope, metric: 'requests' },
      summary: `{{ $value | humanize }} requests a minute on ${WHOM[scope]}`,
      ...opened(scope),
    } as const;
    const described = `The edge answers {{ $value | humanize }} requests a minute on ${WHOM[scope]}. Usual at this hour: ${seriesValue(names.seasonal, scope)}; too many are more than ${seriesValue(names.limit, scope)}.`;
    const on = `on (${SCOPES[scope].join(', ')})`;
    return [
      {
        ...common,
        expr: `${expr}\nand ${on}\n${harm}`,
        hold: times.hold + (scope === 'account' ? times.holdAccount : 0),
        keepFiring: scope === 'configuration' ? times.keepFiring : 0,
        severity: 'page',
        description: `${described} Errors or threats rise with them.`,
      },
      {
        ...common,
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
    const { of, goesOn } = times.spike;
    const count = `sum_over_time(${range(recorded(scope, measure).above, of, times.minute)})`;
    return `${count} >= ${Math.round(goesOn / times.minute)}`;
  };
  return [
    `${ratio5xx(scope, times.burn.fast[0])} > ${FLOOD_ERRORS}`,
    above(MEASURES.threats),
    above(MEASURES.clientErrors),
  ];
}

/** What must be far below its own past. Data that is missing is never taken for traffic that is. */
export function dropAlerts(times: Times): readonly AlertDefinition[] {
  return SCOPE_NAMES.flatMap((scope) => {
    const names = recorded(scope, MEASURES.requests);
    const whole =
      scope === 'account'
        ? `unless on (account, product)\n${stale('requests')}`
        : `unless on (account, product, configuration)\n${stale('requests')}`;
    const fallen = `${recently(names, times)}\nand\n${names.fallen} == 1`;
    const known = latest(names.lower, times);
    const common = {
      alert: 'EdgeTrafficDrop',
      judged: { series: names.value, labels: SCOPES[scope] },
      about: 'traffic',
      labels: { scope, metric: 'requests' },
      summary: `Only {{ $value | humanize }} requests a minute on ${WHOM[scope]}`,
      ...opened(scope),
    } as const;
    const described = `The edge answers {{ $value | humanize }} requests a minute on ${WHOM[scope]}. Usual at this hour: ${seriesValue(names.seasonal, scope)}. The data is fresh.`;
    const elsewhere = scope === 'account' ? '' : `\nunless\n${moved(times)}`;
    const beside = besideConfigurations(scope, recorded('configuration', MEASURES.requests).since, times);
    return [
      {
        ...common,
        expr: `${fallen}\nand\n${known}${elsewhere}\n${whole}${beside}`,
        hold: times.hold + (scope === 'account' ? times.holdAccount : 0),
        keepFiring: scope === 'account' ? 0 : times.keepFiring,
        severity: 'page',
        description: `${described} Visitors do not arrive.`,
      },
      {
        ...common,
        expr: `${fallen}\n${scope === 'account' ? `unless\n${known}` : `unless\n(${known} unless ${moved(times)})`}\n${whole}${beside}`,
        hold: times.holdTicket,
        severity: 'ticket',
        description: `${described} Nobody is woken: either there is no last week to compare with, or another configuration of the account has gained what this one has lost.`,
      },
    ] as const;
  });
}

/** A configuration has lost traffic that another one of the same account has gained. */
function moved(times: Times): string {
  const names = recorded('configuration', MEASURES.requests);
  const now = recently(names, times);
  const lastWeek = `last_over_time(${names.hourly}[${duration(2.5 * times.baseline)}] offset ${duration(times.week - times.hour / 2)})`;
  const gained = `max by (account, product) (${now} - 1.1 * ${lastWeek} or ${now})`;
  return `(0.5 * (${latest(names.seasonal, times)} - ${now}) <= on (account, product) group_left () ${gained})`;
}
