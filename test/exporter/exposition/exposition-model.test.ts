import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Family, Sample } from '../../../src/exporter/catalogue/family.ts';
import { Exposition } from '../../../src/exporter/exposition/exposition.ts';
import { Store } from '../../../src/exporter/exposition/store.ts';
import { parseExposition, seriesKey } from '../../parse-exposition.ts';

const FAMILIES: readonly Family[] = ['edge_a', 'edge_b_total', 'edge_c'].map((name) => ({
  name,
  type: name.endsWith('_total') ? 'counter' : 'gauge',
  help: name,
}));
/**
 * Number of series; more than one run of the exposition contains, so that owners of many series are tested
 * too.
 */
const MANY = 250;

interface Change {
  readonly kind: 'publish' | 'withdraw' | 'expire' | 'pause' | 'settle';
  readonly owner: 'a' | 'ab' | 'b';
  readonly families: readonly number[];
  /** Index of the first series. Owners do not share series. */
  readonly first: number;
  readonly count: number;
  readonly value: number;
  readonly until: number;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('publish', 'publish', 'publish', 'withdraw', 'expire', 'pause', 'settle'),
  owner: fc.constantFrom('a', 'ab', 'b'),
  families: fc.uniqueArray(fc.nat(FAMILIES.length - 1)),
  first: fc.nat(2),
  count: fc.oneof(fc.nat(3), fc.nat(MANY)),
  value: fc.nat(3),
  until: fc.integer({ min: 1, max: 3 }),
});

const ALL_LABELS = new Map(
  ['a', 'ab', 'b'].map((owner) => [
    owner,
    Array.from({ length: MANY + 3 }, (_, n) => ({ owner, n: `${n}` })),
  ]),
);

function samplesOf({ owner, families, first, count, value }: Change): Sample[] {
  const labels = ALL_LABELS.get(owner)?.slice(first, first + count) ?? [];
  return families.flatMap((index) => {
    const family = FAMILIES[index];
    return family === undefined
      ? []
      : labels.map((own, n) => ({ family, labels: own, value: 10 * value + n }));
  });
}

class Model {
  readonly #owners = new Map<string, { samples: readonly Sample[]; until: number }>();

  apply(step: Change): void {
    if (step.kind === 'publish')
      this.#owners.set(step.owner, { samples: samplesOf(step), until: step.until });
    if (step.kind === 'withdraw') this.#owners.delete(step.owner);
    if (step.kind === 'expire') {
      for (const [owner, { until }] of this.#owners) if (step.until >= until) this.#owners.delete(owner);
    }
  }

  samples(): Map<string, number> {
    const all = [...this.#owners.values()].flatMap(({ samples }) => samples);
    return new Map(all.map(({ family, labels, value }) => [seriesKey(family.name, labels), value]));
  }
}

async function carryOut(step: Change, store: Store, exposition: Exposition): Promise<void> {
  if (step.kind === 'publish') store.publish(step.owner, samplesOf(step), step.until);
  if (step.kind === 'withdraw') store.withdraw(step.owner);
  if (step.kind === 'expire') store.expire(step.until);
  if (step.kind === 'pause') await setImmediate();
  if (step.kind === 'settle') await exposition.refresh();
}

function sameInAllForms(exposition: Exposition): string {
  const text = Buffer.concat(exposition.snapshot('text', 'identity')).toString();
  expect(gunzipSync(Buffer.concat(exposition.snapshot('text', 'gzip'))).toString()).toBe(text);
  const openmetrics = Buffer.concat(exposition.snapshot('openmetrics', 'identity')).toString();
  expect(gunzipSync(Buffer.concat(exposition.snapshot('openmetrics', 'gzip'))).toString()).toBe(openmetrics);
  expect(openmetrics).toMatch(/(^|\n)# EOF\n$/);
  expect(openmetrics).not.toMatch(/(^|\n)\n/);
  expect(parseExposition(openmetrics).samples).toEqual(parseExposition(text).samples);
  return text;
}

describe('any sequence of publications, withdrawals and expiries', () => {
  it('ends in what the plainest model shows, the same in both formats and encodings', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 25 }), async (steps) => {
        const store = new Store({ seriesLimit: 10_000 });
        const exposition = new Exposition(store);
        const model = new Model();
        for (const step of steps) {
          model.apply(step);
          await carryOut(step, store, exposition);
          if (step.kind !== 'settle') continue;
          const { samples } = parseExposition(
            Buffer.concat(exposition.snapshot('text', 'identity')).toString(),
          );
          expect(samples).toEqual(model.samples());
        }
        await exposition.refresh();
        const { samples, types } = parseExposition(sameInAllForms(exposition));
        expect(samples).toEqual(model.samples());
        expect(store.seriesCount).toBe(samples.size);
        expect(types.size).toBe(new Set([...samples.keys()].map((key) => JSON.parse(key)[0])).size);
      }),
    );
  });
});
