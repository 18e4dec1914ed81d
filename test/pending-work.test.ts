import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { request } from 'undici';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { cronTicker } from '../src/exporter/poll/ticker.ts';
import { openState } from '../src/exporter/state/open-state.ts';
import { type PendingWork, watchPendingWork } from './pending-work.ts';
import { SimulatedClock } from './simulated-clock.ts';

const MINUTE = 60_000;

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function openInFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'pending-work-'));
  const state = await openState(folder, { info() {}, warn() {} });
  onTestFinished(async () => {
    await state.close();
    await rm(folder, { recursive: true });
  });
  return state;
}

describe('pending work', () => {
  let work: PendingWork;
  afterEach(() => work.stop());

  it('counts a request from its creation to the end of its answer', async () => {
    work = watchPendingWork();
    const address = await listen((_, response) => void setTimeout(() => response.end('{}'), 5));
    const answer = request(address);
    expect(work.kinds()['request']).toBe(1);
    await (await answer).body.json();
    expect(work.kinds()['request']).toBe(0);
  });

  it('does not count a request that failed or was aborted', async () => {
    work = watchPendingWork();
    const address = await listen((_, response) => void response.write('{'));
    await expect(request('http://127.0.0.1:1/')).rejects.toThrow();
    await expect(request(address, { signal: AbortSignal.abort() })).rejects.toThrow();
    const abort = new AbortController();
    const answer = await request(address, { signal: abort.signal });
    abort.abort();
    await expect(answer.body.json()).rejects.toThrow();
    expect(work.kinds()['request']).toBe(0);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a file being read', () => readFile(new URL(import.meta.url))],
    ['a compression', () => promisify(gzip)(Buffer.alloc(100_000))],
    ['slices of work', () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))],
  ])('counts %s until it is done', async (_, start) => {
    work = watchPendingWork();
    const done = start();
    expect(work.count()).toBe(1);
    await done;
    await new SimulatedClock().advance(0, { busy: work.count });
    expect(work.count()).toBe(0);
  });

  it('counts a file being closed until it is', async () => {
    const file = await open(new URL(import.meta.url));
    work = watchPendingWork();
    // Node.js lists completed requests until the next turn of the event loop.
    await turn();
    const closed = file.close();
    expect(work.kinds()['file']).toBe(1);
    await closed;
    await turn();
    expect(work.kinds()['file']).toBe(0);
  });

  it('asks Node.js what the process holds only where that decides', async () => {
    work = watchPendingWork();
    const listing = vi.spyOn(process, 'getActiveResourcesInfo');
    onTestFinished(() => listing.mockRestore());
    const address = await listen((_, response) => void response.end('{}'));
    const answer = request(address);
    expect(work.count(0)).toBe(1);
    expect(listing).not.toHaveBeenCalled();
    expect(work.count(1)).toBeGreaterThanOrEqual(1);
    expect(listing).toHaveBeenCalledOnce();
    await (await answer).body.json();
    setImmediate(() => undefined);
    expect(work.count(0)).toBeGreaterThan(0);
  });

  it('does not count a decompression that failed', async () => {
    work = watchPendingWork();
    await expect(promisify(gunzip)('not compressed')).rejects.toThrow('incorrect header check');
    expect(work.kinds()['compression']).toBe(0);
  });

  it('keeps simulated time from passing a commit to disk', async () => {
    const state = await openInFolder();
    work = watchPendingWork();
    const clock = new SimulatedClock();
    const late: number[] = [];
    void (async () => {
      for (;;) {
        await clock.sleep(1000);
        const at = clock.now();
        await state.commit([{ key: ['mark'], value: at }]);
        if (clock.now() !== at) late.push(at);
      }
    })();
    await clock.advance(100_000, { busy: work.count });
    expect(late).toEqual([]);
    expect(state.get(['mark'])).toBe(clock.now());
  });

  it('lets real requests and simulated latency fill a simulated day, with each answer at its own moment', async () => {
    const clock = new SimulatedClock();
    const platformClock = clock.counting();
    const address = await listen(async (_, response) => {
      await platformClock.sleep(300);
      response.end(JSON.stringify(platformClock.now()));
    });
    work = watchPendingWork();
    const delays = new Map<number, number>();
    const poll = async (at: number) => {
      const answer = await request(address);
      await answer.body.json();
      delays.set(clock.now() - at, (delays.get(clock.now() - at) ?? 0) + 1);
    };
    const { tick } = cronTicker(clock, { failed: () => {}, stepped: () => {}, stalled: () => {} });
    tick('* * * * *', poll);
    tick('*/5 * * * *', poll);
    const day = 24 * 60 * MINUTE;
    await clock.advance(day + 1000, { busy: () => work.count() - platformClock.sleeping });
    expect(delays).toEqual(new Map([[300, 1440 + 288]]));
  });
});
