import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/exporter/configuration/config.ts';
import { beginProgram } from '../commands/call-program.ts';
import { temporaryFolder } from './config-file.ts';
import { launchExporter } from './exporter-process.ts';

async function namedPipe(): Promise<string> {
  const pipe = join(await temporaryFolder(), 'exporter.yaml');
  execFileSync('mkfifo', [pipe]);
  return pipe;
}

// Windows has no named pipes in its file system.
describe.skipIf(process.platform === 'win32')('a configuration in a named pipe', () => {
  it('is read', async () => {
    const file = await namedPipe();
    const account = 'accounts: [{ name: a, api_url: https://api.example.net, token: t }]';
    const [loaded] = await Promise.all([loadConfig({ file, env: {} }), writeFile(file, account)]);
    expect(loaded.ok).toBe(true);
  });

  it('into which nobody writes is not waited for by a process that is asked to end', async () => {
    const pipe = await namedPipe();
    const ending = new AbortController();
    const { exitCode, err } = beginProgram(['serve', `--config.file=${pipe}`], { signal: ending.signal });
    ending.abort();
    expect(await exitCode).toBe(0);
    expect(err()).toContain('msg=stopping');
    await writeFile(pipe, 'accounts: []');
  });

  it('holds no other command that is asked to end, either', async () => {
    const pipe = await namedPipe();
    const checking = await launchExporter({ args: ['check-config', pipe] });
    // Waits until the program reads the pipe. Before that, a signal ends it in any case.
    await sleep(1_000);
    checking.kill('SIGTERM');
    expect(await checking.ended).toMatchObject({ code: null, signal: 'SIGTERM' });
  });
});
