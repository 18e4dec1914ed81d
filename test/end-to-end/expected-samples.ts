import { facesOf } from '../../src/exporter/catalogue/catalogue.ts';
import { PRODUCTS } from '../../src/exporter/catalogue/products.ts';
import { decimal } from '../../src/exporter/series/decimals.ts';
import type { State } from '../../src/exporter/state/state.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { seriesKey } from '../parse-exposition.ts';
import type { Simulation } from '../simulation/simulation.ts';
import { storedCounters } from '../stored-series.ts';
import type { StoredSamples } from './push-receivers.ts';

const MINUTE = 60_000;

/**
 * Returns the samples that a receiver must have, from the platform's true values. Each counter has zero at
 * its start, and the sum at the end of each counted bucket. Each gauge has the value of each bucket until the
 * end of the counters' last bucket.
 * @param names names of the configurations, by id
 */
export function expectedSamples(
  { state, sandbox }: { readonly state: State; readonly sandbox: Sandbox },
  names: ReadonlyMap<string, string>,
  from: number,
  begins: 'with zero' | 'earlier' = 'with zero',
): StoredSamples {
  const expected = new Map<string, (readonly [number, number])[]>();
  for (const key of state.keys(['series'])) {
    const [, account = '', api, slug, , id = '', metric = ''] = key;
    const product = PRODUCTS.find((candidate) => candidate.api === api && candidate.slug === slug);
    const counters = storedCounters(state.get(key));
    if (product === undefined || counters === undefined)
      throw new Error(`no counters under ${key.join('/')}`);
    const configuration = Number(id);
    const truth = (since: number, to: number) =>
      sandbox.truth({ api: product.api, product: product.id, configuration, metric, from: since, to });
    const common = {
      account,
      product: product.slug,
      configuration_id: id,
      configuration: names.get(id) ?? '',
    };
    for (const [dimension, { watermark }] of counters.counters) {
      const { gauge, counter, labels } = facesOf(metric, dimension, { scope: 'configuration' });
      if (counter === undefined) continue;
      let total = 0;
      const zero = begins === 'with zero' ? [[counters.since + 1, 0] as const] : [];
      const sums = (truth(counters.since, watermark)[dimension] ?? []).map(([start, value]) => {
        total += value;
        return [start + MINUTE, decimal(total * counter.scale)] as const;
      });
      const series = { ...common, ...labels };
      expected.set(seriesKey(counter.family.name, series), [...zero, ...sums]);
      const values = (truth(from, watermark)[dimension] ?? []).map(
        ([start, value]) => [start + MINUTE, decimal(value * gauge.scale)] as const,
      );
      expected.set(seriesKey(gauge.family.name, series), values);
    }
  }
  return expected;
}

/** Returns the names of configurations by id, as `/metrics` exposes them. */
export async function namesById({ scrape }: Pick<Simulation, 'scrape'>): Promise<Map<string, string>> {
  const { samples } = await scrape();
  const labels = [...samples.keys()].map((key) => Object.fromEntries(JSON.parse(key)[1]));
  return new Map(labels.map(({ configuration_id, configuration }) => [configuration_id, configuration]));
}

/** Differences between the samples of a receiver and the expected samples. */
export interface Difference {
  readonly samples: number;
  readonly missing: readonly string[];
  readonly doubled: readonly string[];
  readonly wrong: readonly string[];
}

/** Compares all samples of the expected series. */
export function compareSamples(stored: StoredSamples, expected: StoredSamples): Difference {
  const missing: string[] = [];
  const doubled: string[] = [];
  const wrong: string[] = [];
  let samples = 0;
  for (const [key, values] of expected) {
    const found = stored.get(key) ?? [];
    const byTime = new Map(found);
    const [first, last] = [values[0]?.[0] ?? 0, values.at(-1)?.[0] ?? 0];
    if (byTime.size !== found.length) doubled.push(key);
    for (const [at, value] of values) {
      samples += 1;
      const held = byTime.get(at);
      if (held === undefined) missing.push(`${key} at ${new Date(at).toISOString()}`);
      else if (held !== value) wrong.push(`${key} at ${new Date(at).toISOString()}: ${held}, not ${value}`);
      byTime.delete(at);
    }
    for (const at of byTime.keys()) {
      if (at >= first && at <= last)
        wrong.push(`${key} at ${new Date(at).toISOString()}, where nothing is expected`);
    }
  }
  return { samples, missing, doubled, wrong };
}
