import { expect, it } from 'vitest';
import { memoryState } from '../../src/exporter/state/open-state.ts';
import type { State, StateKey } from '../../src/exporter/state/state.ts';
import { countersToStore } from '../stored-series.ts';
import { type Simulation, simulate } from './simulation.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const START = Date.UTC(2026, 0, 5, 3);

let simulation: Simulation | undefined;

const keyOf = (account: string, id: string): StateKey => [
  'series',
  account,
  'metrics',
  'edge_applications',
  'configuration',
  id,
  'cdn_requests',
];

function countersUntil(watermark: number) {
  return countersToStore(
    watermark - DAY,
    MINUTE,
    new Map([['total', { total: 1_000_000, watermark, holes: [] }]]),
  );
}

async function stateWith(records: readonly (readonly [StateKey, unknown])[]): Promise<State> {
  const state = memoryState();
  await state.commit(records.map(([key, value]) => ({ key, value })));
  return state;
}

async function run(state: State): Promise<Simulation> {
  simulation = await simulate({
    start: START,
    state,
    sandbox: { configurations: 1, domainsPerConfiguration: 1 },
    account: {
      collectors: {
        metrics: {
          schedule: '*/10 * * * *',
          products: { edge_applications: { metrics: ['cdn_requests'] } },
        },
      },
    },
  });
  await simulation.minutes(60);
  return simulation;
}

const ids = (state: State) => [...state.keys(['series'])].map((key) => `${key[1]} ${key[5]}`);

it('forgets the records of which nothing was heard for three months, and no others', async () => {
  const state = await stateWith([
    [keyOf('test', '1'), countersUntil(START - 91 * DAY)],
    [keyOf('test', '2'), countersUntil(START - 89 * DAY)],
    [keyOf('left', '3'), countersUntil(START - 91 * DAY)],
    [keyOf('left', '4'), countersUntil(START - DAY)],
    [keyOf('test', '5'), { of: 'another version' }],
  ]);
  await run(state);
  const [own] = ids(state).filter((name) => !/^(test [25]|left 4)$/.test(name));
  expect(ids(state).toSorted()).toEqual(['left 4', 'test 2', 'test 5', own].toSorted());
});

it('keeps a record in use, however far behind it is', async () => {
  const probe = await run(memoryState());
  const [own] = probe.state.keys(['series']);
  const key = own ?? [];
  await probe.close();
  const state = await stateWith([
    [key, countersUntil(START - 200 * DAY)],
    [keyOf('test', '1'), countersUntil(START - 200 * DAY)],
  ]);
  await run(state);
  expect([...state.keys(['series'])]).toEqual([key]);
  expect(state.get(key)).toMatchObject({ since: START - 201 * DAY });
});

it('forgets nothing while there is nothing to compare with', async () => {
  const state = await stateWith([[keyOf('left', '3'), countersUntil(START - 200 * DAY)]]);
  simulation = await simulate({ start: START, state, account: { collectors: {} } });
  await simulation.minutes(60);
  expect(ids(state)).toEqual(['left 3']);
});
