import type { Family, Labels, Sample } from '../../src/catalogue/family.ts';

const CODES = ['200', '206', '301', '304', '403', '404', '500', '503'];
const METRICS = ['responses', 'requests', 'waf_threats', 'functions', 'images', 'dns_queries'];

const FAMILIES: readonly (readonly [gauge: Family, counter: Family])[] = METRICS.map((metric) => [
  { name: `edge_${metric}_per_minute`, type: 'gauge', help: `The ${metric} of the newest bucket.` },
  { name: `edge_${metric}_total`, type: 'counter', help: `All ${metric} of settled buckets.` },
]);

/** What one poll brings: a configuration's codes, each as a gauge and as a counter. */
export interface Outcome {
  readonly owner: string;
  readonly labels: readonly Labels[];
  readonly families: readonly Family[];
}

export const SERIES_PER_OUTCOME = 2 * CODES.length;

/** As many outcomes as make `seriesCount` series, with labels of usual lengths. */
export function makeOutcomes(seriesCount: number): Outcome[] {
  return Array.from({ length: Math.ceil(seriesCount / SERIES_PER_OUTCOME) }, (_, index) => ({
    owner: `production/${index}`,
    labels: CODES.map((code) => ({
      account: 'production',
      product: 'edge_applications',
      configuration_id: String(1_600_000_000 + index * 7919),
      configuration: `shop-${index}.example.com`,
      class: `${code[0]}xx`,
      code,
    })),
    families: FAMILIES[index % FAMILIES.length] ?? [],
  }));
}

/** The outcome's samples at some time, which `turn` numbers. */
export function samplesOf({ labels, families }: Outcome, turn: number): Sample[] {
  return families.flatMap((family, face) =>
    labels.map((own, index) => ({ family, labels: own, value: (index + 1) * 1234.5 + turn * (face + 7) })),
  );
}
