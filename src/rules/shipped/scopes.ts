import { labelsOf, type Measure, recorded, SCOPE_NAMES, SCOPES, type Scope } from './measures.ts';
import { duration, range } from './promql.ts';
import type { Times } from './times.ts';

/** Returns the union of expressions as one rule for several conditions. Each has its name as the value of a label. */
export function either(label: string, expressions: Readonly<Record<string, string>>): string {
  return Object.entries(expressions)
    .map(([name, expr]) => `label_replace(\n${expr}\n, "${label}", "${name}", "", "")`)
    .join('\nor\n');
}

/** Returns the union of an expression for several scopes of traffic. */
export function eitherScope(
  expression: (scope: Scope) => string,
  scopes: readonly Scope[] = SCOPE_NAMES,
): string {
  return either('scope', Object.fromEntries(scopes.map((scope) => [scope, expression(scope)])));
}

/** Returns the common fields of alerts of traffic. */
export function ofTraffic(measure: Measure) {
  return {
    judged: { series: recorded('configuration', measure).value, labels: SCOPES.configuration },
    about: 'traffic',
    labels: { metric: measure.data },
    ...(measure.data === 'waf' && { dashboard: 'edge-security' as const }),
  } as const;
}

/** Returns the newest sample within `span` (by default the last hour) of a series that exists only while its condition holds. */
export function lately(series: string, { apart, minute }: Times, span = apart): string {
  return `last_over_time(${range(series, span, minute)})`;
}

/**
 * Returns the extra condition of an account's alert. It has lasted for a while, and no configuration of the account fires because
 * of the same series.
 * @param present series that each configuration has
 */
export function besideConfigurations(
  scope: Scope,
  series: (scope: Scope) => string,
  times: Times,
  present = 'configuration:edge_requests_per_minute:sum',
): string {
  if (scope === 'configuration') return '';
  const lasts = `count_over_time(${range(series('account'), times.holdAccount, times.minute)}) >= ${times.holdAccount / times.minute}`;
  const configurations = `count by (account, product) (${present}`;
  // A new configuration raises the account without being abnormal itself.
  const grown = `${configurations}) > ${configurations} offset ${duration(times.week)})`;
  return `\nand\n${lasts}\nunless on (account, product)\n${lately(series('configuration'), times)}\nunless on (account, product)\n(${grown})`;
}

/** Returns a template with one text for configurations and one for accounts. */
export function byScope(text: (scope: Scope) => string): string {
  const [configuration, account] = [text('configuration'), text('account')];
  if (configuration === account) return configuration;
  return `{{ if $labels.configuration }}${configuration}{{ else }}${account}{{ end }}`;
}

/** Template for the site of an alert. */
export const SITE = byScope((scope) =>
  scope === 'configuration' ? '{{ $labels.configuration }} ({{ $labels.account }})' : '{{ $labels.account }}',
);

/** Returns a template for a value of another series with the labels of the alert; `absent` if there is none. */
export function seriesValue(
  series: (scope: Scope) => string,
  {
    by = [],
    format = 'humanize',
    over,
    absent = 'unknown',
    scopes = SCOPE_NAMES,
  }: Partial<Pick<Measure, 'by'>> & {
    readonly format?: string;
    /** Look-back (ms) for the newest value, if there may be none now. */
    readonly over?: number;
    readonly absent?: string;
    readonly scopes?: readonly Scope[];
  } = {},
): string {
  const one = (scope: Scope): string => {
    const labels = labelsOf(scope, { by });
    const matchers = labels.map((label) => `${label}=%q`).join(', ');
    const values = labels.map((label) => `$labels.${label}`).join(' ');
    const found = `${series(scope)}{${matchers}}`;
    const query = over === undefined ? found : `last_over_time(${found}[${duration(over)}])`;
    return `{{ with printf \`${query}\` ${values} | query }}{{ . | first | value | ${format} }}{{ else }}${absent}{{ end }}`;
  };
  return scopes.length === 1 ? one(scopes[0] as Scope) : byScope(one);
}

/** Returns a template with one text per value of the label `reason`. */
export function byReason(texts: Readonly<Record<string, string>>): string {
  const entries = Object.entries(texts);
  const branches = entries.map(([reason, text], index) =>
    index === entries.length - 1
      ? `{{ else }}${text}{{ end }}`
      : `{{ ${index === 0 ? 'if' : 'else if'} eq $labels.reason "${reason}" }}${text}`,
  );
  return branches.join('');
}
