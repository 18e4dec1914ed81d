import { expect, it } from 'vitest';
import { KnownFields } from '../../../src/exporter/graphql/known-fields.ts';
import { SharedReads } from '../../../src/exporter/graphql/shared-reads.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { PlatformFailure, type Read } from '../../../src/exporter/platform/read.ts';
import { AccountMemory } from '../../../src/exporter/state/memory.ts';
import { NO_MEMORY } from '../../../src/exporter/state/state.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 5, 12, 30);

it('counts a row once where the platform includes the end of each window that is asked for', async () => {
  let operations = 0;
  const read: Read = async (resource) => {
    const { query, variables } = JSON.parse(resource().question ?? '');
    if (query.includes('__schema')) throw new PlatformFailure('not_acceptable', 'nothing is said of it', 400);
    operations += 1;
    const rows: object[] = [];
    for (let time = Date.parse(variables.begin); time <= Date.parse(variables.end); time += MINUTE)
      rows.push({ ts: new Date(time).toISOString(), configurationId: 'x', requestsTotal: 1 });
    return { body: { data: { workloadMetrics: rows } }, bytes: 0 };
  };
  const reads = new SharedReads({
    dataset: 'workloadMetrics',
    key: 'configurationId',
    summed: undefined,
    schema: new KnownFields({ name: 'acme', address: '' }, new AccountMemory(NO_MEMORY), () => NOW),
    platformClock: new PlatformClock(() => NOW),
    mostBytes: 1_300,
  });
  reads.join(['requestsTotal']);
  const window = { from: NOW - 30 * MINUTE, to: NOW };
  const never = new AbortController().signal;
  const { rows } = await reads.read({ key: 'x', fields: ['requestsTotal'] }, () => window, read, never);
  expect(operations).toBeGreaterThan(2);
  const found = rows.byKey.get('x');
  expect(Object.fromEntries(found?.rejected ?? [])).toEqual({});
  expect(found?.rows.filter((row) => row !== undefined)).toHaveLength(30);
});

it('costs what all of its readers share, also where one of them was read before the others came', async () => {
  const read: Read = async (resource) => {
    if (resource().question?.includes('__schema') === true)
      throw new PlatformFailure('not_acceptable', 'nothing is said of it', 400);
    return { body: { data: { workloadMetrics: [] } }, bytes: 0 };
  };
  const reads = new SharedReads({
    dataset: 'workloadMetrics',
    key: 'configurationId',
    summed: undefined,
    schema: new KnownFields({ name: 'acme', address: '' }, new AccountMemory(NO_MEMORY), () => NOW),
    platformClock: new PlatformClock(() => NOW),
    mostBytes: 8_388_608,
  });
  reads.join(['requestsTotal']);
  const window = { from: NOW - 10 * MINUTE, to: NOW };
  const never = new AbortController().signal;
  await reads.read({ key: 'x', fields: ['requestsTotal'] }, () => window, read, never);
  expect(reads.cost()).toBe(1);
  for (let reader = 0; reader < 9; reader += 1) reads.join(['requestsTotal']);
  expect(10 * reads.cost()).toBe(1);
});
