import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type BackfillOptions, backfill } from '../../src/exporter/backfill/backfill.ts';
import {
  accountsAt,
  type HistorySample,
  noting,
  seriesOf,
  TWO_METRICS,
} from '../exporter/backfill/history-bed.ts';
import { seriesKey } from '../parse-exposition.ts';
import { type Simulation, type SimulationOptions, simulate } from './simulation.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Pair {
  readonly simulation: Simulation;
  readonly begin: (options?: Partial<BackfillOptions>) => {
    readonly ended: Promise<unknown>;
    readonly output: string;
  };
}

async function pair(options: SimulationOptions): Promise<Pair> {
  const simulation = await simulate(options);
  const folder = await mkdtemp(join(tmpdir(), 'backfill-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [account] = simulation.exporter().accounts();
  const accounts = accountsAt(account?.api_url ?? '', options.account ?? {});
  return {
    simulation,
    begin(more) {
      const output = join(folder, 'history.om');
      const ended = backfill({
        accounts,
        from: simulation.clock.now() - 5 * HOUR,
        to: undefined,
        labels: {},
        output,
        receivers: [],
        mode: 'continue',
        clock: simulation.clock,
        signal: new AbortController().signal,
        guard: () => undefined,
        progress: noting([]),
        ...more,
      });
      return { ended: ended.catch((error: Error) => error), output };
    },
  };
}

it('can be asked who waits for the quota, and until when', async () => {
  const account = { ...TWO_METRICS, reconciliation_share: 0 };
  const rateLimit = { reads: 30, writes: 1, purges: 1 };
  const { simulation, begin } = await pair({ account, sandbox: { configurations: 1, rateLimit } });
  await simulation.minutes(2);
  const progress = noting([]);
  const waits = () => progress.waits();
  const from = simulation.clock.now() - 10 * HOUR;
  const { ended } = begin({ from, progress });
  expect(waits()).toEqual([]);
  // A wait begins whenever the quota of a window is used up.
  for (let step = 0; step < 24 && waits().length === 0; step += 1) await simulation.minutes(1 / 12);
  const [wait] = waits();
  expect(wait?.account).toBe('test');
  const left = Number(wait?.until) - simulation.clock.now();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(60_000);
  await simulation.minutes(10);
  expect(await ended).toMatchObject({ plan: { version: 2 } });
  expect(waits()).toEqual([]);
});

it('shows at the end of each bucket what a scrape shows of it', async () => {
  const account = { ...TWO_METRICS, publish_delay: '11m', settle_delay: '11m', units: {} };
  const { simulation, begin } = await pair({ account });
  await simulation.minutes(2);
  const { samples } = await simulation.scrape();
  const { ended, output } = begin();
  await simulation.minutes(3);
  expect(await ended).toMatchObject({ plan: { version: 2 } });
  const history = keyed(seriesOf(await readFile(output, 'utf8')));
  const bucketEnd = simulation.clock.now() - 3 * MINUTE - 11 * MINUTE;
  let compared = 0;
  for (const [key, value] of samples) {
    if (!key.startsWith('["edge_') || !key.includes('_per_minute"')) continue;
    expect(
      history.get(key)?.find(({ at }) => at === Math.floor(bucketEnd / MINUTE) * MINUTE)?.value,
      key,
    ).toBe(value);
    compared += 1;
  }
  expect(compared).toBe(6 * 12);
});

it('takes what an exporter with the same token leaves over: no 429, and the present stays as fresh', async () => {
  const reads = 80;
  const { simulation, begin } = await pair({
    account: TWO_METRICS,
    sandbox: { rateLimit: { reads, writes: 20, purges: 20 } },
  });
  await simulation.minutes(3);
  const before = simulation.sandbox.requests.total;
  const { ended } = begin({ from: simulation.clock.now() - 24 * HOUR });
  await simulation.minutes(4);
  expect([...simulation.sandbox.requests.byStatus.keys()]).toEqual([200]);
  // The exporter uses 12 operations per minute; the backfill uses the rest of the quota without the reserve
  // of 20 %.
  expect(simulation.sandbox.requests.total - before).toBeGreaterThan(4 * 30);
  expect(Math.max(...requestsByWindow(simulation))).toBe(0.8 * reads);
  const [account] = simulation.exporter().accounts();
  const polls = (account?.jobs ?? []).slice().filter(({ id }) => id.startsWith('metrics/'));
  expect(polls.length).toBeGreaterThanOrEqual(12);
  for (const { id, last_success_at: at } of polls) {
    expect(simulation.clock.now() - Date.parse(at ?? ''), id).toBeLessThan(1.5 * MINUTE);
  }
  await simulation.minutes(10);
  expect(await ended).toMatchObject({ plan: { version: 2 } });
  expect([...simulation.sandbox.requests.byStatus.keys()]).toEqual([200]);
});

it('leaves room for an exporter that might come, but uses the rest of the quota', async () => {
  const { simulation, begin } = await pair({
    account: TWO_METRICS,
    sandbox: { rateLimit: { reads: 80, writes: 20, purges: 20 } },
  });
  await simulation.stop();
  await simulation.minutes(2);
  const before = simulation.sandbox.requests.total;
  const { ended } = begin({ from: simulation.clock.now() - 24 * HOUR });
  await simulation.minutes(4);
  // 16 of 80 operations are the reserve, and 12 are for an exporter.
  const used = (simulation.sandbox.requests.total - before) / 4;
  expect(used).toBeGreaterThan(0.9 * 52);
  expect(used).toBeLessThanOrEqual(1.3 * 52);
  await simulation.minutes(10);
  expect(await ended).toMatchObject({ plan: { version: 2 } });
  expect([...simulation.sandbox.requests.byStatus.keys()]).toEqual([200]);
});

it('names the window that keeps failing, and goes on from there when it does not any more', async () => {
  const { simulation, begin } = await pair({ account: TWO_METRICS });
  await simulation.stop();
  const [domain] = simulation.sandbox.account.domains;
  const paths = [`/metrics/products/1441740010/configurations/${domain?.id}/metrics/waf`];
  simulation.sandbox.faults.set({ server_error: { paths } });
  const { ended } = begin({ from: Date.UTC(2026, 0, 5, 5) });
  await simulation.minutes(20);
  expect(String(await ended)).toMatch(
    /^LongFailure: account test, edge_applications, configuration shop, waf, 2026-01-05T05:00:00Z to 2026-01-05T06:00:00Z: .*\(server_error\)$/,
  );
  const before = simulation.sandbox.requests.total;
  simulation.sandbox.faults.clear();
  const again = begin({ from: Date.UTC(2026, 0, 5, 5) });
  await simulation.minutes(3);
  expect(await again.ended).toMatchObject({ plan: { version: 2 } });
  expect(simulation.sandbox.requests.total - before).toBeLessThan(6 * 12);
  expect(seriesOf(await readFile(again.output, 'utf8')).size).toBe(6 * 12 * 2);
});

function requestsByWindow({ sandbox }: Simulation): number[] {
  const used: number[] = [];
  let opened = Number.NEGATIVE_INFINITY;
  for (const { time } of sandbox.requests.recent) {
    if (time >= opened + MINUTE) {
      opened = time;
      used.push(0);
    }
    used.push((used.pop() ?? 0) + 1);
  }
  return used;
}

function keyed(series: Map<string, HistorySample[]>): Map<string, HistorySample[]> {
  return new Map(
    [...series].map(([text, samples]) => {
      const name = text.slice(0, text.indexOf('{'));
      const labels = [...text.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, label, value]) => [label, value]);
      return [seriesKey(name, Object.fromEntries(labels)), samples];
    }),
  );
}
