/**
 * How long a scrape takes, beside a buffer served by node:http (the floor) and prom-client behind express, and what a
 * poll's outcome costs. Compile with `tsc -p test/bench`, then run the result in `.cache/bench/test/bench/`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client } from 'undici';
import { type Served, serve } from './exposition-server.ts';

const SIZES = [1_000, 10_000, 100_000];
const ROUNDS = 100;
const WARM_UP = 5;
/** The slow one is asked less often. */
const PROM_CLIENT_EVERY = 5;

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function print(...cells: readonly (string | number)[]): void {
  const texts = cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(2) : cell));
  process.stdout.write(
    `${texts.map((text, index) => (index === 0 ? text.padEnd(24) : text.padStart(11))).join('')}\n`,
  );
}

async function scrape(client: Client): Promise<number> {
  const from = performance.now();
  const { body } = await client.request({ path: '/', method: 'GET' });
  let bytes = 0;
  for await (const piece of body) bytes += (piece as Buffer).length;
  if (bytes === 0) throw new Error('an empty answer');
  return performance.now() - from;
}

/** Times by target, all targets in turn and each turn begun by another, so that whatever else goes on meets them alike. */
async function scrapeAll(ports: Served['ports']): Promise<Map<string, number[]>> {
  const clients = Object.entries(ports).map(
    ([target, port]) => [target, new Client(`http://127.0.0.1:${port}`)] as const,
  );
  const times = new Map(clients.map(([target]): [string, number[]] => [target, []]));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const first = (round + WARM_UP) % clients.length;
    for (const [target, client] of [...clients.slice(first), ...clients.slice(0, first)]) {
      if (target.startsWith('prom-client') && round % PROM_CLIENT_EVERY !== 0) continue;
      const ms = await scrape(client);
      if (round >= 0) times.get(target)?.push(ms);
    }
  }
  await Promise.all(clients.map(([, client]) => client.close()));
  return times;
}

async function start(seriesCount: number): Promise<[ChildProcess, Served]> {
  const child = fork(fileURLToPath(import.meta.url), ['serve', String(seriesCount)], {
    execArgv: ['--expose-gc'],
  });
  const [served] = (await once(child, 'message')) as [Served];
  return [child, served];
}

async function measure(seriesCount: number): Promise<void> {
  const [child, served] = await start(seriesCount);
  const times = await scrapeAll(served.ports);
  child.kill();
  print(
    `\n${seriesCount} series`,
    `${served.identityBytes} B`,
    `${served.gzipBytes} B gz`,
    `${served.pieces} pieces`,
  );
  print('scrape, ms', 'median', 'p99', 'x floor');
  for (const [target, own] of times) {
    const floor = quantile(times.get(`floor ${target.split(' ')[1]}`) ?? [], 0.5);
    print(target, quantile(own, 0.5), quantile(own, 0.99), quantile(own, 0.5) / floor);
  }
  const { start: first, outcomes, bytesPerSeries } = served;
  print('to be visible, ms', 'median', 'p99', 'loop held');
  print('everything at once', first.ms, '', first.delayMs);
  print('one outcome', quantile(outcomes.ms, 0.5), quantile(outcomes.ms, 0.99), outcomes.delayMs);
  print('bytes per series', bytesPerSeries);
}

const [role, count] = process.argv.slice(2);
if (role === 'serve') await serve(Number(count));
else for (const seriesCount of SIZES) await measure(seriesCount);
