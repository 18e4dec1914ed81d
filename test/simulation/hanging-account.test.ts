import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { credentialsFrom } from '../../src/exporter/account/connection.ts';
import { CONFIG } from '../../src/exporter/configuration/schema.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import { cronTicker } from '../../src/exporter/poll/ticker.ts';
import { reportTicks, reportTo } from '../../src/exporter/self/account-report.ts';
import { createSelfMetrics } from '../../src/exporter/self/self-metrics.ts';
import { memoryState } from '../../src/exporter/state/open-state.ts';
import { sendJson, startUpstream } from '../exporter/platform/upstream.ts';
import { inLongSuite } from '../long-suite.ts';
import { watchPendingWork } from '../pending-work.ts';
import { SimulatedClock } from '../simulated-clock.ts';

const MINUTE = 60_000;
const ACCOUNTS = inLongSuite(300, 60);
const LATENCY = 80;
const MOST_IN_FLIGHT = 64;
const LOOK_EVERY = 10_000;
const LOOKS = 24;
const TROUBLED = 'account-0';

async function agesOfOthers(hangs: boolean): Promise<{ readonly mean: number; readonly worst: number }> {
  const clock = new SimulatedClock(Date.UTC(2026, 0, 5, 10));
  const answering = clock.counting();
  let hung = 0;
  const answer = async ({ url = '', headers }: IncomingMessage, response: ServerResponse) => {
    const isTroubled = headers.authorization?.endsWith(TROUBLED) === true;
    const { pathname, searchParams } = new URL(url, 'http://platform');
    const isList = pathname.endsWith('/configurations');
    if (isTroubled && hangs && !isList) {
      hung += 1;
      response.on('close', () => {
        hung -= 1;
      });
      return;
    }
    await answering.sleep(LATENCY);
    const body = isList
      ? configurations(isTroubled ? 2 * MOST_IN_FLIGHT : 1)
      : buckets(searchParams, clock.now());
    sendJson(response, body, {
      headers: {
        date: new Date(clock.now()).toUTCString(),
        'x-ratelimit-limit': '10000',
        'x-ratelimit-remaining': '9999',
        'x-ratelimit-reset': new Date(clock.now() + MINUTE).toISOString(),
      },
    });
  };
  const upstream = await startUpstream((request, response) => void answer(request, response));
  const metrics = createSelfMetrics();
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const work = watchPendingWork();
  const exporter = new Exporter({
    clock,
    ticker: cronTicker(clock, reportTicks(metrics, logger)).tick,
    state: memoryState(),
    metrics,
    observer: reportTo(metrics, logger, clock),
    credentials: credentialsFrom(clock, { guard: () => undefined }),
  });
  const never = new AbortController().signal;
  const advance = (ms: number) => clock.advance(ms, { busy: () => work.count() - hung - answering.sleeping });
  try {
    await exporter.apply(CONFIG.parse({ accounts: accountsAt(upstream.origin) }), never);
    await advance(2 * MINUTE);
    const ages: number[] = [];
    for (let step = 0; step < LOOKS; step += 1) {
      await advance(LOOK_EVERY);
      for (const { name, jobs } of exporter.accounts())
        if (name !== TROUBLED) ages.push(...jobs.slice().flatMap((job) => job.data_age_seconds ?? []));
    }
    expect(ages).toHaveLength(LOOKS * (ACCOUNTS - 1));
    expect(hung).toBe(hangs ? MOST_IN_FLIGHT : 0);
    return { mean: ages.reduce((sum, age) => sum + age, 0) / ages.length, worst: Math.max(...ages) };
  } finally {
    await exporter.stop(AbortSignal.abort());
    work.stop();
  }
}

function accountsAt(origin: string): object[] {
  return Array.from({ length: ACCOUNTS }, (_, index) => ({
    name: `account-${index}`,
    api_url: origin,
    token: `account-${index}`,
    request: { concurrency: MOST_IN_FLIGHT, timeout: '5m' },
    reconciliation_share: 0,
    source: 'rest' as const,
    collectors: {
      metrics: { products: { edge_applications: { address_by: 'configuration', metrics: ['waf'] } } },
    },
  }));
}

function configurations(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    id: 1_000 + index,
    name: `shop-${index}`,
    active: true,
  }));
}

function buckets(parameters: URLSearchParams, now: number): object {
  const timeOf = (name: string) => Date.parse(`${parameters.get(name)?.replace(/Z$/, '')}Z`);
  const rows: [number, number][] = [];
  const until = Math.min(timeOf('date_to'), now);
  for (let minute = Math.ceil(timeOf('date_from') / MINUTE) * MINUTE; minute < until; minute += MINUTE)
    rows.push([minute, 7]);
  return { total: rows };
}

it(`one of ${ACCOUNTS} accounts hangs: the data of the others is as fresh as without it, within 2 %`, async () => {
  const without = await agesOfOthers(false);
  const beside = await agesOfOthers(true);
  expect(without.mean).toBeGreaterThan(30);
  expect(Math.abs(beside.mean / without.mean - 1)).toBeLessThanOrEqual(0.02);
  expect(Math.abs(beside.worst / without.worst - 1)).toBeLessThanOrEqual(0.02);
});
