import { afterEach, describe, expect, it } from 'vitest';
import { shown } from './shown.ts';
import { type Simulation, simulate } from './simulation.ts';

let simulation: Simulation | undefined;

afterEach(() => simulation?.close());

/** Forty configurations with three metrics each, at six operations a minute. */
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
    [11, 'late', /^shows data up to 1\d min 1 s old: the quota makes polls wait$/],
    [18, 'late', /^shows data up to 2\d min 1 s old: the quota makes polls wait$/],
    [40, 'late', /^shows data up to 2\d min 1 s old: the quota makes polls wait$/],
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
