import { expect, it } from 'vitest';
import { KnownFields } from '../../../src/exporter/graphql/known-fields.ts';
import { PlatformFailure, type Read } from '../../../src/exporter/platform/read.ts';
import { AccountMemory } from '../../../src/exporter/state/memory.ts';
import { memoryState, type State } from '../../../src/exporter/state/state.ts';

const HOUR = 3_600_000;
const DATASET = 'workloadMetrics';
const SCHEMA = {
  queryType: { fields: [{ name: DATASET, type: { ofType: { name: 'Row' } } }] },
  types: [{ name: 'Row', fields: [{ name: 'requestsTotal' }, { name: 'bytesSent' }] }],
};
const never = new AbortController().signal;

/** A process that has asked what there is; `store` is what the account does now and then. */
async function started(state: State, now: number, address = 'https://api.example.net') {
  let operations = 0;
  const read: Read = async () => {
    operations += 1;
    return { body: { data: { __schema: SCHEMA } }, bytes: 0 };
  };
  const memory = new AccountMemory(state);
  const fields = new KnownFields({ name: 'acme', address }, memory, () => now);
  await fields.ask(read, never);
  await fields.ask(read, never);
  const { part } = fields;
  const store = () => state.commit([{ key: part.key, value: part.store(memory.of(part)) }]);
  return { fields, store, operations: () => operations };
}

it('asks once, and a restart within a day keeps the answer and the refusals since', async () => {
  const state = memoryState();
  const first = await started(state, 0);
  const refusal = new PlatformFailure('not_acceptable', 'no field bytesSent', 400);
  expect(first.fields.refused(DATASET, ['requestsTotal', 'bytesSent'], refusal)).toEqual(['bytesSent']);
  expect(first.operations()).toBe(1);
  await first.store();

  const again = await started(state, 23 * HOUR);
  expect(again.operations()).toBe(0);
  const { fields } = again;
  expect([fields.lacksDataset(DATASET), fields.lacksDataset('dnsMetrics')]).toEqual([false, true]);
  const lacked = ['requestsTotal', 'bytesSent', 'other'].filter((field) => fields.lacks(DATASET, field));
  expect(lacked).toEqual(['bytesSent', 'other']);
});

it('asks anew a day later, since platforms gain fields, and where the account is at another address', async () => {
  const state = memoryState();
  await (await started(state, 0)).store();
  expect((await started(state, 25 * HOUR)).operations()).toBe(1);
  expect((await started(state, HOUR, 'https://other.example.net')).operations()).toBe(1);
});

it('asks again where the endpoint could not say, and not where it refuses to', async () => {
  const answers = [503, 429, undefined, 400];
  let operations = 0;
  const read: Read = async () => {
    throw new PlatformFailure('server_error', 'it does not say', answers[operations++]);
  };
  const fields = new KnownFields({ name: 'acme', address: '' }, new AccountMemory(memoryState()), () => 0);
  for (let time = 0; time < 6; time += 1) await fields.ask(read, never);
  expect(operations).toBe(4);
  expect(fields.lacks(DATASET, 'anything')).toBe(false);
});
