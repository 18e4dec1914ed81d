import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Client } from 'undici';
import { monotonicMs, pause, sum } from './statistics.ts';

/** A process that serves a page to be scraped. */
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

/** Ends the process with this one, also where a benchmark fails before it stops what it started. */
function endingWithThis(child: ChildProcess): ChildProcess {
  started.add(child);
  child.once('exit', () => started.delete(child));
  return child;
}

/** One of this folder's own processes. */
export function forkRole(name: string, argument: string): ChildProcess {
  return endingWithThis(fork(fileURLToPath(new URL('scrape-roles.js', import.meta.url)), [name, argument]));
}

/** One of them that serves a page, once it has told its port. */
export async function startRole(name: string, argument: string): Promise<Server> {
  const child = forkRole(name, argument);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const url = `http://127.0.0.1:${port}`;
  return { name, url, child, client: new Client(url) };
}

/**
 * A program that listens on a port it is given.
 * @param told how it is told anything while it runs; not at all by default
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

/**
 * Has all threads of a process go before those of others, so that what else the machine does is hardly a part of what it
 * measures of itself. By no real-time priority: in each second in which others starve Linux takes 50 ms from who has one,
 * and from the collector's threads, for which the main thread waits. False where it is not allowed.
 */
export function raiseAboveOthers({ child }: Server): boolean {
  try {
    for (const thread of readdirSync(`/proc/${child.pid}/task`)) setPriority(Number(thread), -20);
    return true;
  } catch {
    return false;
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
  /** When it began, by the clock that all processes share, and how long it took (ms) to its last byte. */
  readonly at: number;
  readonly ms: number;
  readonly body: Buffer;
}

/** A compressed scrape. */
export async function scrape(client: Client): Promise<Scrape> {
  const at = monotonicMs();
  const from = performance.now();
  const headers = { 'accept-encoding': 'gzip', accept: 'text/plain;version=0.0.4' };
  const { body, statusCode } = await client.request({ path: '/metrics', method: 'GET', headers });
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece as Buffer);
  const ms = performance.now() - from;
  if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
  return { at, ms, body: Buffer.concat(pieces) };
}

/** The page as text. */
export async function page(client: Client): Promise<string> {
  const { body } = await scrape(client);
  return (body[0] === 0x1f ? gunzipSync(body) : body).toString();
}

/** The value of a series without labels. */
export function valueIn(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

/** CPU time (ms) that the threads of a process have used, to the nanosecond: its own clock has ticks of 10 ms. */
export function cpuOf({ child }: Pick<Server, 'child'>): number {
  const threads = `/proc/${child.pid}/task`;
  return sum(readdirSync(threads).map((thread) => cpuOfThread(join(threads, thread)))) / 1e6;
}

function cpuOfThread(folder: string): number {
  try {
    return Number(readFileSync(join(folder, 'schedstat'), 'utf8').split(' ')[0]);
  } catch {
    // It has just ended.
    return 0;
  }
}

/** Heap and external memory (bytes) in use, as a page says. */
export function heapIn(text: string): number {
  return valueIn(text, 'nodejs_heap_size_used_bytes') + valueIn(text, 'nodejs_external_memory_bytes');
}

/** Resident memory (bytes) of a process. */
export function rssOf({ child }: Server): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
