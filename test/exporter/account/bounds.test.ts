import { describe, expect, it } from 'vitest';
import { AccountJobs, type AccountLimits } from '../../../src/exporter/account/jobs.ts';
import { CONFIG } from '../../../src/exporter/configuration/schema.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { LimitScopes } from '../../../src/exporter/rate-limit/limit-scopes.ts';
import { SeriesJob } from '../../../src/exporter/series/series-job.ts';
import { NO_MEMORY } from '../../../src/exporter/state/state.ts';

const METRICS = ['status_code', 'waf'];

function started(limits: AccountLimits) {
  const [account] = CONFIG.parse({
    accounts: [
      {
        name: 'a',
        api_url: 'https://api.example.net',
        token: 'x',
        source: 'rest',
        collectors: { metrics: { products: { edge_applications: { metrics: METRICS } } }, domains: {} },
      },
    ],
  }).accounts;
  if (account === undefined) throw new Error('no account');
  const jobs = new AccountJobs({
    account,
    state: NO_MEMORY,
    scopes: new LimitScopes({ reserve: 0.2, assumedLimit: 200, platformClock: new PlatformClock(() => 0) }),
    limits: () => limits,
  });
  return { jobs };
}

async function discover({ jobs }: ReturnType<typeof started>, count: number) {
  const discovery = jobs.jobs().find(({ id }) => id.startsWith('discovery/'));
  const body = Array.from({ length: count }, (_, id) => ({ id: id + 1, name: `shop-${id}`, domains: [] }));
  const read = async () => ({ body }) as never;
  const found = await discovery?.read(read, new AbortController().signal);
  const result = await discovery?.conclude(found as never);
  if (discovery !== undefined) jobs.learn(discovery, 'ok', result);
  return { result, wanted: jobs.jobs() };
}

describe('an account that is larger than it may be', () => {
  it('takes so many configurations of a list, and counts the others', async () => {
    const bed = started({ configurations: 3, jobs: 1_000 });
    const { result, wanted } = await discover(bed, 5);
    expect(result?.rejected).toEqual(new Map([['over_limit', 2]]));
    expect(wanted.filter((job) => job instanceof SeriesJob)).toHaveLength(3 * METRICS.length);
    expect(bed.jobs.dropped).toEqual({ count: 0, first: '' });
  });

  it('leaves out the reads of metrics beyond so many jobs, keeps everything else, and shows which', async () => {
    const bed = started({ configurations: 1_000, jobs: 4 });
    const { wanted } = await discover(bed, 3);
    expect(wanted.filter((job) => job instanceof SeriesJob)).toHaveLength(3);
    expect(wanted.map(({ subject }) => subject.collector)).toContain('domains');
    const first = { count: 3, first: 'metrics/edge_applications/configuration/2/waf' };
    expect(bed.jobs.dropped).toEqual(first);
    await discover(bed, 1);
    expect(bed.jobs.dropped).toEqual({ count: 0, first: '' });
  });
});
