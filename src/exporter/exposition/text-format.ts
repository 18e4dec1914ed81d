import type { Family, Labels } from '../catalogue/family.ts';

const COUNTER_SUFFIX = '_total';

/** Metadata for the HELP and TYPE lines of a family, including the exporter's own histograms and summaries. */
export interface FamilyMetadata extends Pick<Family, 'name' | 'help'> {
  readonly type: Family['type'] | 'histogram' | 'summary';
}

/** Exposed sample: its labels without empty ones, long values truncated. */
export interface ShownSample {
  /** Family. For histograms and summaries, its name includes the suffix of the line. */
  readonly family: FamilyMetadata;
  readonly labels: Labels;
  readonly value: number;
}

/** Escapes a HELP text. OpenMetrics escapes quotes as in label values; the older format does not. */
function escapeHelp(help: string, format: ExpositionFormat): string {
  const escaped = help
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n');
  return format === 'openmetrics' ? escaped.replaceAll('"', '\\"') : escaped;
}

/**
 * Returns the HELP and TYPE lines of a family. In OpenMetrics the name of a counter's family has no `_total`. A counter whose
 * samples lack the suffix has the type unknown.
 */
export function familyHeader(family: FamilyMetadata, format: ExpositionFormat): string {
  let { name, type }: { name: string; type: string } = family;
  if (format === 'openmetrics' && type === 'counter') {
    if (name.endsWith(COUNTER_SUFFIX)) name = name.slice(0, -COUNTER_SUFFIX.length);
    else type = 'unknown';
  }
  return `# HELP ${name} ${escapeHelp(family.help, format)}\n# TYPE ${name} ${type}\n`;
}

/**
 * Returns a value in the form of both exposition formats: the shortest decimal that reads back as the same number, `+Inf`, `-Inf`
 * or `NaN`. Negative zero is 0.
 */
export function formatValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

/**
 * Returns a number as a label value (`le` of a histogram, `quantile` of a summary). OpenMetrics requires whole numbers to end in
 * `.0`. The older format gets the same, so that the series does not depend on the negotiated format.
 */
export function formatThreshold(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : formatValue(value);
}

/** The formats in which samples are exposed: Prometheus text 0.0.4 and OpenMetrics 1.0. */
export type ExpositionFormat = 'text' | 'openmetrics';
