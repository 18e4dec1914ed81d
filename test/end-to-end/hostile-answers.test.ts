import { createServer, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { inLongSuite } from '../long-suite.ts';
import { served } from '../served.ts';
import { configFile } from './config-file.ts';
import { startExporter } from './exporter-process.ts';
import { type Health, healthOf } from './health.ts';
import { shippedLimits } from './memory-limit.ts';

const ACCOUNTS = 40;
/**
 * Number of hostile answers, of all kinds in turn; at least five of each kind. Set `HOSTILE_ANSWERS=1000` for
 * more.
 */
const ANSWERS = Number(process.env['HOSTILE_ANSWERS'] ?? inLongSuite(200, 60));

const items = (count: number, item: (index: number) => string) =>
  Buffer.from(`[${Array.from({ length: count }, (_, index) => item(index)).join()}]`);
const key = (index: number) => index.toString(36);

const KINDS: Readonly<Record<string, () => Buffer>> = {
  '60 MB of empty objects': () => items(20_000_000, () => '{}'),
  'half a million empty objects': () => items(500_000, () => '{}'),
  'as many objects as are accepted, each with a key of its own': () =>
    items(110_000, (at) => `{"${key(at)}":1}`),
  'one object of as many keys as are accepted': () =>
    Buffer.from(`{${Array.from({ length: 240_000 }, (_, at) => `"${key(at)}":0`).join()}}`),
  'as many empty lists as are accepted': () => items(490_000, () => '[]'),
  'one text of 8 MB': () => Buffer.from(JSON.stringify('x'.repeat(8_000_000))),
  'a row with an endless name': () =>
    Buffer.from(JSON.stringify({ results: [{ id: 1, name: 'L-'.repeat(3_900_000) }] })),
};

interface Answer {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

function answers(): readonly Answer[] {
  return Object.values(KINDS).flatMap((kind) => {
    const body = kind();
    const packed = gzipSync(body, { level: 1 });
    const forms: Answer[] = [
      { body, headers: { 'content-length': `${body.length}` } },
      { body, headers: {} },
    ];
    if (packed.length < body.length / 8)
      forms.push({ body: packed, headers: { 'content-encoding': 'gzip' } });
    return forms;
  });
}

async function hostilePlatform() {
  const all = answers();
  let [asked, sent] = [0, 0];
  const server = createServer((request, response: ServerResponse) => {
    const { body, headers } = all[asked % all.length] ?? { body: '', headers: {} };
    asked += 1;
    response.on('close', () => {
      sent += 1;
    });
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(body);
    request.resume();
  });
  return { url: `http://127.0.0.1:${await served(server)}`, sent: () => sent };
}

it('documents made to fill the memory do not end the exporter at its default settings in 1 GiB, nor hold it up', async () => {
  const platform = await hostilePlatform();
  const limit = shippedLimits();
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ({
    name: `account-${index}`,
    api_url: platform.url,
    token: `hostile-${index}`,
    quota: { reserve: 0, assumed_limit: 100_000 },
  }));
  const { path } = await configFile(JSON.stringify({ accounts }));
  const exporter = await startExporter({ args: ['serve', `--config.file=${path}`], memory: limit });
  onTestFinished(async () => void (await exporter.kill('SIGKILL')));
  const evidence = () => exporter.process.output().slice(-2_000);
  const health: Health[] = [];
  await eventually(
    `${ANSWERS} answers in ${limit.by}, or the end`,
    async () => {
      const found = await healthOf(exporter);
      if (found === undefined) return true;
      health.push(found);
      return platform.sent() >= ANSWERS;
    },
    { evidence },
  );
  expect(exporter.process.running(), evidence()).toBe(true);
  const longest = (of: keyof Health) => Math.max(...health.map((one) => one[of]));
  process.stderr.write(
    `${platform.sent()} answers in ${limit.by}: /-/healthy took ${longest('wall').toFixed(2)} s at most, and ${longest('cpu').toFixed(2)} s of its thread's CPU\n`,
  );
  // CPU time of the exporter before its answer, in which it may have decoded two or three hostile answers.
  expect(longest('cpu')).toBeLessThan(1);
  expect((await fetch(`${exporter.url}/metrics`)).status).toBe(200);
});
