import { formatDuration } from '../../exporter/text/figures.ts';

/** Returns milliseconds as a duration of PromQL: 5_400_000 is `1h30m`. */
export function duration(ms: number): string {
  return formatDuration(Math.round(ms));
}

/** A label of a selector: `configuration=~"shop-.*"`. */
export interface Matcher {
  readonly label: string;
  readonly operator: '=' | '=~' | '!=' | '!~';
  readonly value: string;
}

/** Returns a selector of series. */
export function selector(name: string, matchers: readonly Matcher[] = []): string {
  if (matchers.length === 0) return name;
  const texts = matchers.map(({ label, operator, value }) => `${label}${operator}${JSON.stringify(value)}`);
  return `${name}{${texts.join(', ')}}`;
}

/**
 * Returns a range with exactly the samples of `span` that a rule with this interval recorded. Prometheus 2 includes the sample at
 * the far end of a range, Prometheus 3 does not. A range that ends between two samples has the same samples in both.
 */
export function range(series: string, span: number, interval: number): string {
  return `${series}[${duration(span - interval / 2)}]`;
}

/** Returns a series with an offset. */
export function ago(series: string, ms: number): string {
  return `${series} offset ${duration(ms)}`;
}

/** Returns an aggregation over the present elements of several vectors, element by element. */
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

/** Returns the larger of two vectors, element by element. */
export function larger(a: string, b: string): string {
  return `(${a} > ${b} or ${b})`;
}

/** Returns the smaller of two vectors, element by element. */
export function smaller(a: string, b: string): string {
  return `(${a} < ${b} or ${b})`;
}

/**
 * Labels that Prometheus adds to the series of a target. The series of two exporters, or of two scrapes of one exporter, differ
 * only in these.
 */
const TARGET_LABELS = ['container', 'endpoint', 'instance', 'job', 'node', 'pod', 'replica', 'service'];

/** Returns a scraped series merged over all targets that expose it. */
export function merged(scraped: string, aggregation: 'max' | 'min' = 'max'): string {
  return `${aggregation} without (${TARGET_LABELS.join(', ')}) (${scraped})`;
}
