import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { backfill } from '../../src/commands/backfill.ts';
import { EXIT, type Invocation } from '../../src/exporter/command-line/command.ts';
import { createLogger } from '../../src/exporter/logging/log.ts';
import { complaintsOn } from '../../src/exporter/text/output.ts';
import { createSandbox, DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { served } from '../served.ts';

const NOW = Date.UTC(2026, 0, 5, 10, 20);
const HOUR = 3_600_000;

interface Call {
  readonly flags?: Partial<Invocation<'backfill'>['flags']>;
  readonly env?: Record<string, string>;
  readonly signal?: AbortSignal;
  readonly isTTY?: boolean;
}

async function call({ flags, env = {}, signal, isTTY = false }: Call) {
  const out: string[] = [];
  const err: string[] = [];
  const stderr = { write: (text: string) => err.push(text), isTTY };
  const exitCode = await backfill({
    flags: {
      'config.file': undefined,
      account: undefined,
      from: undefined,
      to: undefined,
      output: undefined,
      labels: undefined,
      push: 'none',
      restart: false,
      'log.level': 'info',
      'log.format': 'logfmt',
      ...flags,
    },
    env,
    stdout: { write: (text: string) => out.push(text) },
    stderr,
    signal: signal ?? new AbortController().signal,
    ...complaintsOn(stderr, env),
    onReload: () => undefined,
    logging: createLogger({ level: 'info', format: 'logfmt', destination: stderr }),
  });
  return { exitCode, out: out.join(''), err: err.join('') };
}

async function context() {
  const sandbox = createSandbox({
    now: () => NOW,
    configurations: 1,
    rateLimit: { reads: 10_000, writes: 1, purges: 1 },
  });
  const { url, close } = await sandbox.listen(0);
  onTestFinished(close);
  const folder = await mkdtemp(join(tmpdir(), 'backfill-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const env = { EDGE_API_URL: url, EDGE_TOKEN: DEFAULT_TOKEN.token };
  return { sandbox, env, output: join(folder, 'history.om') };
}

async function pushContext(answer: (request: number) => [status: number, words: string]) {
  const { sandbox, env, output } = await context();
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      requests += 1;
      const [status, words] = answer(requests);
      response.writeHead(status).end(words);
    });
  });
  const port = await served(server);
  const collectors = { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } };
  const accounts = [{ name: 'a', api_url: env.EDGE_API_URL, token: env.EDGE_TOKEN, collectors }];
  const push = [{ name: 'central', kind: 'remote_write', url: `http://127.0.0.1:${port}/write` }];
  const config = join(dirname(output), 'exporter.yaml');
  await writeFile(config, JSON.stringify({ accounts, push }));
  return { sandbox, output, flags: { 'config.file': config, from: NOW - HOUR / 2, output } };
}

describe('backfill --push', () => {
  it('refuses a receiver that is not configured, and says which one may be meant', async () => {
    const { sandbox, env } = await context();
    const none = await call({ flags: { from: NOW - HOUR, push: 'all' }, env });
    expect(none.exitCode).toBe(EXIT.misused);
    expect(none.err).toContain('there is no receiver to push to: add one under push');
    expect(sandbox.requests.total).toBe(0);

    const { flags } = await pushContext(() => [204, '']);
    const other = await call({ flags: { ...flags, push: { name: 'centrl' } } });
    expect(other.exitCode).toBe(EXIT.misused);
    expect(other.err).toMatch(/there is no receiver "centrl".*"central"/);
  });

  it('ends before it reads anything when the receiver is not to be had', async () => {
    const { sandbox, output, flags } = await pushContext(() => [401, 'who are you?']);
    const { exitCode, err } = await call({ flags: { ...flags, push: 'all' } });
    expect(exitCode).toBe(EXIT.failed);
    expect(err).toMatch(/error: receiver central does not take a sample of .*: HTTP 401: who are you\?/);
    expect(sandbox.requests.total).toBeLessThan(5);
    await expect(access(`${output}.partial`)).rejects.toThrow('ENOENT');
  });

  it('counts what is refused for good, and sends it again without reading it again', async () => {
    let refuses = true;
    // The first three requests are trial samples, which the command sends before the history.
    const { sandbox, flags } = await pushContext((request) =>
      request > 3 && refuses ? [400, 'out of order sample'] : [204, ''],
    );
    const refused = await call({ flags: { ...flags, push: 'all' } });
    expect(refused.exitCode).toBe(EXIT.failed);
    expect(refused.err).toMatch(/error: receiver central refused (\d+) of \1 samples \(out_of_order \1\)/);
    expect(refused.err.match(/the receiver refuses samples for good/g)).toHaveLength(1);

    const read = sandbox.requests.total;
    refuses = false;
    const taken = await call({ flags: { ...flags, push: 'all' } });
    expect(taken.exitCode, taken.err).toBe(EXIT.ok);
    const [, samples] = /receiver central: \d+ metrics from .*, (\d+) samples/.exec(taken.out) ?? [];
    expect(refused.err).toContain(`refused ${samples} of ${samples}`);
    expect(sandbox.requests.total).toBe(read);
  });
});

describe('backfill', () => {
  it('writes the history, says what to do with it, and ends with 0', async () => {
    const { env, output } = await context();
    const flags = { from: NOW - 3 * HOUR, to: NOW - HOUR, output, labels: { job: 'edge' } };
    const { exitCode, out, err } = await call({ flags, env });
    expect(exitCode, err).toBe(EXIT.ok);
    expect(out).toMatch(/history\.om: \d+ metrics from 2026-01-05T07:20:00Z to 2026-01-05T09:20:00Z\n/);
    expect(out).toContain(`promtool tsdb create-blocks-from openmetrics --max-block-duration=`);
    expect(err).toMatch(/msg="history started" from=2026-01-05T07:20:00Z .* windows=\d+ done=0\n/);
    expect(await readFile(output, 'utf8')).toContain('edge_requests_total{job="edge",account="default",');
  });

  it.each([
    [{ output: 'x' }, '--from is missing: the start of the history'],
    [{ from: NOW }, '--output is missing: the file to write; or --push'],
    [
      { from: NOW, to: NOW - 1, output: 'x' },
      '--from (2026-01-05T10:20:00Z) must be before --to (2026-01-05T10:19:59.999Z)',
    ],
    [{ from: Date.UTC(3000, 0), output: 'x' }, '--from (3000-01-01T00:00:00Z) is in the future'],
    [
      { from: NOW - HOUR, to: Date.UTC(3000, 0), output: 'x' },
      '--to (3000-01-01T00:00:00Z) is in the future',
    ],
    [{ from: NOW - HOUR, output: 'x', account: 'nobody' }, 'there is no account "nobody"'],
  ])('refuses %o without asking the platform, with a sentence and 2', async (flags, sentence) => {
    const { sandbox, env } = await context();
    const { exitCode, out, err } = await call({ flags, env });
    expect({ exitCode, out }).toEqual({ exitCode: EXIT.misused, out: '' });
    expect(err).toContain('error: ');
    expect(err).toContain(sentence);
    expect(sandbox.requests.total).toBe(0);
  });

  it('tells every mistake at once, those of the configuration too', async () => {
    const { err, exitCode } = await call({});
    expect(exitCode).toBe(EXIT.misused);
    expect(err.match(/^error: /gm)).toHaveLength(3);
  });

  it('refuses a range that the platform does not keep with 2, and a token that it does not take with 1', async () => {
    const { env, output } = await context();
    const early = await call({ flags: { from: NOW - 31 * 24 * HOUR, output }, env });
    expect(early.exitCode).toBe(EXIT.misused);
    expect(early.err).toMatch(/error: --from \(2025-12-05T10:20:00Z\) is too early/);
    const refused = await call({
      flags: { from: NOW - HOUR, output },
      env: { ...env, EDGE_TOKEN: 'foreign' },
    });
    expect(refused.exitCode).toBe(EXIT.failed);
    expect(refused.err).toMatch(/error: account default: .*\(unauthorized\)\n$/);
    expect(refused.err).not.toContain('foreign');
  });

  it('does not replace a file that is there', async () => {
    const { env, output } = await context();
    await writeFile(output, 'of value');
    const { exitCode, err } = await call({ flags: { from: NOW - HOUR, output }, env });
    expect(exitCode).toBe(EXIT.misused);
    expect(err).toContain(`error: ${output} already exists`);
  });

  it('refuses an output that has no place, without asking the platform, in a sentence', async () => {
    const { sandbox, env, output } = await context();
    const nowhere = await call({ flags: { from: NOW - HOUR, output: `${output}-folder/history.om` }, env });
    expect(nowhere).toEqual({
      exitCode: EXIT.misused,
      out: '',
      err: `error: the folder of --output: ${output}-folder cannot be used: it does not exist\n`,
    });
    await writeFile(output, 'a file');
    const inFile = await call({ flags: { from: NOW - HOUR, output: join(output, 'history.om') }, env });
    expect(inFile.exitCode).toBe(EXIT.misused);
    expect(inFile.err).toBe(
      `error: the folder of --output: ${output} cannot be used: part of its path is not a folder\n`,
    );
    expect(sandbox.requests.total).toBe(0);
  });

  it('says in a sentence which file fails it', async () => {
    const { env, output } = await context();
    await writeFile(`${output}.partial`, 'a file in the way');
    const { exitCode, err } = await call({ flags: { from: NOW - HOUR, output }, env });
    expect(exitCode).toBe(EXIT.failed);
    expect(err).toBe(`error: the state directory ${output}.partial cannot be used: it is not a directory\n`);
  });

  it('says that it can go on when it is interrupted, and does', async () => {
    const { sandbox, env, output } = await context();
    const flags = { from: NOW - 5 * HOUR, output };
    const ending = new AbortController();
    const watch = setInterval(() => sandbox.requests.total > 50 && ending.abort(), 1);
    const { exitCode, err } = await call({ flags, env, signal: ending.signal });
    clearInterval(watch);
    expect(exitCode).toBe(EXIT.failed);
    expect(err).toMatch(/interrupted: run the same command again to continue\n$/);
    const again = await call({ flags, env });
    expect(again.exitCode, again.err).toBe(EXIT.ok);
    expect(Number(/ done=(\d+)/.exec(again.err)?.[1])).toBeGreaterThan(0);
  });
});
