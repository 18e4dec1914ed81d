import type { AlertDefinition } from './alert.ts';
import { labelsOf, type Measure, recorded, SCOPES, type Scope } from './measures.ts';
import { duration, range } from './promql.ts';
import type { Times } from './times.ts';

/** Where the alerts of a scope lead. */
export function opened(scope: Scope): Pick<AlertDefinition, 'dashboard' | 'variables'> {
  return scope === 'account'
    ? { dashboard: 'edge-overview', variables: ['account', 'product'] }
    : { dashboard: 'edge-configuration', variables: ['account', 'product', 'configuration'] };
}

/** What every alert of traffic has: what it judges, which data it is made of, and where it leads. */
export function ofTraffic(scope: Scope, measure: Measure) {
  return {
    judged: { series: recorded(scope, measure).value, labels: SCOPES[scope] },
    about: 'traffic',
    labels: { scope, metric: measure.data },
    ...opened(scope),
  } as const;
}

/** What was so within the last hour or a little more: of a series that is there only while it is so. */
export function lately(series: string, { apart, minute }: Times): string {
  return `last_over_time(${range(series, apart, minute)})`;
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
