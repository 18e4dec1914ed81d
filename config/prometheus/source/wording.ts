import { type Measure, SCOPES, type Scope } from './measures.ts';

/** Whom an alert of a scope is about, as a template. */
export const WHOM: Readonly<Record<Scope, string>> = {
  account: 'account {{ $labels.account }} ({{ $labels.product }})',
  configuration: '{{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})',
};

/** The value of another series with the labels of the alert, as a template: `120`, or `unknown` where there is none. */
export function seriesValue(
  series: string,
  { by }: Pick<Measure, 'by'>,
  scope: Scope,
  format = 'humanize',
): string {
  const labels = [...SCOPES[scope], ...by];
  const matchers = labels.map((label) => `${label}=%q`).join(', ');
  const values = labels.map((label) => `$labels.${label}`).join(' ');
  const queried = `printf \`${series}{${matchers}}\` ${values} | query`;
  return `{{ with ${queried} }}{{ . | first | value | ${format} }}{{ else }}unknown{{ end }}`;
}
