import fc from 'fast-check';
import { Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { Family, Labels } from '../../../src/exporter/catalogue/family.ts';
import { Exposition } from '../../../src/exporter/exposition/exposition.ts';
import { Store } from '../../../src/exporter/exposition/store.ts';
import { ANY_CHARACTER } from '../../any-character.ts';
import { type ParsedExposition, parseExposition, seriesKey } from '../../parse-exposition.ts';

const bandwidth: Family = { name: 'edge_bandwidth', type: 'gauge', help: 'Bandwidth.' };

interface LabelledValue {
  readonly labels: Labels;
  readonly value: number;
}

async function exposed(values: readonly LabelledValue[]): Promise<ParsedExposition> {
  const store = new Store({ seriesLimit: 1000 });
  const exposition = new Exposition(store);
  store.publish(
    'all',
    values.map(({ labels, value }) => ({ family: bandwidth, labels, value })),
    Infinity,
  );
  await exposition.refresh();
  return parseExposition(Buffer.concat(exposition.snapshot('text', 'identity')).toString());
}

async function exposedByPromClient(values: readonly LabelledValue[]): Promise<ParsedExposition> {
  const registry = new Registry();
  const gauge = new Gauge({ ...bandwidth, labelNames: ['a', 'b'], registers: [registry] });
  for (const { labels, value } of values) gauge.set(labels, value);
  return parseExposition(await registry.metrics());
}

describe('the exposition beside that of prom-client', () => {
  it('holds the same series and values, for any label value and number', async () => {
    // Only one label has arbitrary text, because prom-client merges series with commas and colons in several
    // labels.
    const labels = fc.record({ a: fc.string({ unit: ANY_CHARACTER }), b: fc.constantFrom('', 'x', 'y') });
    const value = fc.record({ labels, value: fc.double() });
    const values = fc.uniqueArray(value, { selector: ({ labels: { a, b } }) => JSON.stringify([a, b]) });
    await fc.assert(
      fc.asyncProperty(values, async (all) => {
        const ours = await exposed(all);
        expect(ours.samples).toEqual((await exposedByPromClient(all)).samples);
        expect(ours.samples.size).toBe(all.length);
      }),
    );
  });

  it('keeps apart the series that prom-client merges', async () => {
    const values = [
      { labels: { a: 'x,b:y', b: 'z' }, value: 1 },
      { labels: { a: 'x', b: 'y,b:z' }, value: 2 },
    ];
    expect((await exposedByPromClient(values)).samples.size).toBe(1);
    expect([...(await exposed(values)).samples]).toEqual(
      values.map(({ labels, value }) => [seriesKey(bandwidth.name, labels), value]),
    );
  });
});
