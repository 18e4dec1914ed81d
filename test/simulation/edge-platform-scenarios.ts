import type { FaultSettings } from '../../src/sandbox/faults/faults.ts';
import type { Scenario } from './edge-play.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const DROPPED = 'invalid rows of an answer were dropped';
const SKIPPED = 'counters skip buckets that stay missing; edge_exporter_buckets_skipped_total counts them';
const OTHER_TIME =
  'the platform’s time jumped in an answer: not taken unless all answers agree for 10 min; edge_exporter_platform_clock_contradictions_total counts them';

const ROWS_DROPPED = { told: { [DROPPED]: 1 }, metrics: ['edge_exporter_rejected_rows_total'] };

function platform(
  name: string,
  settings: FaultSettings,
  until: number,
  more: Partial<Scenario> = {},
): Scenario {
  return {
    name,
    events: {
      3: ({ simulation }) => simulation.sandbox.faults.set(settings),
      [until]: ({ simulation }) => simulation.sandbox.faults.set({}),
    },
    ...more,
  };
}

type NodeClock = Omit<NonNullable<FaultSettings['node_clock']>, 'ms'>;

/** Returns a scenario with a node whose clock is wrong for 80 minutes. */
function node(name: string, hours: number, settings: NodeClock): Scenario {
  return platform(name, { node_clock: { ms: hours * HOUR, ...settings } }, 83, {
    told: { [OTHER_TIME]: 1 },
    metrics: ['edge_exporter_platform_clock_contradictions_total'],
  });
}

const wide = (minutes: number, more: Partial<Scenario> = {}) =>
  platform(`all buckets are of ${minutes} min`, { wide_buckets: { minutes } }, 80, more);

const mixed = (minutes: number, share: number) =>
  platform(
    `every other ${minutes} min are one bucket, ${share * 100} % of the rows missing`,
    { wide_buckets: { part: 'mixed', minutes }, missing_rows: { share } },
    40,
    {
      // A row that may be a wide bucket is neither exposed nor counted until it is clear that no further row
      // of its time follows.
      blank: minutes,
      told: { [SKIPPED]: 1 },
      ...(share > 0 && {
        unknowable: { lostSeries: 'a wide bucket is skipped if the row behind it is missing too' },
      }),
    },
  );

const LATE = 'the platform changes buckets after they had settled, and were counted and shown';

const restated = (name: string, factor: number, unknowable: Scenario['unknowable']): Scenario =>
  platform(name, { late_restatement: { minutes: 13, factor } }, 60, {
    ...(unknowable && { unknowable }),
    settlesWithin: 960,
    metrics: ['edge_exporter_late_restatement_total'],
  });

/** Scenarios of platforms with wrong clocks, bucket widths or values. */
export const PLATFORM_SCENARIOS: readonly Scenario[] = [
  node('a tenth of the answers is of a node 1 h ahead, with zeros for what is to come', 1, {
    probability: 0.1,
  }),
  node('two answers in a row are of a node 1 h ahead', 1, {
    period: { every_ms: 20 * MINUTE, for_ms: 2 * MINUTE },
  }),
  platform('2 % of the values are 1e21', { absurd_values: { share: 0.02 } }, 40, ROWS_DROPPED),
  wide(2),
  // The exporter accepts another width after three answers.
  wide(10, { blank: 2 }),
  mixed(10, 0),
  mixed(10, 0.2),
  platform('5 % of the rows contradict others', { conflicting_rows: {} }, 40, ROWS_DROPPED),
  node('half of the answers are of a node 1 h ahead', 1, { probability: 0.5 }),
  node('a tenth of the answers is of a node 1 h behind', -1, { probability: 0.1 }),
  node('a third of the answers has a Date 1 h ahead', 1, { probability: 0.3, shows: 'date' }),
  {
    ...node('a third of the answers has data 1 h ahead', 1, { probability: 0.3, shows: 'data' }),
    told: {},
    metrics: [],
  },
  wide(5),
  mixed(5, 0),
  mixed(5, 0.05),
  mixed(5, 0.4),
  mixed(10, 0.4),
  platform('timestamps are up to 500 ms off', { timestamp_jitter: {} }, 40),
  restated('buckets grow by 11 % after 13 min', 0.9, { lostSeries: LATE, wrongGauges: LATE }),
  restated('buckets shrink by 9 % after 13 min', 1.1, {
    doubledSeries: LATE,
    wrongGauges: LATE,
    wrongBounds: LATE,
  }),
];
