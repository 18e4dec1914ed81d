import { labelsOf, type Measure, recorded, SCOPES, type Scope } from './measures.ts';
import { duration, range } from './promql.ts';
import type { Times } from './times.ts';

/** A page of an account waits for its configurations to speak, and is silent before they are. */
export function pageTiming(scope: Scope, { holdAccount, keepFiring }: Times, hold = 0) {
  return scope === 'account' ? { hold: hold + holdAccount } : { hold, keepFiring };
}

/** A ticket waits for the page of the same cause. */
export function ticketTiming(scope: Scope, { holdTicket, holdAccount, keepFiring }: Times) {
  return { hold: holdTicket + (scope === 'account' ? holdAccount : 0), keepFiring };
}

/** What every alert of traffic has: what it judges, and which data it is made of. */
export function ofTraffic(scope: Scope, measure: Measure) {
  return {
    judged: { series: recorded(scope, measure).value, labels: SCOPES[scope] },
    about: 'traffic',
    labels: { scope, metric: measure.data },
    ...(measure.data === 'waf' && { dashboard: 'edge-security' as const }),
  } as const;
}

/** What was so within the last hour or a little more, or within another time: of a series that is there only while it is so. */
export function lately(series: string, { apart, minute }: Times, span = apart): string {
  return `last_over_time(${range(series, span, minute)})`;
}

/** An account is told of only where none of its configurations is: they say more. What they are told by: their abnormal, or a series. */
export function besideConfigurations(scope: Scope, by: Measure | string, times: Times): string {
  if (scope === 'configuration') return '';
  const ofConfigurations = typeof by === 'string' ? by : recorded('configuration', by).since;
  return `\nunless on (account, product)\n${lately(ofConfigurations, times)}`;
}

/** Whom an alert of a scope is about, as a template. */
export const WHOM: Readonly<Record<Scope, string>> = {
  account: 'account {{ $labels.account }} ({{ $labels.product }})',
  configuration: '{{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})',
};

/** A number of another series with the labels of the alert, as a template: `120`, or what is said where there is none. */
export function seriesValue(
  series: string,
  scope: Scope,
  {
    by = [],
    format = 'humanize',
    divisor,
    over,
    absent = 'unknown',
  }: Partial<Pick<Measure, 'by'>> & {
    format?: string;
    divisor?: string;
    /** Of so long the newest value, where there may be none now, or the mean (ms). */
    over?: readonly ['last' | 'avg', number];
    absent?: string;
  } = {},
): string {
  const labels = labelsOf(scope, { by });
  const matchers = labels.map((label) => `${label}=%q`).join(', ');
  const values = labels.map((label) => `$labels.${label}`).join(' ');
  const divided = divisor === undefined ? '' : ` / ${divisor}`;
  const one = `${series}{${matchers}}`;
  const found = over === undefined ? one : `${over[0]}_over_time(${one}[${duration(over[1])}])`;
  const queried = `printf \`${found}${divided}\` ${values} | query`;
  return `{{ with ${queried} }}{{ . | first | value | ${format} }}{{ else }}${absent}{{ end }}`;
}
