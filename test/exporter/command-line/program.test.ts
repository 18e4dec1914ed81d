import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Commands, Invocation } from '../../../src/exporter/command-line/command.ts';
import { EXIT } from '../../../src/exporter/command-line/command.ts';
import { type Circumstances, callProgram } from '../../commands/call-program.ts';

const call = (args: string[], circumstances: Omit<Circumstances, 'env'> = {}) =>
  callProgram(args, { env: { EDGE_EXPORTER_LOG_FORMAT: 'json' }, ...circumstances });

const EXAMPLE = join(import.meta.dirname, '../../../config/exporter.yaml');

test('the version is that of the package', async () => {
  const { exitCode, out } = await call(['--version']);
  expect(exitCode).toBe(EXIT.ok);
  expect(out).toMatch(/^edge-exporter \d+\.\d+\.\d+\S* \(node v\d+/);
});

test('help goes to stdout', async () => {
  expect(await call(['help', 'check-config'])).toMatchObject({
    exitCode: EXIT.ok,
    out: expect.stringContaining('--config.file'),
    err: '',
  });
  expect((await call(['--help'])).out).toContain('Commands');
});

test('a wrong command line says why, on stderr, and ends with 2', async () => {
  expect(await call(['--conifg.file=x'])).toEqual({
    exitCode: EXIT.misused,
    out: '',
    err: "edge-exporter: unknown option '--conifg.file' (Did you mean --config.file?)\nTry: edge-exporter --help\n",
  });
});

test.each([
  ['-web.listen-address=:9801', 'web.listen-address'],
  ['-config.file', 'config.file'],
  ['-help', 'help'],
  ['-nonsense', 'nonsense'],
])('one dash, as in %s, is named as the mistake', async (typed, name) => {
  const err = `edge-exporter: unknown flag -${name}: flags begin with two dashes: --${name}\nTry: edge-exporter --help\n`;
  expect(await call(['serve', typed])).toEqual({ exitCode: EXIT.misused, out: '', err });
});

test('-h stays what it is', async () => {
  expect(await call(['-h'])).toMatchObject({ exitCode: EXIT.ok, err: '' });
});

test('a variable that looks like a flag and is none is a warning, but for those of Kubernetes', async () => {
  const env = {
    EDGE_EXPORTER_STATE_DRI: '/state',
    EDGE_EXPORTER_STATE_DIR: '/state',
    EDGE_EXPORTER_SERVICE_HOST: '10.0.0.1',
    EDGE_EXPORTER_PORT: 'tcp://10.0.0.1:9801',
    EDGE_EXPORTER_PORT_9801_TCP_ADDR: '10.0.0.1',
  };
  const { exitCode, err } = await callProgram(['check-config', EXAMPLE], { env });
  expect(exitCode).toBe(EXIT.ok);
  const said = 'the environment variable EDGE_EXPORTER_STATE_DRI gives no flag and is ignored';
  const lines = err.split('\n').filter((line) => line.includes('EDGE_EXPORTER'));
  expect(lines).toEqual([`warning: ${said}; did you mean "EDGE_EXPORTER_STATE_DIR"?`]);
});

test('a variable of a flag in quotes is refused, since they would belong to the value', async () => {
  const { exitCode, err } = await callProgram(['check-config', EXAMPLE], {
    env: { EDGE_EXPORTER_LOG_FORMAT: '"json"' },
  });
  expect(exitCode).toBe(EXIT.misused);
  expect(err).toContain(
    'environment variable EDGE_EXPORTER_LOG_FORMAT is in quotes, which belong to the value',
  );
});

test('what was typed neither acts on the terminal nor makes lines of its own', async () => {
  const typed = '\r\u001b[K\n  forged\u202e';
  const shown = String.raw`\u000d\u001b[K\n  forged\u202e`;
  for (const args of [[typed], ['help', typed], [`--${typed}`]]) {
    const { err } = await call(args);
    expect(err).toContain(shown);
    expect(err).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}|^\s*forged/mu);
  }
});

test('a command is called with its flags', async () => {
  const { exitCode, out } = await call(['check-config', `--config.file=${EXAMPLE}`]);
  expect(exitCode).toBe(EXIT.ok);
  expect(out).toContain('account production');
});

test('a command that breaks is logged with its stack and ends with 1', async () => {
  const commands: Commands = {
    plan: {
      summary: 'Break.',
      load: async () => async () => {
        throw new Error('unforeseen');
      },
    },
  };
  const { exitCode, err } = await call(['plan'], { commands });
  expect(exitCode).toBe(EXIT.failed);
  expect(JSON.parse(err)).toMatchObject({
    level: 'error',
    err: 'unforeseen',
    stack: expect.stringContaining('program.test.ts'),
  });
});

test('a command that ends because it is asked to is no bug', async () => {
  const ending = AbortSignal.abort();
  const commands: Commands = {
    plan: {
      summary: 'End.',
      load:
        async () =>
        async ({ signal }) =>
          Promise.reject(signal.reason),
    },
  };
  expect(await call(['plan'], { commands, signal: ending })).toEqual({
    exitCode: EXIT.failed,
    out: '',
    err: '',
  });
});

test.each(['check-config', 'plan', 'doctor', 'backfill', 'rehearse'] as const)(
  'what the platform calls its things shows in the output of %s, and does nothing to the terminal',
  async (name) => {
    const commands: Commands = {
      [name]: {
        summary: 'Say a name.',
        load:
          async () =>
          async ({ stdout, stderr }: Invocation<'plan'>) => {
            for (const output of [stdout, stderr]) output.write('shop\u001b[2J\u202egnp.exe\n');
            return EXIT.ok;
          },
      },
    };
    const { out, err } = await call([name], { commands });
    for (const text of [out, err]) expect(text).toBe('shop\\u001b[2J\\u202egnp.exe\n');
  },
);
