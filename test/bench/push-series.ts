/** Series that both senders send: the status codes of each configuration, as gauges and as counters. */
import { MEANING_FAMILIES } from '../../src/exporter/catalogue/catalogue.ts';
import type { Family, TimedSample } from '../../src/exporter/catalogue/family.ts';

const CODES = Array.from({ length: 24 }, (_, index) => `${200 + 100 * (index % 4) + Math.floor(index / 4)}`);

export const SERIES_PER_CONFIGURATION = 2 * CODES.length;

const { gauge, counter } = responses();

function responses(): { readonly gauge: Family; readonly counter: Family } {
  for (const { gauge, counter } of MEANING_FAMILIES.configuration.values())
    if (gauge.name === 'edge_responses_per_minute' && counter !== undefined) return { gauge, counter };
  throw new Error('the catalogue has no responses');
}

/** Returns the samples of one poll of a configuration: one bucket of each status code. */
export function samplesOf(configuration: number, bucket: number, at: number, since: number): TimedSample[] {
  return CODES.flatMap((code, index) => {
    const labels = {
      account: 'production',
      product: 'edge_applications',
      configuration_id: String(1_600_000_000 + configuration * 7919),
      configuration: `shop-${configuration}.example.com`,
      class: `${code.charAt(0)}xx`,
      code,
    };
    const value = (Math.imul(bucket + index, 0x9e3779b1) >>> 8) % 100_000;
    return [
      { family: gauge, labels, value, at },
      { family: counter, labels, value: 50_000 * bucket + value, at, since },
    ];
  });
}

/** Returns the same series as a page for scrapes. */
export function pageOf(configurations: number, bucket: number): string {
  const samples = Array.from({ length: configurations }, (_, each) => samplesOf(each, bucket, 0, 0)).flat();
  return [gauge, counter]
    .flatMap(({ name, type, help }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples
        .filter(({ family }) => family.name === name)
        .map(({ labels, value }) => `${name}{${labelText(labels)}} ${value}`),
    ])
    .join('\n')
    .concat('\n');
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, text]) => `${name}="${text}"`)
    .join(',');
}
