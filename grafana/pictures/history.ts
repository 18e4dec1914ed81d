import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { facesOf } from '../../src/exporter/catalogue/catalogue.ts';
import type { Family, Labels } from '../../src/exporter/catalogue/family.ts';
import { DATA_MOMENTS, EDGE_UP } from '../../src/exporter/catalogue/platform-families.ts';
import { PRODUCTS } from '../../src/exporter/catalogue/products.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

const MINUTE = 60_000;
const GAUGE_LAG = 3 * MINUTE;
const COUNTER_LAG = 11 * MINUTE;

/** Target of one job, from the labels of `edge_data_until_timestamp_seconds`. */
export interface Shown {
  readonly account: string;
  readonly product: string;
  readonly configuration_id: string;
  readonly configuration: string;
  readonly metric: string;
}

/** Time span of the history, in ms since the epoch, and a filter of its families. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly wanted: (family: string) => boolean;
}

type Lines = Map<Family, string[]>;

/**
 * Writes the true values of the sandboxes for every minute, in the exporter's families, as OpenMetrics text.
 */
export async function writeHistory(
  file: string,
  shown: readonly Shown[],
  sandboxes: ReadonlyMap<string, Sandbox>,
  { from, to, wanted }: Span,
): Promise<void> {
  const lines: Lines = new Map();
  const span = { from, to, wanted };
  for (const target of shown) {
    const sandbox = sandboxes.get(target.account);
    if (sandbox !== undefined) addTarget(lines, target, sandbox, span);
    const write = writer(lines, { ...target }, span);
    for (let at = from; at < to; at += MINUTE) {
      write(DATA_MOMENTS.configuration.dataUntil, at, (at - GAUGE_LAG + MINUTE) / 1000);
      write(DATA_MOMENTS.configuration.countedUntil, at, (at - COUNTER_LAG + MINUTE) / 1000);
    }
  }
  for (const account of sandboxes.keys()) {
    const write = writer(lines, { account }, span);
    for (let at = from; at < to; at += MINUTE) write(EDGE_UP, at, 1);
  }
  const out = createWriteStream(file);
  for (const [family, samples] of lines) {
    const name = family.type === 'counter' ? family.name.replace(/_total$/, '') : family.name;
    if (!out.write(`# TYPE ${name} ${family.type}\n${samples.join('')}`)) await once(out, 'drain');
  }
  out.end('# EOF\n');
  await once(out, 'close');
}

function addTarget(lines: Lines, target: Shown, sandbox: Sandbox, span: Span): void {
  const { metric, ...labels } = target;
  const product = PRODUCTS.find(({ slug }) => slug === target.product);
  if (product === undefined) return;
  const truth = sandbox.truth({
    api: product.api,
    product: product.id,
    configuration: Number(target.configuration_id),
    metric,
    from: span.from - COUNTER_LAG,
    to: span.to,
  });
  for (const [dimension, points] of Object.entries(truth)) {
    const { gauge, counter, labels: own } = facesOf(metric, dimension, { scope: 'configuration' });
    const write = writer(lines, { ...labels, ...own }, span);
    let total = 0;
    for (const [at, value] of points) {
      write(gauge.family, at + GAUGE_LAG, value * gauge.scale);
      total += value;
      if (counter) write(counter.family, at + COUNTER_LAG, total * counter.scale);
    }
  }
}

function writer(lines: Lines, labels: Labels, { from, to, wanted }: Span) {
  const all = { job: 'edge-exporter', instance: 'edge-exporter:9801', ...labels };
  const text = Object.entries(all)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',');
  return (family: Family, at: number, value: number) => {
    if (at < from || at >= to || !wanted(family.name)) return;
    const samples = lines.get(family) ?? [];
    lines.set(family, samples);
    samples.push(`${family.name}{${text}} ${value} ${at / 1000}\n`);
  };
}
