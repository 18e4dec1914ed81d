import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/exporter/configuration/config.ts';
import { runToEnd } from './child-process.ts';
import { configFile, temporaryFolder } from './config-file.ts';
import { systemdEnvironment } from './systemd-environment.ts';
import { toolPath } from './tools.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const UNIT = join(ROOT, 'config/systemd/edge-exporter.service');

async function analyze(args: readonly string[]): Promise<string> {
  const path = toolPath('systemd-analyze');
  const { code, stdout, stderr } = await runToEnd({ path, args, env: systemdEnvironment(path) });
  if (code !== 0) throw new Error(stdout + stderr);
  return stdout + stderr;
}

async function valuesOf(key: string): Promise<string[]> {
  const text = await readFile(UNIT, 'utf8');
  return [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

it('systemd finds nothing wrong with the unit', async () => {
  // The program is not installed here, and systemd checks whether it exists.
  const here = (await readFile(UNIT, 'utf8')).replace(
    '/opt/edge-exporter/bin/edge-exporter',
    process.execPath,
  );
  const file = join(await temporaryFolder(), 'edge-exporter.service');
  await writeFile(file, here);
  expect(await analyze(['verify', '--man=no', file])).toBe('');
});

it('systemd finds little exposed: 1.3 where 10 is everything', async () => {
  const report = await analyze(['security', '--offline=true', '--no-pager', UNIT]);
  const level = Number(/Overall exposure level .*: (\d+\.\d)/.exec(report)?.[1]);
  expect(level, report).toBeLessThan(2);
});

it('starts what the commands above it install', async () => {
  const [, prefix = ''] = /npm install --global --prefix (\S+) /.exec(await readFile(UNIT, 'utf8')) ?? [];
  const { bin } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { bin: object };
  const [command = ''] = await valuesOf('ExecStart');
  const programs = Object.keys(bin).map((name) => `${prefix}/bin/${name}`);
  expect(programs.map((program) => `/usr/bin/env node --no-memory-reducer ${program}`)).toContain(
    command.replace(/ serve .*/, ''),
  );
});

it('a restart does not try a wrong configuration again', async () => {
  expect(await valuesOf('RestartPreventExitStatus')).toEqual(['2']);
});

it("the configuration finds the token where systemd puts it, and the state is the service's own", async () => {
  const [credential] = await valuesOf('LoadCredential');
  expect(credential).toMatch(/^token:\//);
  const { path } = await configFile(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the reference is the configuration's.
    'accounts: [{ name: a, api_url: "https://api.example.net", token_file: "${CREDENTIALS_DIRECTORY}/token" }]',
  );
  const loaded = await loadConfig({ file: path, env: { CREDENTIALS_DIRECTORY: '/run/credentials/edge' } });
  expect(loaded).toMatchObject({
    config: { accounts: [{ credentials: { path: '/run/credentials/edge/token' } }] },
  });
  const [directory] = await valuesOf('StateDirectory');
  expect(await valuesOf('Environment')).toEqual([`EDGE_EXPORTER_STATE_DIR=%S/${directory}`]);
});
