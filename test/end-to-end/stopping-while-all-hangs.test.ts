import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { served } from '../served.ts';
import { configFile, temporaryFolder } from './config-file.ts';
import { launchExporter, listeningAddress, startExporter } from './exporter-process.ts';
import { timeToEnd } from './time-to-end.ts';

const ACCOUNTS = 300;

async function silentPlatform() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).resume());
  });
  const port = await served(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { url: `http://127.0.0.1:${port}`, connections: () => sockets.size };
}

async function hangingState(): Promise<string> {
  const directory = await temporaryFolder();
  const exporter = await startExporter({ args: ['serve', '--sandbox', `--state.dir=${directory}`] });
  await exporter.stop();
  await rm(join(directory, 'state.db'));
  execFileSync('mkfifo', [join(directory, 'state.db')]);
  return directory;
}

it('ends within 5 s of SIGTERM although its disk and the platforms of 300 accounts hang', async () => {
  const platform = await silentPlatform();
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ({
    name: `account-${index}`,
    api_url: platform.url,
    username: 'operator',
    password: 'a password',
  }));
  const { path } = await configFile({ accounts });
  const exporter = await launchExporter({
    args: [
      `--config.file=${path}`,
      '--web.listen-address=127.0.0.1:0',
      `--state.dir=${await hangingState()}`,
    ],
  });
  onTestFinished(async () => exporter.kill('SIGKILL'));
  const limit = { evidence: exporter.output };
  await eventually('it listens', () => listeningAddress(exporter.output()), limit);
  await eventually('every account waits for an answer', () => platform.connections() >= ACCOUNTS, limit);
  const { ending, ms } = await timeToEnd(exporter, 'SIGTERM');
  // The database thread hangs, and the exporter does not wait for it.
  expect(ending).toMatchObject({ code: 0, signal: null });
  expect(ms).toBeLessThan(5_000);
});
