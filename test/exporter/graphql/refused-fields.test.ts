import { expect, it } from 'vitest';
import { DatasetReading } from '../../../src/exporter/graphql/dataset-reading.ts';
import { KnownFields } from '../../../src/exporter/graphql/known-fields.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { PlatformFailure, type Read } from '../../../src/exporter/platform/read.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 5, 12, 30);

function readerOf(count: number, isRefused: (fields: readonly string[]) => boolean) {
  const fields = Array.from({ length: count }, (_, index) => `field${index}`);
  const asked: (readonly string[])[] = [];
  const read: Read = async (resource) => {
    const { question = '' } = resource();
    const words = new Set(question.match(/\w+/g));
    if (words.has('__schema')) throw new PlatformFailure('not_acceptable', 'nothing is said of it', 400);
    const named = fields.filter((field) => words.has(field));
    asked.push(named);
    if (isRefused(named)) throw new PlatformFailure('not_acceptable', 'bad request', 400);
    return { body: { data: { workloadMetrics: [] } }, bytes: 0 };
  };
  const options = {
    schema: new KnownFields(() => NOW),
    platformClock: new PlatformClock(() => NOW),
    mostBytes: 8_388_608,
  };
  const window = { from: NOW - 10 * MINUTE, to: NOW };
  const question = {
    dataset: 'workloadMetrics',
    key: 'configurationId',
    summed: undefined,
    split: undefined,
    keys: ['x'],
    fields,
    window: () => window,
    perKey: 1,
    resting: new Set<string>(),
  };
  const never = new AbortController().signal;
  const poll = () => new DatasetReading(question, options, read, never).rows();
  return { fields, asked, poll };
}

it.each([2, 3, 8, 9, 10, 12, 13, 30])(
  'takes none of %s fields for missing where every question is refused, and asks a dozen times at most why',
  async (count) => {
    let isRefusing = true;
    const { fields, asked, poll } = readerOf(count, () => isRefusing);
    await expect(poll()).rejects.toThrow('bad request');
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.length).toBeLessThanOrEqual(1 + 12);
    isRefusing = false;
    await poll();
    expect(asked.at(-1)).toEqual(fields);
  },
);

it.each([
  [5, [1]],
  [12, [0, 11]],
  [30, [16, 29]],
  [30, [3, 14, 15, 28]],
])('finds of %s fields those that are refused, and no others: %j', async (count, missing) => {
  const refused = missing.map((index) => `field${index}`);
  const { fields, asked, poll } = readerOf(count, (named) => named.some((field) => refused.includes(field)));
  await poll();
  expect(asked.at(-1)).toEqual(fields.filter((field) => !refused.includes(field)));
});
