/** Scrapes of the exporter, with nothing else going on and while it polls. */
import { gunzipSync } from 'node:zlib';
import type { Answers } from './scrape-answers.ts';
import { heapIn, rssOf, type Scrape, type Server, scrape } from './scrape-process.ts';
import { monotonicMs, pause } from './statistics.ts';

/** Between two turns of all servers. */
const BETWEEN_MS = 5;
/** prom-client and the Pushgateway are slow: they are asked less often. */
const PEERS_EVERY = 25;
const MEMORY_EVERY = 50;
const WARM_UP = 300;
/** A scrape is a quiet one when no answer came so long (ms) before it, or during it. */
const QUIET_MS = 1_000;
/** It is one while polling when an answer left the platform while it went on, or at most so long (ms) before. */
const POLLING_MS = 5;
/** Polls are over when no answer has come for so long (ms); a round takes at most so long to begin and to end (ms). */
const OVER_MS = 2_000;
const BEGINS_WITHIN_MS = 5_000;
const LONGEST_ROUND_MS = 50_000;

export interface Memory {
  /** Bytes. */
  readonly rss: number;
  readonly heap: number;
}

export interface QuietTimes {
  /** Times of scrapes (ms), of the servers by their names. */
  readonly times: ReadonlyMap<string, readonly number[]>;
  readonly memory: readonly Memory[];
}

/** Scrapes the exporter and the floor in turn, and their peers now and then, until a time (shared ms). */
export async function scrapeInTurn(
  { exporter, floor, peers }: { exporter: Server; floor: Server; peers: readonly Server[] },
  answers: Answers,
  until: number,
): Promise<QuietTimes> {
  const own: Scrape[] = [];
  const others = new Map([floor, ...peers].map(({ name }) => [name, [] as number[]]));
  const memory: Memory[] = [];
  for (let round = 0; monotonicMs() < until; round++) {
    const scraped = await scrape(exporter.client);
    own.push({ ...scraped, body: Buffer.alloc(0) });
    for (const server of round % PEERS_EVERY === 0 ? [floor, ...peers] : [floor])
      others.get(server.name)?.push((await scrape(server.client)).ms);
    if (round % MEMORY_EVERY === 0) memory.push(memoryOf(exporter, gunzipSync(scraped.body).toString()));
    await pause(BETWEEN_MS);
  }
  const quiet = own.filter(({ at, ms }) => answers.between(at - QUIET_MS, at + ms) === 0);
  return { times: new Map([...others, [exporter.name, quiet.map(({ ms }) => ms)]]), memory };
}

/** Scrapes that do not count: a process that has just started has no optimized code. */
export async function warmUp(server: Server): Promise<void> {
  for (let index = 0; index < WARM_UP; index++) await scrape(server.client);
}

export function memoryOf(exporter: Server, page: string): Memory {
  return { rss: rssOf(exporter), heap: heapIn(page) };
}

/**
 * Scrapes one after another while the polls of a round come, which is about to begin.
 * @returns the times (ms) of those while polling
 */
export async function scrapeWhilePolling(exporter: Server, answers: Answers): Promise<readonly number[]> {
  const scraped: { readonly at: number; readonly ms: number }[] = [];
  const [before, begun] = [answers.count, monotonicMs()];
  let lastCount = before;
  let lastAt = begun + BEGINS_WITHIN_MS;
  while (monotonicMs() < Math.min(lastAt + OVER_MS, begun + LONGEST_ROUND_MS)) {
    const { at, ms } = await scrape(exporter.client);
    scraped.push({ at, ms });
    if (answers.count === lastCount) continue;
    lastCount = answers.count;
    lastAt = monotonicMs();
  }
  return scraped.filter(({ at, ms }) => answers.between(at - POLLING_MS, at + ms) > 0).map(({ ms }) => ms);
}
