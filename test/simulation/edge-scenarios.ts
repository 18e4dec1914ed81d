import { cp, rename, rm, writeFile } from 'node:fs/promises';
import { memoryState } from '../../src/exporter/state/open-state.ts';
import { type State, StateWriteFailure } from '../../src/exporter/state/state.ts';
import type { FaultSettings } from '../../src/sandbox/faults/faults.ts';
import type { Scenario, World } from './edge-play.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const SET_FORWARD = 'the machine’s clock was set forward';
const SET_BACK = 'the machine’s clock was set back';

type Event = (world: World) => unknown;

const setClock =
  (by: number): Event =>
  ({ simulation }) =>
    simulation.clock.setWall(by);

const faults =
  (settings: FaultSettings): Event =>
  ({ simulation }) =>
    simulation.sandbox.faults.set(settings);

function clockStep(name: string, by: number): Scenario {
  return {
    name: `the clock is set ${name}`,
    events: { 5: setClock(by) },
    told: { [by > 0 ? SET_FORWARD : SET_BACK]: 1 },
    metrics: ['edge_exporter_clock_steps_total'],
    page: /this machine’s clock is # .* the platform’s/,
  };
}

const MIXED = { blank: 14 };

const LISTS = '/metrics/*configurations$';

function shortList(name: string, keep: number): Scenario {
  return {
    name: `the lists of configurations are ${name} once`,
    events: { 4: faults({ empty_answer: { paths: [LISTS], form: 'list', keep } }), 5: faults({}) },
    told: {
      [`the list of active configurations shrank from 3 to ${keep}: it is read again before anything is withdrawn`]: 1,
    },
    options: { sandbox: { configurations: 3, domainsPerConfiguration: 1 } },
  };
}

const ROWS_DROPPED = {
  told: { 'invalid rows of an answer were dropped': 1 },
  metrics: ['edge_exporter_rejected_rows_total'],
};

function damaged(name: string, settings: FaultSettings, more: Partial<Scenario> = {}): Scenario {
  return { name, events: { 3: faults(settings), 20: faults({}) }, ...more };
}

const restartAround =
  (change: (directory: string) => Promise<unknown>): Event =>
  async ({ simulation, stateDirectory }) => {
    await simulation.stop();
    await change(stateDirectory);
    await simulation.start();
  };

const copyState = restartAround((directory) => cp(directory, `${directory}-copy`, { recursive: true }));
const changeForCopy = restartAround(async (directory) => {
  await rename(directory, `${directory}-other`);
  await rename(`${directory}-copy`, directory);
});
const changeBack = restartAround(async (directory) => {
  await rm(directory, { recursive: true });
  await rename(`${directory}-other`, directory);
});

const SOME_MINUTES = { period: { every_ms: 3 * MINUTE, for_ms: MINUTE } };

function fullDisk(): Scenario {
  let isFull = false;
  return {
    name: 'the disk is full for 15 min',
    options: {
      state: () => {
        const state = memoryState();
        const commit: State['commit'] = (entries) =>
          isFull ? Promise.reject(new StateWriteFailure('no space left on device')) : state.commit(entries);
        return Promise.resolve({ ...state, commit });
      },
    },
    events: {
      5: () => {
        isFull = true;
      },
      20: () => {
        isFull = false;
      },
    },
    told: { 'the state cannot be written: counters wait': 1 },
    metrics: ['edge_exporter_state_errors_total'],
  };
}

const CANNOT_BE_USED =
  'the state directory /state cannot be used: it is not a directory; counters are withheld until then, gauges are served';

const START = Date.UTC(2026, 0, 5, 10);
const LOST = { from: START + 18 * MINUTE, to: START + 21 * MINUTE };

/** All scenarios of the edge tests. */
export const SCENARIOS: readonly Scenario[] = [
  { name: 'nothing happens', events: {} },
  clockStep('forward 7 min', 7 * MINUTE),
  clockStep('back 7 min', -7 * MINUTE),
  clockStep('forward 1 h', HOUR),
  clockStep('back 1 h', -HOUR),
  clockStep('forward 24 h', 24 * HOUR),
  clockStep('back 24 h', -24 * HOUR),
  {
    name: 'the clock is set back and forth, every other minute',
    events: Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [2 * index, setClock(index % 2 === 0 ? -HOUR : HOUR)]),
    ),
    told: { [SET_FORWARD]: 5, [SET_BACK]: 5 },
  },
  {
    name: 'the clock is an hour behind at the start, and set right',
    options: { skew: -HOUR },
    events: { 5: setClock(HOUR) },
    told: { [SET_FORWARD]: 1 },
  },
  {
    name: 'the process is suspended for 10 min',
    events: { 5: ({ simulation }) => simulation.clock.suspend(10 * MINUTE) },
    // After the restart, earlier series are hidden until they are polled again.
    blank: 1,
    told: { 'the exporter stood still: the process was suspended, or its event loop blocked': 1 },
    metrics: ['edge_exporter_stalled_seconds_total'],
  },
  shortList('empty', 0),
  shortList('down to one', 1),
  {
    name: 'the state is not there at a restart, and comes 15 min late',
    keepsState: true,
    events: {
      5: restartAround(async (directory) => {
        await rename(directory, `${directory}-away`);
        await writeFile(directory, '');
      }),
      20: async ({ stateDirectory }) => {
        await rm(stateDirectory);
        await rename(`${stateDirectory}-away`, stateDirectory);
      },
    },
    told: { [CANNOT_BE_USED]: 1, 'the state cannot be written: counters wait': 1 },
    page: /counters are withheld/,
    metrics: ['edge_exporter_state_durable 0'],
  },
  {
    name: 'the exporter restarts on a copy of its state, 15 min older',
    keepsState: true,
    events: { 2: copyState, 17: changeForCopy },
  },
  {
    name: 'the exporter restarts on an older copy, and then on a state newer than that',
    keepsState: true,
    events: { 2: copyState, 12: changeForCopy, 18: changeBack },
  },
  fullDisk(),
  damaged('every second row is missing', { missing_rows: { every: 2 } }),
  damaged('every third row is missing', { missing_rows: { every: 3 } }),
  // At least one of sixteen series has each row, which shows the width of the other series' buckets.
  damaged('a third of the rows is missing at random', { missing_rows: { share: 0.33 } }),
  damaged('buckets become wider, and narrower again', { wide_buckets: {} }),
  damaged('buckets are wide in every other answer', {
    wide_buckets: { period: { every_ms: 2 * MINUTE, for_ms: MINUTE } },
  }),
  damaged('the older buckets of each answer are wider', { wide_buckets: { part: 'older', age: 5 } }),
  damaged('the newer buckets of each answer are wider', { wide_buckets: { part: 'newer', age: 20 } }, MIXED),
  damaged(
    'the older buckets of each answer are wider, and some rows are invalid',
    { wide_buckets: { part: 'older', age: 5 }, wrong_types: { share: 0.1 } },
    { ...ROWS_DROPPED, told: { 'invalid rows of an answer were dropped': 5 } },
  ),
  damaged(
    'the newer buckets of each answer are wider, and some rows are invalid',
    { wide_buckets: { part: 'newer', age: 20 }, wrong_types: { share: 0.1 } },
    { ...ROWS_DROPPED, ...MIXED, told: { 'invalid rows of an answer were dropped': 5 } },
  ),
  {
    name: 'a storm: missing rows, errors, late data, restarts in between',
    keepsState: true,
    told: { 'polling the platform fails': 1 },
    events: {
      2: faults({ missing_rows: { share: 0.4 }, server_error: SOME_MINUTES }),
      8: ({ simulation }) => simulation.restart(),
      12: faults({
        late_data: { minutes: 2 },
        missing_rows: { every: 3, probability: 0.5 },
      }),
      16: ({ simulation }) => simulation.restart(),
      20: faults({ server_error: {} }),
      28: faults({ missing_rows: { share: 0.2 } }),
      32: faults({}),
    },
  },
  {
    name: 'the platform is 8 min late, and its buckets fill up as late',
    events: { 3: faults({ late_data: { minutes: 8, settling: 'late' } }), 40: faults({}) },
    // The first three of the 8 min without new data are normal.
    blank: 5,
  },
  {
    name: 'the platform is 3 min late',
    events: { 3: faults({ late_data: { minutes: 3 } }), 40: faults({}) },
  },
  {
    name: 'a storm: data late and filling up late, missing rows, errors, a restart in between',
    keepsState: true,
    told: { 'polling the platform fails': 1 },
    blank: 2,
    events: {
      2: faults({ late_data: { minutes: 5, settling: 'late' }, missing_rows: { share: 0.2 } }),
      10: faults({ late_data: { minutes: 8, settling: 'late' }, server_error: SOME_MINUTES }),
      18: ({ simulation }) => simulation.restart(),
      24: faults({
        late_data: { minutes: 3, settling: 'late' },
        missing_rows: { every: 3, probability: 0.5 },
      }),
      30: faults({}),
    },
  },
  {
    name: 'the platform loses 3 min for good',
    options: { start: START },
    events: { 3: faults({ missing_data: LOST }) },
    lost: LOST,
    current: 5,
    told: {
      'counters skip buckets that stay missing; edge_exporter_buckets_skipped_total counts them': 1,
    },
    metrics: ['edge_exporter_buckets_skipped_total'],
  },
];
