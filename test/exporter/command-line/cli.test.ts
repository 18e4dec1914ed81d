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
  ['--log.level=debug check-config', 'check-config'],
  ['--config.file a.yaml plan', 'plan'],
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
  ['--conifg.file=a.yaml', 'unknown flag --conifg.file; did you mean "--config.file"?'],
  ['--conifg.file a.yaml', 'unknown flag --conifg.file; did you mean "--config.file"?'],
  ['--no-sandbx', 'unknown flag --no-sandbx; did you mean "--sandbox"?'],
  ['-x', 'unknown flag -x'],
  ['--helpp', 'unknown flag --helpp; did you mean "--help"?'],
  ['--__proto__', 'unknown flag --__proto__'],
  ['sevre', 'unknown command "sevre"; did you mean "serve"?'],
  ['constructor', 'unknown command "constructor"'],
  ['help sevre', 'unknown command "sevre"; did you mean "serve"?'],
  ['serve check-config', 'unexpected argument "check-config"'],
  ['serve -- --sandbox', 'unexpected argument "--sandbox"'],
  ['--config.file', 'flag --config.file needs a value: --config.file=<file>'],
  ['--config.file --sandbox', 'flag --config.file needs a value: --config.file=<file>'],
  ['--no-config.file', 'flag --config.file needs a value: --config.file=<file>'],
  ['check-config --sandbox', 'flag --sandbox does not belong to check-config'],
  [
    'plan --offline --offline.counts=domains=1000001',
    'flag --offline.counts: expected counts of at most 1000000, such as "10" or "10,edge_applications=40"',
  ],
])('%s is refused: %s', (line, problem) => {
  expect(problems(line)).toEqual([problem]);
});

test.each([
  ['--help', undefined],
  ['-h', undefined],
  ['help', undefined],
  ['help plan', 'plan'],
  ['plan --help', 'plan'],
  ['plan -h --json', 'plan'],
  ['plan --log.level=loud --help', 'plan'],
])('%s asks for help', (line, command) => {
  expect(parse(line)).toEqual({ kind: 'help', command });
});

test.each(['--version', 'serve --version', 'plan --json --version'])('%s asks for the version', (line) => {
  expect(parse(line)).toEqual({ kind: 'version' });
});

test('check-config takes its file as a word, and version is a word too', () => {
  expect(flags('check-config a.yaml')['config.file']).toBe('a.yaml');
  expect(problems('check-config a.yaml b.yaml')).toEqual(['unexpected argument "b.yaml"']);
  expect(problems('check-config --config.file=a.yaml b.yaml')).toEqual(['unexpected argument "b.yaml"']);
  expect(parse('version')).toEqual({ kind: 'version' });
});
