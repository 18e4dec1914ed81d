import { expect, test } from 'vitest';
import { type Commands, EXIT } from '../../../src/exporter/command-line/command.ts';
import type { CommandName } from '../../../src/exporter/command-line/flags.ts';
import { parseCommandLine } from '../../../src/exporter/command-line/program.ts';

const entry = { summary: 'Something.', load: async () => async () => EXIT.ok };
const COMMANDS: Commands = { serve: entry, 'check-config': entry, plan: entry, backfill: entry };

function parse(line: string, env: Record<string, string> = {}) {
  return parseCommandLine(line === '' ? [] : line.split(' '), env, COMMANDS);
}

function flags(line: string, env: Record<string, string> = {}): Record<string, unknown> {
  const request = parse(line, env);
  if (request.kind !== 'run') throw new Error(JSON.stringify(request));
  return { ...request.flags };
}

function problems(line: string, env: Record<string, string> = {}) {
  const request = parse(line, env);
  return request.kind === 'wrong' ? request.problems : [];
}

test('without a word it serves, with the defaults', () => {
  expect(parse('')).toEqual({
    kind: 'run',
    command: 'serve',
    flags: {
      'config.file': undefined,
      'web.listen-address': [':9801'],
      'web.enable-lifecycle': false,
      'web.allowed-hosts': undefined,
      'config.enable-auto-reload': false,
      'config.auto-reload-interval': 30_000,
      'web.telemetry-path': '/metrics',
      'web.config.file': undefined,
      'state.dir': undefined,
      'state.required': false,
      sandbox: false,
      'sandbox.seed': 1,
      'log.level': 'info',
      'log.format': 'logfmt',
    },
  });
});

test.each<[string, CommandName]>([
  ['serve --sandbox', 'serve'],
  ['--sandbox', 'serve'],
  ['check-config --log.level=debug', 'check-config'],
  ['plan --config.file a.yaml', 'plan'],
])('%s runs %s', (line, command) => {
  expect(parse(line)).toMatchObject({ kind: 'run', command });
});

test('a value follows an equals sign or a space; of several the last counts', () => {
  expect(flags('--config.file=a.yaml')['config.file']).toBe('a.yaml');
  expect(flags('--config.file a.yaml')['config.file']).toBe('a.yaml');
  expect(flags('--config.file=a.yaml --config.file=b=c.yaml')['config.file']).toBe('b=c.yaml');
});

test('a switch is on, off or given a value', () => {
  expect(flags('--sandbox')['sandbox']).toBe(true);
  expect(flags('--sandbox --no-sandbox')['sandbox']).toBe(false);
  expect(flags('--sandbox=false')['sandbox']).toBe(false);
});

test('the environment gives what the command line leaves out', () => {
  const env = {
    EDGE_EXPORTER_LOG_LEVEL: 'debug',
    EDGE_EXPORTER_SANDBOX: 'true',
    EDGE_EXPORTER_STATE_DIR: '',
  };
  expect(flags('--log.level=warn', env)).toMatchObject({
    'log.level': 'warn',
    sandbox: true,
    'state.dir': undefined,
  });
  expect(flags('', env)['log.level']).toBe('debug');
});

test('an empty value is none', () => {
  expect(problems('--config.file=')).toEqual(['flag --config.file: expected a value']);
});

test('wrong values are told together, by where they come from and without repeating them', () => {
  expect(
    problems('--log.level=loud --web.listen-address=9801', { EDGE_EXPORTER_SANDBOX: 'perhaps' }),
  ).toEqual([
    'flag --web.listen-address: expected an address such as ":9801" or "127.0.0.1:9801"',
    'environment variable EDGE_EXPORTER_SANDBOX: expected true or false',
    'flag --log.level: expected debug, info, warn, error',
  ]);
});

test.each([
  ['--conifg.file=a.yaml', "unknown option '--conifg.file' (Did you mean --config.file?)"],
  ['--conifg.file a.yaml', "unknown option '--conifg.file' (Did you mean --config.file?)"],
  ['help sevre', 'unknown command "sevre"; did you mean "serve"?'],
  ['-x', "unknown option '-x'"],
  ['--__proto__=secret', "unknown option '--__proto__'"],
  ['-config.file=a', 'unknown flag -config.file: flags begin with two dashes: --config.file'],
  ['sevre', 'unknown command "sevre"; did you mean "serve"?'],
  ['constructor', 'unknown command "constructor"'],
  ['serve check-config', "too many arguments for 'serve'. Expected 0 arguments but got 1."],
  ['--config.file', "option '--config.file <file>' argument missing"],
  ['--no-config.file', "unknown option '--no-config.file' (Did you mean --config.file?)"],
  ['check-config --sandbox', "unknown option '--sandbox'"],
  [
    'plan --offline --offline.counts=domains=1000001',
    'flag --offline.counts: expected counts of at most 1000000, such as "10" or "10,edge_applications=40"',
  ],
])('%s is refused: %s', (line, problem) => {
  expect(problems(line)).toEqual([problem]);
});

test.each([
  ['--help', 'Commands:'],
  ['-h', 'Commands:'],
  ['help', 'Commands:'],
  ['help plan', 'edge-exporter plan'],
  ['plan --help', 'edge-exporter plan'],
  ['plan --log.level=loud --help', 'edge-exporter plan'],
  ['--version', 'edge-exporter 0'],
])('%s shows %s', (line, text) => {
  expect(parse(line)).toEqual({ kind: 'shown', text: expect.stringContaining(text) });
});

test('check-config takes its file as a word', () => {
  expect(flags('check-config a.yaml')['config.file']).toBe('a.yaml');
  expect(problems('check-config a.yaml b.yaml')).toHaveLength(1);
});
