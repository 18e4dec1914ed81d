import type { AlertDefinition } from './alert.ts';
import { ratio5xx } from './error-rules.ts';
import { stale } from './freshness-rules.ts';
import { latest, MEASURES, type Measure, recorded, SCOPE_NAMES, SCOPES, type Scope } from './measures.ts';
import { recently } from './minute-rules.ts';
import { larger, range } from './promql.ts';
import { besideConfigurations, ofTraffic, pageTiming, seriesValue, WHOM } from './scopes.ts';
import { spiking } from './spike-alerts.ts';
import type { Times } from './times.ts';

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
