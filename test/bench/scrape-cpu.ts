/** What the exporter uses of the CPU: for its polls, for nothing in particular, and for scrapes. */
import type { CpuWindow } from './cpu-windows.ts';
import type { Answers } from './scrape-answers.ts';
import { cpuOf, type Server, scrape } from './scrape-process.ts';
import { monotonicMs, pause } from './statistics.ts';

/** Each window has one of the exporter's upkeeps, which come every 10 s. */
const WINDOW_MS = 10_000;
const MINUTE_MS = 60_000;
/** So long (ms) each is scraped before it counts: a process that was scraped less often has code that is optimized less. */
const WARM_UP_MS = 1_000;
/** Scrapes for their CPU time. */
const ROWS = 4;
const IN_A_ROW = 50;

/** A minute without scrapes, which begins now, in windows. */
export async function watchMinute(exporter: Server, answers: Answers): Promise<readonly CpuWindow[]> {
  const moments = [momentOf(exporter)];
  const begun = monotonicMs();
  for (let window = 1; window <= MINUTE_MS / WINDOW_MS; window++) {
    await pause(begun + window * WINDOW_MS - monotonicMs());
    moments.push(momentOf(exporter));
  }
  return moments.slice(1).map((moment, index) => windowBetween(moments[index] ?? moment, moment, answers));
}

interface Moment {
  /** By the shared clock, and by that of the machine (ms). */
  readonly at: number;
  readonly wall: number;
  readonly cpu: number;
}

function momentOf(exporter: Server): Moment {
  return { at: monotonicMs(), wall: Date.now(), cpu: cpuOf(exporter) };
}

function windowBetween(before: Moment, after: Moment, answers: Answers): CpuWindow {
  return {
    cpu: after.cpu - before.cpu,
    reads: answers.between(before.at, after.at),
    minuteBegins: Math.floor(before.wall / MINUTE_MS) !== Math.floor(after.wall / MINUTE_MS),
  };
}

/** CPU time (ms) of a scrape of each server. */
export async function cpuPerScrape(servers: readonly Server[]): Promise<ReadonlyMap<string, number>> {
  const used = new Map(servers.map(({ name }) => [name, 0]));
  for (const server of servers)
    for (const end = monotonicMs() + WARM_UP_MS; monotonicMs() < end; ) await scrapeRow(server, 1);
  // In turn, so that whatever else goes on meets them alike.
  for (let row = 0; row < ROWS; row++)
    for (const server of servers)
      used.set(server.name, (used.get(server.name) ?? 0) + (await scrapeRow(server, IN_A_ROW)));
  return new Map([...used].map(([name, cpu]) => [name, cpu / (ROWS * IN_A_ROW)]));
}

/** CPU time (ms) of so many scrapes. */
async function scrapeRow(server: Server, count: number): Promise<number> {
  const before = cpuOf(server);
  for (let index = 0; index < count; index++) await scrape(server.client);
  return cpuOf(server) - before;
}
