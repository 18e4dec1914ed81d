import type { Labels } from '../catalogue/family.ts';
import { type FamilyMetadata, familyHeader } from './family-header.ts';
import type { ExpositionFormat } from './negotiate.ts';
import { formatThreshold, formatValue, writeLabels } from './sample-text.ts';

/** A metric as prom-client's `registry.getMetricsAsJSON()` describes it; its own types leave out some of this. */
export interface RegistryMetric {
  readonly name: string;
  readonly help: string;
  /** `counter`, `gauge`, `histogram` or `summary`, whatever prom-client's types say. */
  readonly type: unknown;
  readonly values: readonly {
    /** Where it is not the metric's: `_bucket`, `_sum` and `_count` lines. */
    readonly metricName?: string;
    readonly labels: Readonly<Record<string, string | number | undefined>>;
    readonly value: number;
  }[];
}

const TYPES: readonly FamilyMetadata['type'][] = ['counter', 'gauge', 'histogram', 'summary'];

function labelText(
  labels: RegistryMetric['values'][number]['labels'],
  thresholdName: string | undefined,
): string {
  const texts: Labels = Object.fromEntries(
    Object.entries(labels).map(([name, value = '']) => [
      name,
      typeof value === 'number' && name === thresholdName ? formatThreshold(value) : String(value),
    ]),
  );
  return writeLabels(
    Object.keys(texts).filter((name) => texts[name] !== ''),
    texts,
  );
}

function writeMetric(metric: RegistryMetric, format: ExpositionFormat): string {
  const type = TYPES.find((known) => known === metric.type);
  if (type === undefined)
    throw new TypeError(`Metric ${metric.name} is of unknown type ${String(metric.type)}.`);
  if (metric.values.length === 0) return '';
  const thresholdName = { histogram: 'le', summary: 'quantile', counter: undefined, gauge: undefined }[type];
  const lines = metric.values.map(
    ({ metricName = metric.name, labels, value }) =>
      `${metricName}${labelText(labels, thresholdName)} ${formatValue(value)}\n`,
  );
  return familyHeader({ name: metric.name, help: metric.help, type }, format) + lines.join('');
}

/**
 * The metrics of a prom-client registry as text, for `Exposition.snapshot`. prom-client's own OpenMetrics rendering is
 * of no use beside it: it renames the counters for good, and ends the document.
 * @param metrics as `registry.getMetricsAsJSON()` resolves
 * @throws TypeError for a metric of a type that prom-client does not have
 */
export function writeRegistry(metrics: readonly RegistryMetric[], format: ExpositionFormat): string {
  return metrics.map((metric) => writeMetric(metric, format)).join('');
}
