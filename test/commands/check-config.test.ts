import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/command-line/command.ts';
import { checkConfig } from '../../src/commands/check-config.ts';
import { createLogger } from '../../src/logging/log.ts';

async function check(file: string | undefined, env: Record<string, string> = {}, isTTY = false) {
  const out: string[] = [];
  const err: string[] = [];
  const stdout = { write: (text: string) => out.push(text) };
  const stderr = { write: (text: string) => err.push(text), isTTY };
  const exitCode = await checkConfig({
    flags: { 'config.file': file, 'log.level': 'info', 'log.format': 'logfmt' },
    env,
    stdout,
    stderr,
    signal: new AbortController().signal,
    logging: createLogger({ level: 'info', format: 'logfmt', destination: stderr }),
  });
  return { exitCode, out: out.join(''), err: err.join('') };
}

const EXAMPLE = join(import.meta.dirname, '../../config/exporter.yaml');
const BROKEN = join(import.meta.dirname, '../config/unknown-key.yaml');
const ISSUE = `${BROKEN}:6:5: accounts[0].colectors: unknown key; did you mean "collectors"?`;

test('a good file is summarised: accounts, collectors, products and schedules', async () => {
  const { exitCode, out, err } = await check(EXAMPLE);
  expect({ exitCode, err }).toEqual({ exitCode: EXIT.ok, err: '' });
  expect(out).toBe(`${EXAMPLE}: ok
account production at https://api.example.net, by token_file
  metrics (* * * * *): edge_applications, edge_functions
  analytics (* * * * *): cloud_storage, live_ingest, media_packager
  domains (*/10 * * * *)
  digital_certificates (*/30 * * * *)
  edge_applications (*/10 * * * *)
  edge_functions (*/10 * * * *)
  edge_firewalls (*/5 * * * *)
  firewall_rulesets (*/10 * * * *)
  waf_rulesets (*/5 * * * *)
  network_lists (*/10 * * * *)
  hosted_zones (*/10 * * * *)
  error_responses (*/15 * * * *)
`);
});

test('mistakes go to stderr, one a line, and the command ends with 2', async () => {
  expect(await check(BROKEN)).toEqual({ exitCode: EXIT.misused, out: '', err: `error: ${ISSUE}\n` });
});

test('a terminal gets colours, unless NO_COLOR asks for none', async () => {
  expect((await check(BROKEN, {}, true)).err).toBe(`\u001b[31merror\u001b[0m: ${ISSUE}\n`);
  expect((await check(BROKEN, { NO_COLOR: '1' }, true)).err).toBe(`error: ${ISSUE}\n`);
});

test('without a file the environment is checked', async () => {
  const env = { EDGE_API_URL: 'https://api.example.net', EDGE_TOKEN: 's3cret-value' };
  const { exitCode, out, err } = await check(undefined, env);
  expect(exitCode).toBe(EXIT.ok);
  expect(out).toContain('environment: ok\naccount default at https://api.example.net, by token\n');
  expect(out + err).not.toContain('s3cret');
  expect(await check(undefined)).toMatchObject({
    exitCode: EXIT.misused,
    err: expect.stringContaining('nothing is configured'),
  });
});
