import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Client } from 'undici';
import type { BlockCommand } from './block-watch.ts';
import { pause, sum } from './statistics.ts';

/** Process that serves a page for scrapes. */
export interface Server {
  readonly name: string;
  readonly url: string;
  readonly child: ChildProcess;
  readonly client: Client;
}

const started = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});

function endingWithThis(child: ChildProcess): ChildProcess {
  started.add(child);
  child.once('exit', () => started.delete(child));
  return child;
}

/** Starts a process with a role from `roles.ts`, and waits for its port. */
export async function startRole(name: string, argument: string): Promise<Server> {
  const child = endingWithThis(fork(fileURLToPath(new URL('roles.js', import.meta.url)), [name, argument]));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const url = `http://127.0.0.1:${port}`;
  return { name, url, child, client: new Client(url) };
}

/**
 * Starts a program with a free port, and waits until it answers.
 * @param told `ipc` opens a channel for commands to the program; undefined opens none
 */
export async function startProgram(
  name: string,
  path: string,
  args: (address: string) => readonly string[],
  told?: 'ipc',
): Promise<Server> {
  const address = `127.0.0.1:${await freePort()}`;
  const stdio = ['ignore', 'ignore', 'inherit', told ?? 'ignore'] as const;
  const child = endingWithThis(spawn(path, args(address), { stdio: [...stdio] }));
  const url = `http://${address}`;
  const client = new Client(url);
  for (let attempt = 0; ; attempt++) {
    try {
      await scrape(client);
      return { name, url, child, client };
    } catch (error) {
      if (attempt > 300 || child.exitCode !== null) throw error;
      await pause(100);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

export async function stop({ child, client }: Server): Promise<void> {
  child.kill('SIGKILL');
  await client.destroy();
}

export interface Scrape {
  /** Time (ms) until the last byte of the answer. */
  readonly ms: number;
  readonly body: Buffer;
}

/** Scrapes a server with compression. */
export async function scrape(client: Client): Promise<Scrape> {
  const from = performance.now();
  const headers = { 'accept-encoding': 'gzip', accept: 'text/plain;version=0.0.4' };
  const { body, statusCode } = await client.request({ path: '/metrics', method: 'GET', headers });
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece as Buffer);
  const ms = performance.now() - from;
  if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
  return { ms, body: Buffer.concat(pieces) };
}

/** Returns the uncompressed page of a server. */
export async function page(client: Client): Promise<string> {
  const { body } = await scrape(client);
  return (body[0] === 0x1f ? gunzipSync(body) : body).toString();
}

/** Returns the sum of a metric's series. */
export function totalIn(text: string, name: string): number {
  const values = text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'));
  return sum([...values].map(([, value]) => Number(value)));
}

/** Starts to watch the event loop of an exporter. */
export function watchBlocks({ child }: Server): void {
  child.send('watch' satisfies BlockCommand);
}

/** Returns the longest block (ms) of the event loop since the last request for it. */
export async function longestBlock({ child }: Server): Promise<number> {
  const told = once(child, 'message');
  child.send('tell' satisfies BlockCommand);
  const [{ longest }] = (await told) as [{ longest: number }];
  return longest;
}

/**
 * Returns the CPU time (ms) of all threads of a process. The kernel's per-thread figures are precise to the
 * nanosecond; the process figure has ticks of 10 ms.
 */
export function cpuOf({ child }: Pick<Server, 'child'>): number {
  const threads = `/proc/${child.pid}/task`;
  return sum(readdirSync(threads).map((thread) => cpuOfThread(join(threads, thread)))) / 1e6;
}

function cpuOfThread(folder: string): number {
  try {
    return Number(readFileSync(join(folder, 'schedstat'), 'utf8').split(' ')[0]);
  } catch {
    // The thread has just ended.
    return 0;
  }
}

/** Returns the resident memory (bytes) of a process. */
export function rssOf({ child }: Server): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
