import { describe, expect, it } from 'vitest';
import { shown } from './shown.ts';
import { type Simulation, simulate } from './simulation.ts';

let simulation: Simulation | undefined;

const SHORT_OF_QUOTA = {
  sandbox: {
    configurations: 40,
    domainsPerConfiguration: 1,
    rateLimit: { reads: 6, writes: 20, purges: 20 },
  },
  account: {
    reconciliation_share: 0,
    quota: { reserve: 0 },
    collectors: {
      metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'waf', 'status_code'] } } },
    },
  },
};

const AVAILABLE = 'edge_data_available';
const valuesOf = (samples: [string, number][]) => samples.map(([, value]) => value);

describe('with a quota that takes a quarter of an hour for one round', () => {
  it.each([
    [5, 'partly_missing', /^is read in part: not read yet: 8\d of 121, first data expected by 10:2\d UTC$/],
    [11, 'late', /^shows data up to 1\d min 1 s old: polls wait for the quota$/],
    [18, 'late', /^shows data up to 2\d min 1 s old: polls wait for the quota$/],
    [40, 'late', /^shows data up to 2\d min 1 s old: polls wait for the quota$/],
  ] as const)('it is not fresh after %i min', async (minutes, state, says) => {
    simulation = await simulate(SHORT_OF_QUOTA);
    await simulation.minutes(minutes);
    const now = await shown(simulation);
    expect(now).toMatchObject({ state, says: expect.stringMatching(says) });
    expect(now.verdict).toContain(now.says);
    expect(valuesOf(now.family(AVAILABLE))).toEqual([0]);
    const unread = now.causes.filter(({ kind }) => kind === 'not_read_yet');
    expect(unread).toHaveLength(minutes < 20 ? 1 : 0);
    expect(now.family('edge_trouble_info')).toHaveLength(unread.length + 1);
  });
});

const ONE = {
  sandbox: { configurations: 1, domainsPerConfiguration: 1 },
  account: {
    reconciliation_share: 0,
    collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } },
  },
};

describe('where the clocks differ, steady time tells which of them has moved', () => {
  it.each([
    [
      'the platform’s, back',
      () => simulation?.sandbox.faults.set({ clock_skew: { ms: -600_000 } }),
      /^the platform’s clock was set back: it is \d+ min .*behind this machine’s$/,
      'platform_clock',
    ],
    [
      'the platform’s, forward',
      () => simulation?.sandbox.faults.set({ clock_skew: { ms: 600_000 } }),
      /^the platform’s clock was set forward: it is \d+ min .*ahead of this machine’s$/,
      'platform_clock',
    ],
    [
      'the machine’s, back',
      () => simulation?.clock.setWall(-600_000),
      /^this machine’s clock is 10 min .*behind the platform’s: it was set back$/,
      'clock',
    ],
    [
      'the machine’s, forward',
      () => simulation?.clock.setWall(600_000),
      /^this machine’s clock is \d+ min .*ahead of the platform’s: it was set forward$/,
      'clock',
    ],
  ] as const)('%s', async (_, move, text, kind) => {
    simulation = await simulate(ONE);
    await simulation.minutes(30);
    move();
    await simulation.minutes(15);
    const { causes, family, verdict } = await shown(simulation);
    const [cause] = causes.filter((one) => one.kind.endsWith('clock'));
    expect(cause).toMatchObject({ kind, text: expect.stringMatching(text) });
    expect(verdict).toContain(cause?.text);
    expect(cause?.next.startsWith('Set this machine’s clock')).toBe(kind === 'clock');
    expect(family('edge_trouble_info').map(([labels]) => labels)).toEqual([
      expect.stringContaining(`"${kind}"`),
    ]);
  });
});

it.each([
  ['every second row', { every: 2 }, 'late', ['platform_late', 'rows_missing']],
  ['half of the rows at random', { share: 0.5 }, 'partly_missing', ['rows_missing']],
] as const)('missing rows are reported within ten minutes: %s', async (_, missing, state, kinds) => {
  simulation = await simulate(ONE);
  const ratio = async (running: Simulation) => (await shown(running)).family('edge_missing_buckets_ratio');
  await simulation.minutes(30);
  expect(valuesOf(await ratio(simulation))).toEqual([0]);
  simulation.sandbox.faults.set({ missing_rows: missing });
  await simulation.minutes(10);
  const now = await shown(simulation);
  expect(valuesOf(await ratio(simulation))[0]).toBeGreaterThan(0.3);
  expect(now.state).toBe(state);
  const text = /% of the buckets of edge_applications are missing in the platform’s answers/;
  expect(now.causes.at(-1)?.text).toMatch(text);
  expect(now.verdict).toMatch(text);
  expect(now.family('edge_trouble_info').map(([labels]) => labels)).toEqual(
    kinds.map((kind) => expect.stringContaining(`"${kind}"`)),
  );
  simulation.sandbox.faults.clear();
  await simulation.minutes(5);
  expect((await shown(simulation)).causes).toEqual([]);
});

it.each([
  ['the platform fails', { server_error: { status: 503 } }],
  [
    'there is nothing newer',
    { missing_data: { from: Date.UTC(2026, 0, 5, 10, 30), to: Date.UTC(2026, 0, 6) } },
  ],
] as const)('the age of data is told for as long as it is read, where %s for an hour', async (_, faults) => {
  simulation = await simulate(ONE);
  await simulation.minutes(30);
  const until = 'edge_data_until_timestamp_seconds';
  const before = (await shown(simulation)).family(until);
  expect(before).toHaveLength(1);
  simulation.sandbox.faults.set(faults);
  for (let quarter = 0; quarter < 4; quarter += 1) {
    await simulation.minutes(15);
    const now = (await shown(simulation)).family(until);
    expect(now.map(([labels]) => labels)).toEqual(before.map(([labels]) => labels));
  }
});
