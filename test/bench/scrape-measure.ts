/** What is measured of one size. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { findTool } from '../end-to-end/tools.ts';
import type { BlockCommand, BlockTold } from './block-watch.ts';
import type { Block } from './cpu-wait.ts';
import { type CpuCosts, costsOf } from './cpu-windows.ts';
import type { IngestMeasured, IngestOptions } from './ingest-measure.ts';
import { startWatchedExporter } from './programs.ts';
import { Answers } from './scrape-answers.ts';
import { cpuPerScrape, watchMinute } from './scrape-cpu.ts';
import { LATEST_ANSWER, SERIES_PER_CONFIGURATION } from './scrape-platform.ts';
import {
  forkRole,
  page,
  type Server,
  scrape,
  startProgram,
  startRole,
  stop,
  valueIn,
} from './scrape-process.ts';
import { scrapeDurations } from './scrape-prometheus.ts';
import type { Replay, ReplayOptions } from './scrape-replay.ts';
import { nextSecond, planOf, type Size } from './scrape-size.ts';
import { memoryOf, scrapeInTurn, scrapeWhilePolling, warmUp } from './scrape-times.ts';
import { median, monotonicMs, pause } from './statistics.ts';

/** prom-client and the Pushgateway are not asked for more series than this. */
const PEERS_UP_TO = 100_000;
/** For so long (ms) scrapes without polls are measured at least. */
const QUIET_MS = 10_000;
/** Of so many configurations at most answers are taken in without HTTP: it takes seconds. */
const MOST_INGESTED = 2_000;
/** So long (ms) before polls the minute begins in which they are measured. */
const BEFORE_POLLS_MS = 1_000;

export interface Measured extends Size {
  readonly gzipBytes: number;
  /** Times of scrapes (ms): by the names of their servers, and of the exporter while it polls. */
  readonly quiet: ReadonlyMap<string, readonly number[]>;
  readonly polling: readonly number[];
  /** Those of a static buffer beside reads of the same answers at the same moments. */
  readonly floorPolling: readonly number[];
  /** CPU time (ms), by the names of the servers. */
  readonly cpuPerScrape: ReadonlyMap<string, number>;
  readonly costs: CpuCosts;
  /** CPU time (ms) of a read that does nothing with its answer but parse it. */
  readonly cpuPerRead: number;
  /** Points in an answer, and what `JSON.parse` takes for them (ms). */
  readonly points: number;
  readonly parseMs: number;
  /** The same inside the exporter; undefined where there are several accounts. */
  readonly ingest: IngestMeasured | undefined;
  /** Medians of a real Prometheus' `scrape_duration_seconds` (ms), by the names of the servers. */
  readonly prometheus: ReadonlyMap<string, number>;
  /** Bytes. */
  readonly rss: number;
  readonly heap: number;
  /** Of the event loop. */
  readonly block: Block;
}

/** Measures one size, in processes of its own. */
export async function measure(size: Size): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-exporter-bench-'));
  const started: Server[] = [];
  const start = async (starting: Promise<Server>) => {
    const server = await starting;
    started.push(server);
    return server;
  };
  try {
    return await measureStarted(size, folder, start);
  } finally {
    await Promise.all(started.map(stop));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureStarted(
  size: Size,
  folder: string,
  start: (starting: Promise<Server>) => Promise<Server>,
): Promise<Measured> {
  const plan = planOf(size);
  const platform = await start(startRole('platform', JSON.stringify(plan.platform)));
  const answers = new Answers(platform);
  const exporter = await start(
    startWatchedExporter(folder, plan.configurationFor(platform.url), 'block-watch'),
  );
  await untilFull(exporter, size.series);
  const full = Date.now();
  const { body } = await scrape(exporter.client);
  const files = { packed: join(folder, 'page.gz'), plain: join(folder, 'page') };
  writeFileSync(files.packed, body);
  writeFileSync(files.plain, gunzipSync(body));
  const floor = await start(startRole('file', files.packed));
  const peers: Server[] = [];
  if (size.series <= PEERS_UP_TO) {
    peers.push(await start(startRole('prom-client', files.plain)));
    const pushgateway = findTool('pushgateway');
    if (pushgateway !== undefined) peers.push(await start(pushed(pushgateway, gunzipSync(body))));
  }

  // Jobs fall due as our minute begins, and are polled when the platform's next bucket closes.
  const polls = nextSecond(plan.closingSecond, Math.max(Date.now() + QUIET_MS, nextSecond(0, full)));
  const minuteBegins = monotonicMs() + polls - BEFORE_POLLS_MS - Date.now();
  const { times, memory } = await scrapeInTurn({ exporter, floor, peers }, answers, minuteBegins - 1_000);
  await pause(minuteBegins - monotonicMs());
  const windows = await watchMinute(exporter, answers);
  exporter.child.send('watch' satisfies BlockCommand);
  const round = monotonicMs();
  const polling = await scrapeWhilePolling(exporter, answers);
  const readAt = answers.offsetsBetween(round, monotonicMs());
  const options: ReplayOptions = { platform: platform.url, file: files.packed };
  const replay = await start(startRole('replay', JSON.stringify(options)));
  await warmUp(replay);
  replay.child.send({ readAt } satisfies Replay);
  const floorPolling = await scrapeWhilePolling(replay, answers);
  const last = await page(exporter.client);
  const memories = [...memory, memoryOf(exporter, last)];
  return {
    ...size,
    gzipBytes: body.length,
    quiet: times,
    polling,
    floorPolling,
    costs: costsOf(windows),
    cpuPerScrape: await cpuPerScrape([exporter, floor]),
    prometheus: await scrapeDurations(findTool('prometheus'), [exporter, floor]),
    cpuPerRead: await readAlone(platform),
    ...(await parsing(platform)),
    ingest: await ingestOf(size),
    rss: median(memories.map(({ rss }) => rss)),
    heap: Math.min(...memories.map(({ heap }) => heap)),
    block: await blockOf(exporter),
  };
}

/** The longest block since the exporter's event loop is watched. */
async function blockOf({ child }: Server): Promise<Block> {
  const told = once(child, 'message');
  child.send('tell' satisfies BlockCommand);
  const [block] = (await told) as [BlockTold];
  return block;
}

/** Waits until the exporter shows everything. */
async function untilFull({ client }: Server, series: number): Promise<void> {
  let before = -1;
  for (let attempt = 0; attempt < 600; attempt++) {
    const shown = valueIn(await page(client), 'edge_exporter_series');
    if (shown >= series * 0.95 && shown === before) return;
    before = shown;
    await pause(1_000);
  }
  throw new Error(`only ${before} of ${series} series`);
}

async function pushed(pushgateway: string, text: Buffer): Promise<Server> {
  const server = await startProgram('pushgateway', pushgateway, (address) => [
    `--web.listen-address=${address}`,
    '--log.level=error',
  ]);
  // Its own metrics are those of its own process, which it refuses from others.
  const own = /^(# (HELP|TYPE) )?(process|nodejs)_.*\n/gm;
  const { statusCode, body } = await server.client.request({
    path: '/metrics/job/bench',
    method: 'PUT',
    body: text.toString().replace(own, ''),
  });
  const refusal = await body.text();
  if (statusCode >= 300) throw new Error(`the push was refused: ${refusal.slice(0, 300)}`);
  return server;
}

/** What answers cost inside the exporter, without HTTP; how many accounts they are of does not matter there. */
async function ingestOf({ series, accounts }: Size): Promise<IngestMeasured | undefined> {
  if (accounts > 1) return undefined;
  const configurations = Math.min(MOST_INGESTED, Math.ceil(series / SERIES_PER_CONFIGURATION));
  const child = forkRole('ingest', JSON.stringify({ configurations, minutes: 2 } satisfies IngestOptions));
  const [measured] = (await once(child, 'message')) as [IngestMeasured];
  child.disconnect();
  return measured;
}

/** CPU time (ms) of a read of the same answer that is parsed and no more. */
async function readAlone({ url }: Server): Promise<number> {
  const reader = forkRole('reader', `${url}${LATEST_ANSWER}`);
  const [{ cpuPerRead }] = (await once(reader, 'message')) as [{ cpuPerRead: number }];
  reader.disconnect();
  return cpuPerRead;
}

/** What an answer holds, and what it costs to parse it alone. */
async function parsing({ client }: Server): Promise<{ readonly points: number; readonly parseMs: number }> {
  const { body } = await client.request({ method: 'GET', path: LATEST_ANSWER });
  const text = await body.text();
  const points = Object.values(JSON.parse(text) as Record<string, unknown[]>).flat().length;
  const times = Array.from({ length: 200 }, () => {
    const from = performance.now();
    JSON.parse(text);
    return performance.now() - from;
  });
  return { points, parseMs: median(times) };
}
