import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { served } from '../served.ts';
import { callProgram } from './call-program.ts';

const HOSTILE = '\r\u001b[K\n  forged\u001b[32m\u009b1A\u202e';

async function hostilePlatform(): Promise<string> {
  const { url, close } = await createSandbox({ configurations: 2 }).listen(0);
  onTestFinished(close);
  const beginning = JSON.stringify(HOSTILE).slice(1, -1);
  const server = createServer(async (request, response) => {
    const { authorization = '', accept = '' } = request.headers;
    const answer = await fetch(url + request.url, { headers: { authorization, accept } });
    const body = (await answer.text()).replaceAll(/("(?:\w+_)?name":\s*")/g, `$1${beginning}`);
    for (const [name, value] of answer.headers)
      if (/^(x-|date|content-type)/i.test(name)) response.setHeader(name, value);
    response.writeHead(answer.status).end(body);
  });
  return `http://127.0.0.1:${await served(server)}`;
}

test('doctor shows what the platform calls its things, and neither acts upon it nor makes lines of it', async () => {
  const env = { EDGE_API_URL: await hostilePlatform(), EDGE_TOKEN: 'sandbox-token' };
  const { out, err } = await callProgram(['doctor'], { env, isTTY: true });
  const ours = ['\u001b[32mok\u001b[0m', '\u001b[90mskipped\u001b[0m', '\u001b[33mwarning\u001b[0m'];
  const rest = ours.reduce((text, label) => text.replaceAll(label, ''), out);
  expect(rest + err).not.toMatch(/[^\P{Cc}\n\t]|\p{Bidi_Control}|^\s*forged/mu);
  expect(out).toContain('status_code of \\u000d\\u001b[K\\n  forged\\u001b[32m\\u009b1A\\u202eshop');
});

test('plan, backfill and rehearse show it likewise, and the history that backfill writes is a line for each sample', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hostile-names-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const config = join(folder, 'exporter.yaml');
  const output = join(folder, 'history.txt');
  const account = {
    name: 'a"\\b<b>\u202e',
    api_url: await hostilePlatform(),
    token: 'sandbox-token',
    collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } },
  };
  await writeFile(config, JSON.stringify({ accounts: [account] }));
  const hour = (ago: number) => new Date(Date.now() - ago * 3_600_000).toISOString();
  for (const words of [
    ['plan'],
    ['backfill', `--from=${hour(3)}`, `--to=${hour(2)}`, `--output=${output}`],
    ['rehearse', `--history.file=${output}`, `--output=${join(folder, 'rehearsed.html')}`],
    ['rehearse', `--history.file=${output}`, '--format=json'],
  ]) {
    const { exitCode, out, err } = await callProgram([...words, `--config.file=${config}`]);
    expect(exitCode).toBe(0);
    expect(out).not.toBe('');
    expect(out + err).not.toMatch(/[^\P{Cc}\n\t]|\p{Bidi_Control}|^\s*forged/mu);
  }
  const lines = (await readFile(output, 'utf8')).split('\n');
  expect(lines.splice(-2)).toEqual(['# EOF', '']);
  const samples = lines.filter((line) => !line.startsWith('# '));
  expect(samples.length).toBeGreaterThan(100);
  for (const line of samples) {
    expect(line).toMatch(/^edge_\w+\{(?:\w+="(?:[^"\\\n]|\\["\\n])*",?)+\} \S+ \d+(?:\.\d+)?$/);
    expect(line).toContain(String.raw`account="a\"\\b<b>`);
  }
});

test('rules are shown on a terminal as it cannot act on them, and elsewhere as they are', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hostile-names-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'alerts.yaml');
  const names = { accounts: ['__proto__', `a\u202e${'x'.repeat(1_000_000)}`] };
  await writeFile(
    file,
    JSON.stringify({ overrides: [{ ...names, alerts: { EdgeWafSpike: { floor: 9 } } }] }),
  );
  const args = ['rules', `--alerts.file=${file}`];
  const elsewhere = await callProgram(args);
  const shown = await callProgram(args, { isTTY: true });
  expect([elsewhere.exitCode, shown.exitCode, elsewhere.err + shown.err]).toEqual([0, 0, '']);
  expect(elsewhere.out).toContain('a\u202exxx');
  expect(shown.out).toBe(elsewhere.out.replaceAll('\u202e', '\\u202e'));
});
