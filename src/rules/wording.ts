import { labelsOf, type Measure, type Scope } from './measures.ts';

/** Whom an alert of a scope is about, as a template. */
export const WHOM: Readonly<Record<Scope, string>> = {
  account: 'account {{ $labels.account }} ({{ $labels.product }})',
  configuration: '{{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})',
};

/** A number of another series with the labels of the alert, as a template: `120`, or `unknown` where there is none. */
export function seriesValue(
  series: string,
  scope: Scope,
  {
    by = [],
    format = 'humanize',
    divisor,
  }: Partial<Pick<Measure, 'by'>> & { format?: string; divisor?: string } = {},
): string {
  const labels = labelsOf(scope, { by });
  const matchers = labels.map((label) => `${label}=%q`).join(', ');
  const values = labels.map((label) => `$labels.${label}`).join(' ');
  const divided = divisor === undefined ? '' : ` / ${divisor}`;
  const queried = `printf \`${series}{${matchers}}${divided}\` ${values} | query`;
  return `{{ with ${queried} }}{{ . | first | value | ${format} }}{{ else }}unknown{{ end }}`;
}
