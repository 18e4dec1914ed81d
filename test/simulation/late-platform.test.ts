import { describe, expect, it } from 'vitest';
import { isLate } from '../../src/exporter/facts/job-facts.ts';
import type { FaultSettings } from '../../src/sandbox/faults/faults.ts';
import { inLongSuite } from '../long-suite.ts';
import { type Simulation, simulate } from './simulation.ts';

const MINUTE = 60_000;

let simulation: Simulation | undefined;

async function begin(): Promise<Simulation> {
  simulation = await simulate({
    sandbox: { configurations: 2, domainsPerConfiguration: 1 },
    account: {
      reconciliation_share: 0,
      publish_delay: '2m',
      collectors: { metrics: { products: { edge_applications: { metrics: ['status_code'] } } } },
    },
  });
  await simulation.minutes(inLongSuite(40, 25));
  return simulation;
}

interface Seen {
  readonly id: string;
  readonly up: boolean | null | undefined;
  readonly late: boolean;
  readonly age: number;
  readonly expected: number;
  readonly shows: boolean;
  readonly bound: number | undefined;
}

async function look({ exporter, scrape }: Simulation): Promise<Seen[]> {
  const { samples } = await scrape();
  const of = (family: string, id: string | undefined) =>
    [...samples].filter(
      ([key]) => key.startsWith(`["${family}"`) && key.includes(`["configuration_id","${id}"]`),
    );
  return exporter()
    .accounts()
    .flatMap(({ jobs }) =>
      jobs
        .slice()
        .filter(({ metric, catches_up_for }) => metric !== undefined && catches_up_for === undefined)
        .map((job): Seen => {
          const bounds = of('edge_responses_at_least_per_minute', job.configuration_id);
          return {
            id: job.id,
            up: samples.get('["edge_up",[["account","test"]]]') === 1,
            late: isLate(job),
            age: Number(job.data_age_seconds),
            expected: Number(job.expected_age_seconds),
            shows: of('edge_responses_per_minute', job.configuration_id).length > 0,
            bound: bounds.length === 0 ? undefined : bounds.reduce((sum, [, value]) => sum + value, 0),
          };
        }),
    );
}

async function watch(world: Simulation, faults: FaultSettings, minutes: number): Promise<Seen[][]> {
  world.sandbox.faults.set(faults);
  const seen: Seen[][] = [];
  for (let step = 0; step < 3 * minutes; step += 1) {
    await world.minutes(1 / 3);
    seen.push(await look(world));
  }
  return seen;
}

function blank(seen: readonly Seen[][]): number {
  let [longest, run] = [0, 0];
  for (const series of seen) {
    run = series.some(({ shows }) => !shows) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest / 3;
}

describe('a platform that falls behind', () => {
  it.each([
    { minutes: 3, longest: 0 },
    { minutes: 8, longest: 5 },
  ])(
    'by $minutes min shows no gauges for $longest min, and what it brings then',
    async ({ minutes, longest }) => {
      const world = await begin();
      const before = await look(world);
      const late = await watch(world, { late_data: { minutes } }, inLongSuite(40, 25));
      const back = await watch(world, {}, 20);
      expect(blank(late)).toBeLessThanOrEqual(longest);
      expect(blank(back)).toBe(0);
      const most = Math.max(...before.map(({ expected }) => expected));
      expect(back.at(-1)?.filter(({ expected }) => expected > most)).toEqual([]);
    },
  );

  const outage: FaultSettings = { server_error: { status: 503 } };
  it.each<{ name: string; story: readonly (readonly [FaultSettings, number])[] }>([
    { name: 'by 3, 8 and 11 min', story: [3, 8, 11].map((minutes) => [{ late_data: { minutes } }, 20]) },
    { name: 'by more than is waited for', story: [[{ late_data: { minutes: 16 } }, 45]] },
    {
      name: 'and answers by nodes of which some are further behind',
      story: [
        [{ late_data: { minutes: 8, period: { every_ms: 3 * MINUTE, for_ms: MINUTE } } }, 20],
        [{ late_data: { minutes: 3 }, missing_rows: { share: 0.3 } }, 20],
      ],
    },
    {
      name: 'refuses what is asked, and is away',
      story: [
        [{ late_data: { minutes: 5 } }, 12],
        [{ late_data: { minutes: 5 }, rate_limited: { probability: 0.7 } }, 12],
        [outage, 6],
        [{ late_data: { minutes: 8 } }, 15],
      ],
    },
  ])('$name is said to be late wherever a gauge was withdrawn', async ({ story }) => {
    const world = await begin();
    const all: Seen[][] = [];
    for (const [faults, minutes] of [...story, [{}, 6] as const])
      all.push(...(await watch(world, faults, minutes)));
    const hidden = all.flat().filter(({ shows, up }) => !shows && up);
    expect(hidden.filter(({ late }) => !late)).toEqual([]);
    expect(all.at(-1)?.map(({ shows, late }) => ({ shows, late }))).toEqual([
      { shows: true, late: false },
      { shows: true, late: false },
    ]);
  });

  it('keeps the lower bound of a bucket that it has changed', async () => {
    const world = await begin();
    await world.minutes(60);
    const late = await watch(world, { late_data: { minutes: 8 } }, 30);
    const bounds = late.slice(30).flatMap((series) => series.map(({ bound }) => bound));
    expect(bounds.length).toBeGreaterThan(100);
    expect(bounds.filter((bound) => bound === undefined)).toEqual([]);
  });
});

describe('the age to be expected', () => {
  it.each<{ name: string; happens: (world: Simulation) => Promise<unknown> }>([
    {
      name: 'the exporter is suspended',
      happens: async ({ clock }) => clock.suspend(9 * MINUTE),
    },
    {
      name: 'every operation is refused (429)',
      happens: (world) => watch(world, { rate_limited: { retry_after: 60 } }, 9),
    },
    {
      name: 'the platform is away',
      happens: (world) => watch(world, { connection_reset: {} }, 9),
    },
    {
      name: 'the exporter is restarted while the platform has nothing new',
      happens: async (world) => {
        await watch(world, { late_data: { minutes: 9 } }, 4);
        await world.restart();
        return watch(world, { late_data: { minutes: 9 } }, 3);
      },
    },
    {
      name: 'the platform has nothing new',
      happens: (world) => watch(world, { late_data: { minutes: 40 } }, 15),
    },
  ])('is not raised where $name', async ({ happens }) => {
    const world = await begin();
    const before = await look(world);
    await happens(world);
    const meanwhile = await look(world);
    const after = await watch(world, {}, 3);
    const most = Math.max(...before.map(({ expected }) => expected));
    for (const { expected } of [meanwhile, ...after].flat()) expect(expected).toBeLessThanOrEqual(most + 60);
  });
});
