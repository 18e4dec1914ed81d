/**
 * The process that users run, for long: 100,000 series, scraped every second, of a platform that fails one read in fifty.
 * `npm run bench -- soak [--minutes=60] [--series=100000]` ends with 1 where a goal is missed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { startExporter } from './programs.ts';
import { SERIES_PER_CONFIGURATION } from './scrape-platform.ts';
import {
  heapIn,
  raiseAboveOthers,
  rssOf,
  type Server,
  scrape,
  startRole,
  stop,
  valueIn,
} from './scrape-process.ts';
import { median, pause } from './statistics.ts';

/** The longest block is shown for so long (s): what came before memory had settled must not count after it. */
const BLOCK_SHOWN = 60;
/** One read in so many fails. */
const FAULT_EVERY = 50;
/** Between two looks at its metrics (s). */
const LOOK = 10;
/** After this share of the time memory is taken to have settled: 10 of 60 minutes. */
const SETTLED = 1 / 6;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, series: { type: 'string', default: '100000' } },
});
const minutes = Number(values.minutes);
const configurations = Math.max(1, Math.round(Number(values.series) / SERIES_PER_CONFIGURATION));

interface Moment {
  readonly series: number;
  readonly rss: number;
  /** Heap and external memory (bytes). */
  readonly heap: number;
  /** The event loop's longest delay of late (ms). */
  readonly block: number;
}

function momentOf(exporter: Server, page: string): Moment {
  return {
    series: valueIn(page, 'edge_exporter_series'),
    rss: rssOf(exporter),
    heap: heapIn(page),
    block: valueIn(page, 'nodejs_eventloop_lag_max_seconds') * 1_000,
  };
}

async function scrapeEverySecond(exporter: Server): Promise<{ moments: Moment[]; failed: number }> {
  const moments: Moment[] = [];
  let failed = 0;
  const end = performance.now() + minutes * 60_000;
  for (let second = 0; performance.now() < end; second++) {
    const next = performance.now() + 1_000;
    const body = await scrape(exporter.client)
      .then(({ body }) => body)
      .catch(() => undefined);
    if (body === undefined) failed += 1;
    else if (second % LOOK === 0) moments.push(momentOf(exporter, gunzipSync(body).toString()));
    await pause(next - performance.now());
  }
  return { moments, failed };
}

const folder = mkdtempSync(join(tmpdir(), 'edge-exporter-soak-'));
const platform = await startRole('platform', JSON.stringify({ configurations, faultEvery: FAULT_EVERY }));
const account = {
  name: 'soak',
  api_url: platform.url,
  token: 'bench-0',
  quota: { reserve: 0 },
  request: { timeout: '5s' },
  collectors: {
    metrics: {
      products: { edge_applications: { address_by: 'configuration', metrics: ['status_code'] } },
    },
  },
};
const exporter = await startExporter(
  folder,
  { accounts: [account], limits: { series: 2_000_000 } },
  `--state.dir=${join(folder, 'state')}`,
);
if (!raiseAboveOthers(exporter))
  process.stderr.write(
    'no real-time priority: what else this machine does counts as blocks of the event loop\n',
  );
try {
  const { moments, failed } = await scrapeEverySecond(exporter);
  const settled = moments.slice(Math.floor(moments.length * SETTLED));
  const few = Math.max(1, Math.floor(settled.length / 10));
  const [first, last] = [settled.slice(0, few), settled.slice(-few)];
  const rss = median(last.map(({ rss }) => rss)) / median(first.map(({ rss }) => rss)) - 1;
  // At its least: between two collections it only tells how long ago the last one was.
  const heap = Math.min(...last.map(({ heap }) => heap)) / Math.min(...first.map(({ heap }) => heap)) - 1;
  const blocks = settled
    .slice(BLOCK_SHOWN / LOOK)
    .map(({ block }) => block)
    .filter((block) => Number.isFinite(block));
  const results: readonly (readonly [name: string, value: string, isMet: boolean])[] = [
    ['series at the end', `${moments.at(-1)?.series}`, (moments.at(-1)?.series ?? 0) > 0],
    ['failed scrapes', `${failed}`, failed === 0],
    ['RSS at the end against settled', `${(100 * rss).toFixed(1)} %`, rss <= 0.05],
    ['heap at the end against settled', `${(100 * heap).toFixed(1)} %`, heap <= 0.05],
    [
      'longest loop block once settled, 20 ms of measuring included',
      `${Math.max(...blocks).toFixed(0)} ms`,
      blocks.length > 0 && Math.max(...blocks) <= 70,
    ],
  ];
  for (const [name, value, isMet] of results) {
    process.stdout.write(`${name}: ${value}${isMet ? '' : ' (goal missed)'}\n`);
    if (!isMet) process.exitCode = 1;
  }
} finally {
  await Promise.all([exporter, platform].map(stop));
  rmSync(folder, { recursive: true, force: true });
}
