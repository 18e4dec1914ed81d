import { expect, it, onTestFinished } from 'vitest';
import { openState } from '../../src/exporter/state/open-state.ts';
import { fraction, keyOf } from '../../src/sandbox/hash.ts';
import { eventually } from '../eventually.ts';
import { inLongSuite } from '../long-suite.ts';
import { auditCounters } from '../simulation/true-counters.ts';
import { configFile, temporaryFolder } from './config-file.ts';
import { type ExporterOptions, startExporter } from './exporter-process.ts';
import { freePort } from './free-port.ts';
import { type ServedSandbox, serveSandbox } from './platform.ts';
import { busyAccount, countersOf, prepareCounters } from './prepared-counters.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';

const KILLS = inLongSuite(50, 6);
const MOST_REQUESTS = 80;
const SEED = 1;
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

const METRICS = ['cdn_requests', 'status_code', 'waf', 'http_method'];

const COUNTERS = [...new Set(METRICS.flatMap((metric) => countersOf(metric).map(({ family }) => family)))];

const silent = { info: () => undefined, warn: () => undefined };

const ACCOUNT = busyAccount('killed', METRICS);

it(`killed ${KILLS} times while it polls and is scraped, it has lost no bucket and counted none twice`, async () => {
  // The platform is so slow that each run of the exporter has buckets to catch up with.
  const sandbox = await serveSandbox({ settleMs: 20_000, faults: { latency: { ms: 40, spread_ms: 20 } } });
  const directory = await temporaryFolder();
  await prepareCounters(directory, {
    sandbox,
    account: ACCOUNT.name,
    metrics: METRICS,
    since: Date.now() - 4 * DAY,
  });
  const { path } = await configFile({ accounts: [{ ...ACCOUNT, api_url: sandbox.url }] });
  const port = await freePort();
  const options = { port, args: ['serve', `--config.file=${path}`, `--state.dir=${directory}`] };
  const prometheus = await startPrometheus({
    jobs: { edge: `127.0.0.1:${port}` },
    scrapeInterval: '250ms',
  });
  onTestFinished(() => prometheus.stop());

  const pollingWhenKilled = await killAgainAndAgain(options, sandbox, prometheus);
  expect(pollingWhenKilled).toBeGreaterThan(KILLS * 0.6);
  await liveOnceMore(options, prometheus);

  const state = await openState(directory, silent);
  onTestFinished(() => state.close());
  const { wrong, series, buckets } = auditCounters(state, sandbox);
  expect(wrong).toEqual([]);
  expect(series).toBe([...sandbox.account.domains].length * (5 + 16 + 7 + 4));
  expect(buckets).toBeGreaterThan(series * Math.min(500, 20 * KILLS));
  await expectNoDecrease(prometheus, series);
});

async function killAgainAndAgain(
  options: ExporterOptions,
  sandbox: ServedSandbox,
  prometheus: Prometheus,
): Promise<number> {
  const [requests, moments] = [keyOf(SEED, 'requests'), keyOf(SEED, 'moments')];
  let atWork = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const before = sandbox.requests.total;
    const exporter = await startExporter(options);
    const enough = before + MOST_REQUESTS * fraction(requests, kill);
    await eventually('the platform is asked', () => sandbox.requests.total >= enough, { every: 5 });
    if (kill % 2 === 0)
      await eventually('Prometheus scrapes it', () => prometheus.scraped('edge').then(() => true));
    await new Promise((resolve) => setTimeout(resolve, 100 * fraction(moments, kill)));
    const lastAsked = sandbox.requests.recent.at(-1)?.time ?? 0;
    const now = Date.now();
    expect(await exporter.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    if (now - lastAsked < 500) atWork += 1;
  }
  return atWork;
}

async function liveOnceMore(options: ExporterOptions, prometheus: Prometheus): Promise<void> {
  const exporter = await startExporter(options);
  await exporter.ready();
  await eventually('Prometheus has scraped once more', () => prometheus.scraped('edge').then(() => true));
  expect(await exporter.kill('SIGTERM')).toMatchObject({ code: 0 });
}

async function expectNoDecrease(prometheus: Prometheus, series: number): Promise<void> {
  const of = async (count: string): Promise<number> => {
    const sums = COUNTERS.map((family) => prometheus.value(`sum(${count}(${family}[10m]))`));
    return (await Promise.all(sums)).reduce((all, sum) => all + sum, 0);
  };
  const last = COUNTERS.map((family) => prometheus.value(`count(last_over_time(${family}[10m]))`));
  expect((await Promise.all(last)).reduce((all, count) => all + count, 0)).toBe(series);
  expect(await of('changes')).toBeGreaterThan((series * KILLS) / 5);
  expect(await of('resets')).toBe(0);
}
