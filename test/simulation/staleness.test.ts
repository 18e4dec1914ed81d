import { describe, expect, it } from 'vitest';
import type { ParsedExposition } from '../parse-exposition.ts';
import { type Simulation, type SimulationOptions, simulate } from './simulation.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5, 10);

let simulation: Simulation | undefined;

async function begin(options: SimulationOptions = {}): Promise<Simulation> {
  simulation = await simulate({
    start: START,
    sandbox: { configurations: 1, domainsPerConfiguration: 1 },
    account: {
      collectors: { metrics: { products: { edge_applications: { metrics: ['status_code'] } } } },
    },
    ...options,
  });
  return simulation;
}

function values({ samples }: ParsedExposition, family: string, label: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const [key, value] of samples) {
    const [name, labels] = JSON.parse(key) as [string, [string, string][]];
    if (name === family) found.set(Object.fromEntries(labels)[label] ?? '', value);
  }
  return found;
}

/** Returns the start (ms) of the bucket that the gauges show; undefined if there is none. */
function shownBucket(exposition: ParsedExposition): number | undefined {
  const [seconds] = values(exposition, 'edge_data_until_timestamp_seconds', 'metric').values();
  return seconds === undefined ? undefined : seconds * 1_000 - MINUTE;
}

function responses(exposition: ParsedExposition): Map<string, number> {
  return values(exposition, 'edge_responses_per_minute', 'code');
}

describe('a gauge', () => {
  it('shows a burst of errors while it lasts, and not one bucket longer', async () => {
    const { sandbox, minutes, scrape } = await begin();
    const [configuration] = sandbox.account.domains;
    const burst = { from: START + 10 * MINUTE, to: START + 15 * MINUTE };
    sandbox.inject({ kind: '5xx_spike', configuration: configuration?.id ?? 0, per_minute: 9_000, ...burst });
    const shown: { during: boolean; errors: number }[] = [];
    for (let minute = 0; minute < 25; minute += 1) {
      await minutes(1);
      const exposition = await scrape();
      const bucket = shownBucket(exposition) ?? 0;
      const errors = responses(exposition).get('503') ?? Number.NaN;
      shown.push({ during: bucket >= burst.from && bucket < burst.to, errors });
    }
    const during = shown.filter((state) => state.during);
    expect(during).toHaveLength(5);
    expect(Math.min(...during.map(({ errors }) => errors))).toBeGreaterThan(1_000);
    const others = shown.filter((state) => !state.during);
    expect(Math.max(...others.map(({ errors }) => errors))).toBeLessThan(100);
  });

  it('shows a real drop to zero as zero', async () => {
    const { sandbox, minutes, scrape } = await begin();
    const [configuration] = sandbox.account.domains;
    const outage = { from: START + 5 * MINUTE, to: START + 60 * MINUTE };
    sandbox.inject({ kind: 'outage', configuration: configuration?.id ?? 0, per_minute: 0, ...outage });
    await minutes(4);
    expect(responses(await scrape()).get('200')).toBeGreaterThan(0);
    await minutes(6);
    const after = responses(await scrape());
    expect(after.size).toBeGreaterThan(12);
    expect(new Set(after.values())).toEqual(new Set([0]));
  });

  it('outlives a failing platform until it is stale, and then goes; its timestamp stays, unchanged', async () => {
    const { sandbox, minutes, scrape } = await begin();
    await minutes(5);
    const before = await scrape();
    const counted = values(before, 'edge_responses_total', 'code');
    sandbox.faults.set({ server_error: { paths: ['/metrics/'], status: 503 } });
    await minutes(12);
    const failing = await scrape();
    expect(responses(failing)).toEqual(responses(before));
    expect(shownBucket(failing)).toBe(shownBucket(before));
    await minutes(5);
    const stale = await scrape();
    expect(responses(stale).size).toBe(0);
    expect(shownBucket(stale)).toBe(shownBucket(before));
    expect(values(stale, 'edge_responses_total', 'code').size).toBe(0);
    sandbox.faults.clear();
    await minutes(2);
    const well = await scrape();
    expect(shownBucket(well)).toBeGreaterThan(shownBucket(before) ?? 0);
    for (const [code, value] of values(well, 'edge_responses_total', 'code')) {
      expect(value).toBeGreaterThanOrEqual(counted.get(code) ?? Number.NaN);
    }
  });

  it('does not go back in time when the platform falls behind', async () => {
    const { sandbox, minutes, scrape } = await begin();
    await minutes(5);
    const before = shownBucket(await scrape()) ?? 0;
    sandbox.faults.set({ late_data: { minutes: 8 } });
    for (let minute = 0; minute < 12; minute += 1) {
      await minutes(1);
      expect(shownBucket(await scrape()) ?? before).toBeGreaterThanOrEqual(before);
    }
    expect(shownBucket(await scrape())).toBeGreaterThan(before);
  });
});

describe('a configuration', () => {
  it('takes all its series along at once when it has vanished, and leaves the others alone', async () => {
    const { sandbox, minutes, scrape } = await begin({
      sandbox: { configurations: 2, domainsPerConfiguration: 1 },
    });
    await minutes(5);
    const [gone, stays] = sandbox.account.applications;
    const named = async () => {
      const { samples } = await scrape();
      return (name: string) => [...samples.keys()].filter((key) => key.includes(`"configuration","${name}"`));
    };
    expect((await named())(gone?.name ?? '').length).toBeGreaterThan(32);
    const before = (await named())(stays?.name ?? '');
    sandbox.account.applications.remove(gone?.id ?? 0);
    // The lists of configurations are read every ten minutes.
    await minutes(6);
    expect((await named())(gone?.name ?? '')).toEqual([]);
    expect((await named())(stays?.name ?? '')).toEqual(before);
  });
});
