import { formatDuration } from '../../exporter/text/figures.ts';

/** Milliseconds as PromQL writes them: 5_400_000 is `1h30m`. */
export function duration(ms: number): string {
  return formatDuration(Math.round(ms));
}

/** A label of a selector: `configuration=~"shop-.*"`. */
export interface Matcher {
  readonly label: string;
  readonly operator: '=' | '=~' | '!=' | '!~';
  readonly value: string;
}

/** A selector of series. */
export function selector(name: string, matchers: readonly Matcher[] = []): string {
  if (matchers.length === 0) return name;
  const texts = matchers.map(({ label, operator, value }) => `${label}${operator}${JSON.stringify(value)}`);
  return `${name}{${texts.join(', ')}}`;
}

/**
 * A range that holds exactly the samples of `span` that a rule of this interval recorded. Prometheus 2 includes the
 * sample at the far end of a range, Prometheus 3 does not: ending it between two samples makes both take the same.
 */
export function range(series: string, span: number, interval: number): string {
  return `${series}[${duration(span - interval / 2)}]`;
}

/** A series of some time ago. */
export function ago(series: string, ms: number): string {
  return `${series} offset ${duration(ms)}`;
}

/** An aggregation of several vectors, element by element, over those that are there. */
export function across(
  aggregation: string,
  vectors: Readonly<Record<string, string>>,
  parameter?: number,
): string {
  const parts = Object.entries(vectors).map(
    ([part, vector]) => `label_replace(${vector}, "part", "${part}", "", "")`,
  );
  const first = parameter === undefined ? '' : `${parameter},`;
  return `${aggregation} without (part) (${first}\n  ${parts.join('\n  or\n  ')}\n)`;
}

/** The larger of two vectors, element by element. */
export function larger(a: string, b: string): string {
  return `(${a} > ${b} or ${b})`;
}

/** The smaller of two vectors, element by element. */
export function smaller(a: string, b: string): string {
  return `(${a} < ${b} or ${b})`;
}

/** What Prometheus adds to the series of a target: by these alone differ what two exporters, or two scrapes of one, show of the same. */
const TARGET_LABELS = ['container', 'endpoint', 'instance', 'job', 'node', 'pod', 'replica', 'service'];

/** What is scraped, once, however many targets show it: two exporters of an account, one scraped twice, one that takes over. */
export function merged(scraped: string, aggregation: 'max' | 'min' = 'max'): string {
  return `${aggregation} without (${TARGET_LABELS.join(', ')}) (${scraped})`;
}
