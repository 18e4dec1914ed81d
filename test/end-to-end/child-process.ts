import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Command to run. */
export interface Command {
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Complete environment of the process; undefined: that of the test process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string | Uint8Array;
}

/** End of a process. `code` is null if a signal ended it. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Running process. It ends with the test process at the latest. */
export interface RunningProcess {
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Returns stdout and stderr, as evidence in the message of a failure. */
  readonly output: () => string;
  readonly running: () => boolean;
  readonly ended: Promise<Ending>;
  readonly kill: (signal?: NodeJS.Signals) => void;
  /** Asks the process to end, kills it after 10 s, and waits for its end. */
  readonly stop: () => Promise<Ending>;
}

const EXIT_TIMEOUT_MS = 10_000;

/**
 * Starts a program.
 * @throws if the program cannot be started
 */
export async function startProcess({ path, args, cwd, env, stdin }: Command): Promise<RunningProcess> {
  const child = spawn(path, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: env ?? process.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const letGo = takeAlong(child);
  const ended = ending(child).finally(letGo);
  await Promise.race([once(child, 'spawn'), ended]);
  // A process that ends without reading its input closes the pipe, which is not a failure.
  child.stdin.on('error', () => undefined).end(stdin);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const whole = ended.then((end): Ending => ({ ...end, stdout: stdout(), stderr: stderr() }));
  return {
    pid: child.pid ?? 0,
    stdout,
    stderr,
    output: () => `${stdout()}${stderr()}`,
    running: () => child.exitCode === null && child.signalCode === null,
    ended: whole,
    kill: (signal = 'SIGTERM') => void child.kill(signal),
    async stop() {
      child.kill('SIGTERM');
      const timeout = setTimeout(() => child.kill('SIGKILL'), EXIT_TIMEOUT_MS);
      return whole.finally(() => clearTimeout(timeout));
    },
  };
}

/** Runs a program until it ends. */
export async function runToEnd(command: Command): Promise<Ending> {
  return (await startProcess(command)).ended;
}

function takeAlong(child: ChildProcess): () => void {
  const kill = () => void child.kill('SIGKILL');
  // vitest ends its workers with this signal, and Node.js would skip the exit handlers.
  const exit = () => process.exit(143);
  process.once('exit', kill).once('SIGTERM', exit);
  return () => void process.off('exit', kill).off('SIGTERM', exit);
}

function ending(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}
