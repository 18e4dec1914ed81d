import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';
import { type RunningProcess, startProcess } from './child-process.ts';
import { freePort } from './free-port.ts';
import { type Tool, toolPath } from './tools.ts';

/** Server process of the Prometheus family. Its temporary folder is removed when the test finishes. */
export interface ServerProcess {
  /** Address of the server, without a slash at the end. */
  readonly url: string;
  readonly folder: string;
  readonly process: RunningProcess;
  readonly stop: () => Promise<void>;
}

/** Server to start. `args` depends on the address `127.0.0.1:port` and on the server's folder. */
export interface ServerOptions {
  readonly tool: Tool;
  readonly args: (address: string, folder: string) => Promise<readonly string[]>;
  readonly cwd?: string | undefined;
  /** Path that answers 200 when the server is ready. */
  readonly ready: string;
}

const TRIES = 5;

const ECONOMICAL = { GOGC: '400', GOMEMLIMIT: '512MiB', GOMAXPROCS: '1' };

/**
 * Starts a server on a free port, and waits until it is ready. The message of a failure includes the server's
 * output.
 */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryToStart(options);
    } catch (error) {
      const portTaken = error instanceof Error && error.message.includes('address already in use');
      if (!portTaken || attempt === TRIES) throw error;
    }
  }
}

async function tryToStart({ tool, args, cwd, ready }: ServerOptions): Promise<ServerProcess> {
  const path = toolPath(tool);
  const address = `127.0.0.1:${await freePort()}`;
  const folder = await mkdtemp(join(tmpdir(), `${tool}-`));
  const running = await startProcess({
    path,
    args: await args(address, folder),
    cwd: cwd ?? folder,
    env: { ...process.env, ...ECONOMICAL },
  });
  const stop = async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await eventually(`${tool} is ready`, () => !running.running() || isReady(`http://${address}${ready}`), {
      evidence: running.output,
    });
    if (!running.running()) {
      const { stdout, stderr } = await running.ended;
      throw new Error(`${tool} ended:\n${stdout}${stderr}`);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `http://${address}`, folder, process: running, stop };
}

async function isReady(url: string): Promise<boolean> {
  return (await fetch(url)).ok;
}
