import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRODUCTS } from '../../src/exporter/catalogue/products.ts';
import type { ParsedExposition } from '../parse-exposition.ts';
import { type Simulation, simulate } from './simulation.ts';

const WHOLES: Readonly<Record<string, string>> = {
  edge_responses_per_minute: 'edge_requests_per_minute',
  edge_requests_by_scheme_per_minute: 'edge_requests_per_minute',
  edge_requests_by_cache_per_minute: 'edge_requests_per_minute',
  edge_requests_by_method_per_minute: 'edge_requests_per_minute',
  edge_requests_by_cache_per_second: 'edge_requests_per_second',
  edge_waf_threats_by_family_per_minute: 'edge_waf_threats_per_minute',
  edge_data_transferred_bytes_by_scheme_per_minute: 'edge_data_transferred_bytes_per_minute',
  edge_data_transferred_bytes_by_cache_per_minute: 'edge_data_transferred_bytes_per_minute',
  edge_bandwidth_by_cache_bytes_per_second: 'edge_bandwidth_bytes_per_second',
};
const PARTS = Object.keys(WHOLES);
const BY_CONFIGURATION = ['account', 'product', 'configuration_id', 'configuration'];
const EVERYTHING = Object.fromEntries(
  // Only families of the catalogue: the sandbox does not promise that the parts of others add up.
  PRODUCTS.filter(({ api }) => api === 'analytics').map(({ slug, metrics }) => [
    slug,
    { by: ['configuration', 'product'], metrics },
  ]),
);

interface Series {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

describe('the families of a platform whose every product has traffic', () => {
  let simulation: Simulation;
  let series: readonly Series[];

  beforeAll(async () => {
    simulation = await simulate({
      sandbox: { rateLimit: { reads: 100_000, writes: 100, purges: 100 } },
      account: {
        publish_delay: '11m',
        settle_delay: '11m',
        request: { concurrency: 64 },
        collectors: { metrics: {}, analytics: { products: EVERYTHING } },
      },
    });
    await simulation.minutes(5);
    series = seriesOf(await simulation.scrape());
  });
  afterAll(() => simulation.close());

  const named = (name: string) => series.filter((candidate) => candidate.name === name);

  it('all hold values of every product, and none but those of the contract has a label of its own', () => {
    const slugs = new Set(series.map(({ labels }) => labels.get('product')));
    expect(PRODUCTS.map(({ slug }) => slug).filter((slug) => !slugs.has(slug))).toEqual([]);
    const divided = series.filter(({ labels }) => [...labels.keys()].some((label) => isOwn(label)));
    const families = new Set(divided.map(({ name }) => name.replace(/^edge_product_/, 'edge_')));
    expect([...families].sort()).toEqual([...PARTS, ...PARTS.flatMap(counterOf)].sort());
  });

  it.each([...PARTS, ...PARTS.flatMap(counterOf)])('%s adds up to the whole', (part) => {
    const whole = part.endsWith('_total') ? (counterOf(WHOLES[gaugeOf(part)] ?? '')[0] ?? '') : WHOLES[part];
    for (const namespace of ['edge_', 'edge_product_']) {
      const [parts = '', wholes = ''] = [part, whole].map((name) => name?.replace('edge_', namespace));
      expectSame(sumBy(named(parts), BY_CONFIGURATION), sumBy(named(wholes), BY_CONFIGURATION), parts);
    }
  });

  it('add up over the configurations of a product to what the whole product has', () => {
    const additive = [...new Set(series.map(({ name }) => name))].filter((name) =>
      /^edge_product_.*(_per_minute|_total|_per_second)$/.test(name),
    );
    expect(additive.length).toBeGreaterThan(20);
    for (const family of additive) {
      const own = named(family).flatMap(({ labels }) => [...labels.keys()].filter(isOwn));
      const by = ['account', 'product', ...new Set(own)];
      // The metrics API has no values of whole products.
      const products = new Set(named(family).map(({ labels }) => labels.get('product')));
      const parts = named(family.replace('edge_product_', 'edge_'));
      const ofThese = parts.filter(({ labels }) => products.has(labels.get('product')));
      expectSame(sumBy(ofThese, by), sumBy(named(family), by), family);
    }
  });

  it('are never a raw value that the catalogue does not know', () => {
    expect(series.filter(({ name }) => /^edge_(product_)?metric$/.test(name))).toEqual([]);
  });
});

function seriesOf({ samples }: ParsedExposition): Series[] {
  const all = [...samples].map(([key, value]) => {
    const [name, labels] = JSON.parse(key) as [string, [string, string][]];
    return { name, labels: new Map(labels), value };
  });
  return all.filter(
    ({ name, labels }) =>
      labels.has('product') &&
      !/^edge_exporter_|_info$|_timestamp_seconds$|_age_seconds$|_delay_|_ratio$/.test(name),
  );
}

function isOwn(label: string): boolean {
  return !BY_CONFIGURATION.includes(label);
}

function counterOf(gauge: string): string[] {
  return gauge.endsWith('_per_minute') ? [gauge.replace(/_per_minute$/, '_total')] : [];
}

function gaugeOf(counter: string): string {
  return counter.replace(/_total$/, '_per_minute');
}

function sumBy(series: readonly Series[], by: readonly string[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { labels, value } of series) {
    const key = JSON.stringify(by.map((label) => labels.get(label) ?? ''));
    sums.set(key, (sums.get(key) ?? 0) + value);
  }
  return sums;
}

function expectSame(parts: Map<string, number>, wholes: Map<string, number>, family: string): void {
  expect(Math.max(0, ...parts.values()), family).toBeGreaterThan(0);
  for (const [key, sum] of parts) {
    const whole = wholes.get(key) ?? Number.NaN;
    expect(Math.abs(sum - whole), `${family} ${key}: ${sum} of ${whole}`).toBeLessThanOrEqual(1e-9 * whole);
  }
}
