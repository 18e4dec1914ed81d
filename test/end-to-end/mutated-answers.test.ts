import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { randomNumbers } from '../exporter/web/raw-requests.ts';
import { inLongSuite } from '../long-suite.ts';
import { parseExposition } from '../parse-exposition.ts';
import { configFile } from './config-file.ts';
import { startExporter } from './exporter-process.ts';
import { type Health, healthOf } from './health.ts';
import { shippedLimits } from './memory-limit.ts';
import { mutate } from './mutations.ts';
import { type ServedSandbox, serveSandbox } from './platform.ts';

/**
 * Number of answers. Run more with `MUTATED_ANSWERS=100000 npx vitest run
 * test/end-to-end/mutated-answers.test.ts`.
 */
const ANSWERS = Number(process.env['MUTATED_ANSWERS'] ?? inLongSuite(2_000, 500));
const RESOURCES = 60;
const ACCOUNTS = Math.min(150, Math.max(24, Math.floor(ANSWERS / (2 * RESOURCES))));
const WARM_UP = Math.min(ACCOUNTS * RESOURCES, ANSWERS / 2);
const ALL = WARM_UP + ANSWERS;
const TOKEN = 'fuzz-3a110f2990cfbce7b84265cc027f992acb9743eb';
const OFTEN = { schedule: '*/5 * * * * *' };

async function mutatingPlatform(sandbox: ServedSandbox, random: () => number) {
  const sockets = new Set<Socket>();
  const known = new Map<string, Promise<{ body: Buffer }>>();
  let sent = 0;
  const original = (path: string, version: string) => {
    const key = `${version} ${path}`;
    const headers = { authorization: `Token ${sandbox.env.EDGE_TOKEN}`, accept: version };
    const asked =
      known.get(key) ??
      fetch(`${sandbox.url}${path}`, { headers }).then(async (response) => ({
        body: Buffer.from(await response.arrayBuffer()),
      }));
    if (known.size > 2_000) known.clear();
    known.set(key, asked);
    return asked;
  };
  const answer = async (socket: Socket, head: string) => {
    const [, path = '/'] = head.split(' ');
    const version = /^accept: (.*)$/im.exec(head)?.[1]?.trim() ?? '';
    const { body } = await original(path, version);
    const mutated = { status: 200, headers: new Map([['content-type', 'application/json']]), body };
    // Some answers return the request with its token.
    if (random() < 0.05) mutated.body = Buffer.from(JSON.stringify({ detail: head }));
    mutate(mutated, random);
    const headers = new Map([['content-length', `${mutated.body.length}`], ...mutated.headers]);
    const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${mutated.status} x\r\n${lines.join('')}\r\n`);
    socket.write(mutated.body);
    sent += 1;
    // The announced length may be wrong, so the connection is closed to end the answer.
    if (headers.get('content-length') !== `${mutated.body.length}`) socket.end();
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = '';
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = received.slice(0, end);
      received = received.slice(end + 4);
      answer(socket, head).catch(() => socket.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent: () => sent };
}

function rssOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

function impossible(text: string): readonly string[] {
  return [...parseExposition(text).samples].flatMap(([key, value]) => {
    const isTraffic = /^\["edge_(?!exporter_)\w+(_per_minute|_total)"/.test(key);
    return isTraffic && !(value >= 0) ? [`${key} ${value}`] : [];
  });
}

it(`${ALL} mutated answers end nothing, hang nothing, leak nothing and tell no secret`, async () => {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  const sandbox = await serveSandbox({ configurations: 3 });
  const platform = await mutatingPlatform(sandbox, randomNumbers(seed));
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ({
    name: `account-${index}`,
    api_url: platform.url,
    token: TOKEN,
    quota: { reserve: 0, assumed_limit: 100_000 },
    request: { timeout: '2s' },
    collectors: {
      metrics: { ...OFTEN, products: { edge_applications: {} } },
      domains: OFTEN,
      waf_rulesets: OFTEN,
      edge_functions: OFTEN,
    },
  }));
  const { path } = await configFile(JSON.stringify({ accounts }));
  const limit = shippedLimits();
  const exporter = await startExporter({ args: ['serve', `--config.file=${path}`], memory: limit });
  onTestFinished(async () => exporter.process.kill('SIGKILL'));
  const rss: number[] = [];
  const health: Health[] = [];
  const inspect = async () => {
    for (const page of ['/metrics', '/', '/api/v1/status']) {
      // A 503 means that a busy machine needs longer than the timeout of an answer. This test ignores it.
      const response = await eventually(`${page} is answered, seed ${seed}`, async () => {
        const answer = await fetch(`${exporter.url}${page}`);
        return answer.status !== 503 && answer;
      });
      const text = await response.text();
      expect(response.status, `${page}, seed ${seed}`).toBe(200);
      expect(text.includes(TOKEN), `${page}, seed ${seed}`).toBe(false);
      if (page === '/metrics') expect(impossible(text), `seed ${seed}`).toEqual([]);
    }
    health.push(...[await healthOf(exporter)].flatMap((found) => found ?? []));
    if (platform.sent() >= WARM_UP) rss.push(rssOf(exporter.process.pid));
  };
  let before = -1;
  while (platform.sent() < ALL) {
    const since = before;
    await eventually(`more than ${since} answers, seed ${seed}`, () => platform.sent() > since + 50, {
      evidence: exporter.process.output,
    });
    before = platform.sent();
    await inspect();
  }
  const log = exporter.process.output();
  expect(await exporter.kill('SIGTERM')).toMatchObject({ code: 0 });
  expect(log.includes(TOKEN), `seed ${seed}`).toBe(false);
  const bugs = log.split('\n').filter((line) => line.includes('this is a bug'));
  expect(bugs, `seed ${seed}`).toEqual([]);
  expect(rss.length).toBeGreaterThan(1);
  const half = rss.slice(Math.floor(rss.length / 2));
  const settled = Math.max(...rss.slice(0, Math.ceil(rss.length / 2)));
  const longest = (of: keyof Health) => Math.max(...health.map((one) => one[of])).toFixed(2);
  process.stderr.write(
    `in ${limit.by} /-/healthy took ${longest('wall')} s at most, and ${longest('cpu')} s of its thread's CPU\n`,
  );
  expect(Number(longest('cpu')), `seed ${seed}`).toBeLessThan(1);
  process.stderr.write(
    `${platform.sent()} answers, seed ${seed}: RSS ${settled.toFixed(0)} MB at most in the first half after ${WARM_UP}, ${Math.max(...half).toFixed(0)} in the second\n`,
  );
  expect(Math.max(...half), `seed ${seed}`).toBeLessThan(settled * 1.25 + 20);
});
