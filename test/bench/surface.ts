/**
 * The HTTP surface alone, in a process of its own: what it adds to a static buffer on node:http, with and without a
 * login, and what 100,000 raw requests do to it. Run by `npm run bench -- surface [--requests=100000] [--seed=1]`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { hashSync } from '@node-rs/bcrypt';
import express from 'express';
import { Client } from 'undici';
import { createWeb } from '../../src/exporter/web/web.ts';
import { madeUpStatus } from '../exporter/page/made-up-status.ts';
import { fuzz } from '../exporter/web/raw-requests.ts';
import { quantile } from './statistics.ts';

const ROUNDS = 2_000;
const WARM_UP = 300;
const LOGIN = 'user:pass';

interface Served {
  readonly ports: Readonly<Record<string, number>>;
}

/** About as many bytes as a scrape of 1,000 series takes, packed. */
function makeBody(): Buffer {
  const lines = Array.from(
    { length: 1_000 },
    (_, i) => `edge_requests_per_minute{domain="d${i}"} ${i * 7919}\n`,
  );
  return gzipSync(lines.join(''));
}

async function serve(): Promise<void> {
  const body = makeBody();
  const folder = mkdtempSync(join(tmpdir(), 'surface-'));
  const guarded = join(folder, 'web.yaml');
  writeFileSync(guarded, JSON.stringify({ basic_auth_users: { user: hashSync('pass', 10) } }));
  process.once('disconnect', () => {
    rmSync(folder, { recursive: true });
    process.exit();
  });
  const log = { info: () => undefined, warn: () => undefined, error: fail };
  const surface = async (webConfigFile?: string) => {
    const web = createWeb({
      telemetryPath: '/metrics',
      exposition: () => [body],
      status: () => madeUpStatus(),
      notReady: () => [],
      logLevel: { levels: [], read: () => 'info', set: () => undefined },
      reload: async () => ({ ok: true }),
      connections: 1_024,
      webConfigFile,
      log,
    });
    await web.listen('127.0.0.1:0');
    return Number(new URL(web.urls()[0] ?? '').port);
  };
  const headers = { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip', 'Content-Length': body.length };
  const listening = async (server: ReturnType<typeof createServer>) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };
  const app = express();
  app.get('/metrics', (_request, response) => void response.set(headers).end(body));
  const ports = {
    'static on node:http': await listening(
      createServer((_, response) => response.writeHead(200, headers).end(body)),
    ),
    'the surface': await surface(),
    'the surface, with a login': await surface(guarded),
    'static on express': await listening(createServer(app)),
  };
  process.send?.({ ports } satisfies Served);
  process.on('message', () => process.send?.({ rss: process.memoryUsage().rss }));
}

function fail(...told: unknown[]): never {
  throw new Error(`not expected: ${told.map((part) => JSON.stringify(part)).join(' ')}`);
}

async function measure({ ports }: Served): Promise<void> {
  const clients = Object.entries(ports).map(([name, port]) => {
    return { name, client: new Client(`http://127.0.0.1:${port}`), times: [] as number[] };
  });
  const headers = {
    accept: 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1',
    'accept-encoding': 'gzip',
    authorization: `Basic ${Buffer.from(LOGIN).toString('base64')}`,
  };
  // All in turn and each turn begun by another, so that whatever else goes on meets them alike.
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const first = (round + WARM_UP) % clients.length;
    for (const { client, times } of [...clients.slice(first), ...clients.slice(0, first)]) {
      const from = performance.now();
      const { body } = await client.request({ path: '/metrics', method: 'GET', headers });
      await body.arrayBuffer();
      if (round >= 0) times.push(performance.now() - from);
    }
  }
  const floor = quantile(clients[0]?.times ?? [], 0.5);
  for (const { name, client, times } of clients) {
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    print(
      `${name.padEnd(26)} p50 ${p50.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms, ${(p50 / floor).toFixed(2)} x floor`,
    );
    await client.close();
  }
}

async function fuzzAll(child: ChildProcess, { ports }: Served, count: number, seed: number): Promise<void> {
  const rss = async () => {
    child.send('rss');
    const [message] = (await once(child, 'message')) as [{ rss: number }];
    return message.rss / 2 ** 20;
  };
  for (const name of ['the surface', 'the surface, with a login']) {
    const port = ports[name] ?? 0;
    await fuzz(port, Math.min(count, 5_000), seed + 1);
    const before = await rss();
    const statuses = await fuzz(port, count / 2, seed);
    const sorted = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`);
    const answer = await fetch(`http://127.0.0.1:${port}/-/healthy`);
    print(`${count / 2} raw requests to ${name} (seed ${seed}): ${sorted.join(', ')}`);
    print(
      `  then ${answer.status}; RSS ${before.toFixed(0)} MB before, ${(await rss()).toFixed(0)} MB after`,
    );
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function option(name: string, usual: number): number {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return given === undefined ? usual : Number(given.split('=')[1]);
}

if (process.argv.includes('serve')) await serve();
else {
  const child = fork(fileURLToPath(import.meta.url), ['serve']);
  child.once('exit', (code) => {
    if (code !== 0) process.exit(1);
  });
  const [served] = (await once(child, 'message')) as [Served];
  await measure(served);
  await fuzzAll(child, served, option('requests', 100_000), option('seed', 1));
  child.disconnect();
}
