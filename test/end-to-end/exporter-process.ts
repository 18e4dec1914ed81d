import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';
import { type Ending, type RunningProcess, startProcess } from './child-process.ts';
import type { MemoryLimit } from './memory-limit.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'main.js');

const ACCEPT = {
  text: 'text/plain;version=0.0.4',
  openmetrics: 'application/openmetrics-text;version=1.0.0',
} as const;

/** Options for an exporter on the loopback interface. */
export interface ExporterOptions {
  /** Command and flags, for instance `['serve', '--sandbox']`. */
  readonly args?: readonly string[];
  /** Environment of the process; only PATH is added. Nothing of the machine's environment leaks in. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Memory limit; undefined: none. */
  readonly memory?: MemoryLimit;
  readonly port?: number;
  readonly answers?: (address: string) => Promise<boolean>;
}

/** Placeholder for the address of a process that has ended, so that no caller waits for an address. */
const ENDED = 'ended';

/** Response of `/metrics`. */
export interface Scrape {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Process of the built exporter. */
export interface ExporterProcess {
  readonly url: string;
  /** Scrape target, `host:port`. */
  readonly target: string;
  readonly process: RunningProcess;
  readonly scrape: (format?: keyof typeof ACCEPT) => Promise<Scrape>;
  /** Waits until `/-/ready` answers 200, that is, until every account has been polled once. */
  readonly ready: () => Promise<void>;
  /** Sends a signal, and waits for the end of the process. */
  readonly kill: (signal: NodeJS.Signals) => Promise<Ending>;
  readonly stop: () => Promise<Ending>;
}

/** Runs the built exporter until it ends, for commands other than `serve` and for failures at the start. */
export async function runExporter(options: ExporterOptions): Promise<Ending> {
  return (await launchExporter(options)).ended;
}

/** Starts the built exporter, and waits until it answers. */
export async function startExporter(options: ExporterOptions = {}): Promise<ExporterProcess> {
  const { args = [], port = 0, answers = isHealthy } = options;
  const exporter = await launchExporter({
    ...options,
    args: [...args, `--web.listen-address=127.0.0.1:${port}`],
  });
  try {
    const url = await eventually(
      'the exporter answers',
      async () => (exporter.running() ? answeringAddress(exporter, answers) : ENDED),
      { evidence: exporter.output },
    );
    if (url === ENDED) {
      const { stdout, stderr } = await exporter.ended;
      throw new Error(`the exporter ended:\n${stdout}${stderr}`);
    }
    return {
      url,
      target: new URL(url).host,
      process: exporter,
      scrape: (format = 'text') => scrape(url, format),
      async ready() {
        await eventually('the exporter is ready', async () => (await fetch(`${url}/-/ready`)).ok, {
          evidence: exporter.output,
        });
      },
      kill(signal) {
        exporter.kill(signal);
        return exporter.ended;
      },
      stop: exporter.stop,
    };
  } catch (error) {
    await exporter.stop();
    throw error;
  }
}

/** Starts the built exporter without waiting for an answer. */
export async function launchExporter({
  args = [],
  env,
  cwd,
  memory,
}: ExporterOptions): Promise<RunningProcess> {
  if (!existsSync(MAIN)) throw new Error('the exporter is not built: npm run build');
  const { command = [], nodeFlags = [] } = memory ?? {};
  const [path = process.execPath, ...rest] = [...command, process.execPath, ...nodeFlags, MAIN, ...args];
  return startProcess({
    path,
    args: rest,
    env: { PATH: process.env['PATH'], ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
}

async function answeringAddress(
  exporter: RunningProcess,
  answers: (address: string) => Promise<boolean>,
): Promise<string | undefined> {
  const address = listeningAddress(exporter.output());
  return address !== undefined && (await answers(address)) ? address : undefined;
}

async function isHealthy(address: string): Promise<boolean> {
  return (await fetch(`${address}/-/healthy`)).ok;
}

/**
 * Returns the address in the log line `listening` (logfmt or JSON), without a slash at the end; undefined if
 * there is none.
 */
export function listeningAddress(log: string): string | undefined {
  const line = log.split('\n').find((text) => /\bmsg=("?)listening\1(\s|$)|"msg":"listening"/.test(text));
  return /\baddress(?:=|":)"?(https?:\/\/[^"\s,}]+)/.exec(line ?? '')?.[1]?.replace(/\/$/, '');
}

async function scrape(url: string, format: keyof typeof ACCEPT): Promise<Scrape> {
  const response = await fetch(`${url}/metrics`, { headers: { Accept: ACCEPT[format] } });
  return {
    status: response.status,
    contentType: response.headers.get('Content-Type') ?? '',
    body: await response.text(),
  };
}
