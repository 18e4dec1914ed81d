import { formatValue, writeLabels } from '../../exporter/exposition/text-format.ts';
import type { HeldSamples } from '../promql/sample-table.ts';

/** Series as OpenMetrics with times, as `backfill` writes its own: of one series at a time, since there may be thousands. */
export function* recordedText(series: Iterable<HeldSamples>): Generator<string, void> {
  let last: string | undefined;
  for (const { name, labels, samples } of series) {
    if (name !== last) yield `# TYPE ${name} gauge\n`;
    last = name;
    const of = name + writeLabels(Object.keys(labels), labels);
    yield samples.map(([at, value]) => `${of} ${formatValue(value)} ${at / 1_000}\n`).join('');
  }
  yield '# EOF\n';
}
