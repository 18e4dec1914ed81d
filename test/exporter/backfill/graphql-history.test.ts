import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { historyBed, seriesOf } from './history-bed.ts';

const HOUR = 3_600_000;
const HOURS = 2;
const END = Date.UTC(2026, 0, 5, 10);
const FURTHER = /^edge_(request_duration|timed_requests|upstream)/;

async function historyBy(source: 'auto' | 'rest' | 'graphql', ...metrics: string[]) {
  const { sandbox, folder, run } = await historyBed({
    sandbox: { domainsPerConfiguration: 1, graphqlRateLimit: 100_000 },
    account: { source, collectors: { metrics: { products: { edge_applications: { metrics } } } } },
  });
  await run({ from: END - HOURS * HOUR, to: END });
  const series = seriesOf(await readFile(join(folder, 'history.om'), 'utf8'));

  const paths = sandbox.requests.recent.map(({ path }) => path);
  return { series, paths };
}

it('is the same by either source, in minutes, each of them once', async () => {
  const rest = await historyBy('rest', 'cdn_requests', 'status_code', 'waf');
  const graphql = await historyBy('graphql', 'cdn_requests', 'status_code', 'waf');
  expect([...graphql.series.keys()].sort()).toEqual([...rest.series.keys()].sort());
  for (const [key, samples] of rest.series) expect(graphql.series.get(key), key).toEqual(samples);
  const [[, minutes = []] = []] = rest.series;
  expect(minutes.length).toBeGreaterThanOrEqual(HOURS * 60);
  // A read of another metric finds the kind of ids that the platform uses.
  expect(graphql.paths.filter((path) => /cdn_requests|waf/.test(path))).toEqual([]);
});

it('has what REST does not, beside what REST goes on to bring', async () => {
  const { series, paths } = await historyBy('auto', 'cdn_requests', 'request_duration', 'upstream_responses');
  const further = [...series].filter(([key]) => FURTHER.test(key));
  // Two series for requests and 18 for origins, each as a gauge and a counter.
  expect(further).toHaveLength(2 * (2 + 18));
  for (const [key, samples] of further) {
    const times = samples.map(({ at }) => at);
    expect(new Set(times).size, key).toBe(times.length);
    expect(times.length, key).toBeGreaterThanOrEqual(HOURS * 60);
  }
  // One additional read shows that REST has the series.
  expect(paths.filter((path) => path.includes('cdn_requests'))).toHaveLength(1 + HOURS);
});

it('has the largest countries and all others, which are all requests in each minute', async () => {
  const { series } = await historyBy('graphql', 'cdn_requests', 'requests_by_country');
  const sumsOf = (family: string) => {
    const sums = new Map<number, number>();
    for (const [key, samples] of series)
      if (key.startsWith(family))
        for (const { at, value } of samples) sums.set(at, (sums.get(at) ?? 0) + value);
    return sums;
  };
  const whole = sumsOf('edge_requests_per_minute');
  expect(whole.size).toBeGreaterThanOrEqual(HOURS * 60);
  expect(sumsOf('edge_requests_by_country_per_minute')).toEqual(whole);
});

it('fails, rather than write ids for names that may be had later', async () => {
  const { run } = await historyBed({
    sandbox: {
      domainsPerConfiguration: 1,
      graphqlRateLimit: 100_000,
      faults: {
        not_found: { paths: ['/metrics/products/*', '/analytics/*'] },
        server_error: { paths: ['/edge_applications'] },
      },
    },
    account: { collectors: { metrics: { products: { edge_applications: { metrics: ['waf'] } } } } },
  });
  let skipped = 0;
  const now = () => Date.now() + skipped;
  const sleep = async (ms: number) => {
    skipped += ms;
  };
  const clock = { now, wall: now, sleep };
  await expect(run({ from: END - HOURS * HOUR, to: END, clock })).rejects.toThrow(
    'names of configurations (/edge_applications): ',
  );
});
