import { afterEach, expect, it } from 'vitest';
import { CONFIG } from '../../src/exporter/configuration/schema.ts';
import { openCredentials } from '../../src/exporter/credentials/token-login.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import { cronTicker } from '../../src/exporter/poll/ticker.ts';
import { reportTicks, reportTo } from '../../src/exporter/self/account-report.ts';
import { createSelfMetrics } from '../../src/exporter/self/self-metrics.ts';
import { memoryState } from '../../src/exporter/state/open-state.ts';
import { createSandbox, DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { parseExposition } from '../parse-exposition.ts';
import { watchPendingWork } from '../pending-work.ts';
import { SimulatedClock } from '../simulated-clock.ts';
import { auditCounters } from './true-counters.ts';

const START = Date.UTC(2026, 0, 5, 10);

const OF_EACH = new Set([
  'edge_api_ratelimit_limit',
  'edge_api_ratelimit_remaining',
  'edge_api_ratelimit_reset_timestamp_seconds',
  'edge_data_available',
  'edge_expected_age_seconds',
  'edge_missing_buckets_ratio',
  'edge_source_info',
  'edge_up',
]);

const OF_OTHERS = /^(edge_exporter|nodejs|process)_|_(expected|at_least)_per_minute$|^edge_seen_until_/;

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** Runs one exporter per shard of an account, in simulated time. With `shards` = 1, a single exporter reads all configurations. */
async function run(shards: number, limit: number, minutes: number) {
  const clock = new SimulatedClock(START);
  const sandbox = createSandbox({
    now: () => clock.now(),
    configurations: 5,
    rateLimit: { reads: limit, writes: 20, purges: 200 },
  });
  const platform = await sandbox.listen(0);
  const work = watchPendingWork();
  const never = new AbortController().signal;
  ends.push(async () => {
    work.stop();
    await platform.close();
  });
  const { accounts, ...rest } = CONFIG.parse({
    accounts: [
      {
        name: 'test',
        api_url: platform.url,
        token: DEFAULT_TOKEN.token,
        collectors: {
          metrics: { products: { edge_applications: { metrics: ['status_code', 'waf'] } } },
          analytics: {
            products: {
              content_delivery: {
                by: ['configuration', 'product'],
                metrics: ['requests'],
              },
            },
          },
          waf_rulesets: {},
        },
      },
    ],
  });
  const exporters = Array.from({ length: shards }, (_, index) => {
    const metrics = createSelfMetrics();
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const state = memoryState();
    const exporter = new Exporter({
      clock,
      ticker: cronTicker(clock, reportTicks(metrics, log)).tick,
      state,
      metrics,
      observer: reportTo(metrics, log, clock),
      rendersAhead: false,
      credentials: ({ credentials, api_url, request }) =>
        openCredentials(credentials, {
          baseUrl: api_url,
          timeoutMs: request.timeout,
          maxResponseBytes: request.max_response_bytes,
          connections: 1,
          clock,
        }),
    });
    ends.push(() => exporter.stop(never));
    const own = shards === 1 ? accounts : accounts.map((one) => ({ ...one, shard: { index, of: shards } }));
    return { exporter, state, config: { ...rest, accounts: own } };
  });
  for (const { exporter, config } of exporters) await exporter.apply(config, never);
  await clock.advance(minutes * 60_000, { busy: () => work.count(0) });
  const scrapes = [];
  for (const { exporter } of exporters) {
    const text = Buffer.concat(await exporter.body('text', 'identity')).toString();
    scrapes.push(new Set(parseExposition(text).samples.keys()));
  }
  const audits = exporters.map(({ state }) => auditCounters(state, sandbox));
  return { scrapes, audits, byStatus: sandbox.requests.byStatus };
}

function familyOf(series: string): string {
  return String((JSON.parse(series) as [string])[0]);
}

it('three shards of an account have together what one process has, each series once, and count as it does', async () => {
  const one = await run(1, 6_000, 20);
  const three = await run(3, 6_000, 20);
  // The account's id depends on the platform's address, whose port is different each time.
  const said = (scrape: ReadonlySet<string>) =>
    [...scrape]
      .filter((key) => !OF_OTHERS.test(familyOf(key)))
      .map((key) => key.replace(/("account_id",")\w+/, '$1'));
  const all = three.scrapes.flatMap(said);
  const doubled = all.filter((key, index) => all.indexOf(key) !== index);
  expect(new Set(doubled.map(familyOf))).toEqual(OF_EACH);
  expect([...new Set(all)].toSorted()).toEqual(one.scrapes.flatMap(said).toSorted());
  for (const scrape of three.scrapes) expect(said(scrape).length).toBeGreaterThan(all.length / 10);
  expect(three.audits.flatMap(({ wrong }) => wrong)).toEqual([]);
  const counted = (audits: typeof one.audits) => audits.reduce((sum, { series }) => sum + series, 0);
  expect(counted(three.audits)).toBe(counted(one.audits));
});

it('three shards that may ask for less than they want are refused nothing, and leave the reserve', async () => {
  const { byStatus, scrapes } = await run(3, 40, 30);
  expect(byStatus.get(429)).toBeUndefined();
  expect(byStatus.get(200)).toBeGreaterThan(30 * 20);
  expect(byStatus.get(200)).toBeLessThanOrEqual(31 * 32);
  for (const scrape of scrapes) {
    const stretched = [...scrape].filter((key) => familyOf(key) === 'edge_data_until_timestamp_seconds');
    expect(stretched.length).toBeGreaterThan(0);
  }
});
