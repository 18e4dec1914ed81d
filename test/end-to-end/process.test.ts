import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_USER } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../eventually.ts';
import { runToEnd } from './child-process.ts';
import { configFile, temporaryFolder } from './config-file.ts';
import {
  type ExporterOptions,
  type ExporterProcess,
  runExporter,
  startExporter,
} from './exporter-process.ts';
import { type ServedSandbox, serveSandbox } from './platform.ts';
import { timeToEnd } from './time-to-end.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'main.js');

async function start(options: ExporterOptions): Promise<ExporterProcess> {
  const exporter = await startExporter(options);
  onTestFinished(async () => void (await exporter.stop()));
  return exporter;
}

async function startLoggedIn(): Promise<{ sandbox: ServedSandbox; exporter: ExporterProcess }> {
  const sandbox = await serveSandbox({ users: [DEFAULT_USER] });
  const { username, password } = DEFAULT_USER;
  const exporter = await start({
    env: { EDGE_API_URL: sandbox.url, EDGE_USERNAME: username, EDGE_PASSWORD: password },
  });
  await exporter.ready();
  return { sandbox, exporter };
}

async function silence({ sandbox, exporter }: Awaited<ReturnType<typeof startLoggedIn>>, methods: string[]) {
  sandbox.faults.set({ timeout: { methods } });
  const hangs = () => sandbox.requests.byStatus.get(0);
  await eventually('requests hang', hangs, { evidence: exporter.process.output });
}

async function takePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

it('what was written is there in whole for a reader that takes its time', async () => {
  const main = join(import.meta.dirname, '..', '..', 'dist', 'main.js');
  const slowly = `"${process.execPath}" "${main}" rules | { read -r line; sleep 1; wc -c; }`;
  const { stdout } = await runToEnd({ path: 'sh', args: ['-c', slowly] });
  const whole = await runToEnd({ path: process.execPath, args: [main, 'rules'] });
  const [line = ''] = whole.stdout.split('\n');
  expect(Number(stdout)).toBe(Buffer.byteLength(whole.stdout) - Buffer.byteLength(line) - 1);
  expect(Number(stdout)).toBeGreaterThan(100_000);
});

describe('an exporter that is asked to end', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s ends well within 5 s though its requests hang, and gives back its token',
    async (signal) => {
      const logged = await startLoggedIn();
      await silence(logged, ['GET']);
      const { ending, ms } = await timeToEnd(logged.exporter.process, signal);
      expect(ending).toMatchObject({ code: 0, signal: null });
      expect(ms).toBeLessThan(5_000);
      expect(logged.sandbox.requests.recent.at(-1)).toMatchObject({ method: 'DELETE', status: 204 });
    },
  );

  it('ends well within 5 s even where the platform does not take the token back', async () => {
    const logged = await startLoggedIn();
    await silence(logged, ['GET', 'DELETE']);
    const { ending, ms } = await timeToEnd(logged.exporter.process, 'SIGTERM');
    expect(ending).toMatchObject({ code: 0, signal: null });
    expect(ms).toBeLessThan(5_000);
  });

  it('ends at once upon a second signal, whatever it still waits for', async () => {
    const logged = await startLoggedIn();
    logged.sandbox.faults.set({ timeout: { methods: ['DELETE'] } });
    logged.exporter.process.kill('SIGTERM');
    await eventually('it waits for the platform', () => logged.sandbox.requests.byStatus.get(0));
    const ending = await logged.exporter.kill('SIGTERM');
    expect(ending).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  it('answers the scrape under way to its end', async () => {
    const sandbox = await serveSandbox();
    const exporter = await start({ env: sandbox.env });
    await exporter.ready();
    const scrape = await fetch(`${exporter.url}/metrics`, { headers: { 'Accept-Encoding': 'identity' } });
    exporter.process.kill('SIGTERM');
    expect(await scrape.text()).toMatch(/\nprocess_cpu_seconds_total|\nnodejs_/);
    expect(await exporter.process.ended).toMatchObject({ code: 0 });
  });
});

describe('an exporter that cannot begin', () => {
  it('says every mistake of its configuration and exits with 2, before it listens', async () => {
    // Another process uses the address, so listening would fail.
    const address = `127.0.0.1:${await takePort()}`;
    const mistakes = [{ name: '', api_url: 'nowhere', settle_delay: '1 fortnight', collector: {} }];
    const { path } = await configFile({ accounts: mistakes, limit: {} });
    const args = ['serve', `--config.file=${path}`, `--web.listen-address=${address}`];
    const { code, stdout, stderr } = await runExporter({ args });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    for (const what of ['name', 'api_url', 'settle_delay', 'collector', 'exactly one of token', 'limit']) {
      expect(stderr).toMatch(new RegExp(`^error: ${path}:\\d+:\\d+: .*${what}`, 'm'));
    }
    expect(stderr).not.toContain('listen');
  });

  // On other systems, the shell sets no such limit, or none exists.
  it.runIf(process.platform === 'linux')(
    'says in one line that too few files may be open, and exits with 1',
    async () => {
      const main = join(import.meta.dirname, '..', '..', 'dist', 'main.js');
      const args = ['-c', 'ulimit -n 24; exec "$0" "$@"', process.execPath, main, 'serve', '--sandbox'];
      const { code, stdout, stderr } = await runToEnd({ path: 'sh', args });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^error: the limit of open files is too low.*\n$/);
    },
  );

  it('says what is wrong with its web configuration and exits with 2', async () => {
    const { path } = await configFile({ tls_server_config: { cert_file: 'absent.pem' }, users: {} });
    const { code, stderr } = await runExporter({ args: ['serve', '--sandbox', `--web.config.file=${path}`] });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: .*key_file[\s\S]*^error: .*users/m);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  it.each([
    ['taken', () => takePort().then((port) => `127.0.0.1:${port}`), 'address already in use'],
    ['of another machine', async () => '192.0.2.1:9801', 'not an address of this machine'],
    ['unknown', async () => 'no-such-host.invalid:9801', 'unknown host'],
  ])('says so in a sentence and exits with 1 where the address is %s', async (_, addressOf, why) => {
    const address = await addressOf();
    const args = ['serve', '--sandbox', `--web.listen-address=${address}`];
    const { code, stderr } = await runExporter({ args });
    expect(code).toBe(1);
    expect(stderr).toContain(`\nerror: cannot listen on ${address}: ${why}\n`);
    expect(stderr).not.toContain('level=error');
  });

  it('says so in a sentence and exits with 1 where another holds the state directory', async () => {
    const directory = join(await temporaryFolder(), 'state');
    const args = ['serve', '--sandbox', `--state.dir=${directory}`];
    const first = await start({ args });
    const second = await runExporter({ args: [...args, '--web.listen-address=127.0.0.1:0'] });
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/^error: the state directory .* is in use by another edge-exporter, or/m);
    expect((await first.scrape()).status).toBe(200);
  });

  // In /proc, Node.js' own recursive mkdir never returns.
  it.runIf(process.platform === 'linux')('begins where a file system has no room for its state', async () => {
    const exporter = await start({ args: ['serve', '--sandbox', '--state.dir=/proc/no/such/place'] });
    await exporter.ready();
    expect(exporter.process.stderr()).toContain('the state directory /proc/no/such/place cannot be used');
  });
});

describe('the output of a command', () => {
  it('that is cut off, as where a disk becomes full in the middle, is a failure: rules that are cut off are none', async () => {
    // The limit lets the first 64 KiB pass.
    const limited = `trap '' XFSZ; ulimit -f 64; exec "$1" "$2" rules > "$3"`;
    const file = join(await temporaryFolder(), 'rules.yml');
    const { code, stderr } = await runToEnd({
      path: 'bash',
      args: ['-c', limited, '-', process.execPath, MAIN, file],
    });
    expect([stderr, code]).toEqual([expect.stringMatching(/^error: the output cannot be written: EFBIG/), 1]);
  });
});
