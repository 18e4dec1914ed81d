import type { Family } from '../catalogue/family.ts';
import type { ExpositionFormat } from './negotiate.ts';

const COUNTER_SUFFIX = '_total';

/** What the HELP and TYPE lines of a family need, the exporter's own histograms and summaries included. */
export interface FamilyMetadata extends Pick<Family, 'name' | 'help'> {
  readonly type: Family['type'] | 'histogram' | 'summary';
}

/** OpenMetrics escapes quotes in HELP as it does in label values; the older format leaves them. */
function escapeHelp(help: string, format: ExpositionFormat): string {
  const escaped = help
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n');
  return format === 'openmetrics' ? escaped.replaceAll('"', '\\"') : escaped;
}

/**
 * The HELP and TYPE lines of a family. To OpenMetrics a counter's family is named without the `_total` of its samples,
 * and a counter whose samples lack it is no counter, but of unknown type.
 */
export function familyHeader(family: FamilyMetadata, format: ExpositionFormat): string {
  let { name, type }: { name: string; type: string } = family;
  if (format === 'openmetrics' && type === 'counter') {
    if (name.endsWith(COUNTER_SUFFIX)) name = name.slice(0, -COUNTER_SUFFIX.length);
    else type = 'unknown';
  }
  return `# HELP ${name} ${escapeHelp(family.help, format)}\n# TYPE ${name} ${type}\n`;
}
