/**
 * A value as both exposition formats write it: the shortest decimal that reads back as the same number, `+Inf`, `-Inf`
 * or `NaN`. Negative zero is written as 0, since no reader of a metric means anything by its sign.
 */
export function formatValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

/**
 * A number that is a label value (`le` of a histogram, `quantile` of a summary). OpenMetrics wants whole ones written
 * with `.0`; the older format gets the same, so that the series does not depend on which format a scrape agreed on.
 */
export function formatThreshold(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : formatValue(value);
}
