/**
 * The process that users run, for long: 100,000 series, scraped every second, of a platform that fails one read in fifty.
 * `npm run bench -- soak [--minutes=60] [--series=100000]` ends with 1 where a goal is missed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { startWatchedExporter } from './programs.ts';
import { SERIES_PER_CONFIGURATION } from './scrape-platform.ts';
import { raiseAboveOthers, type Server, scrape, startRole, stop } from './scrape-process.ts';
import { type Memory, type Moment, memoryOf, momentOf } from './soak-memory.ts';
import { pause } from './statistics.ts';

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
const end = Number(values.minutes) * 60;
const settledAt = end * SETTLED;
const configurations = Math.max(1, Math.round(Number(values.series) / SERIES_PER_CONFIGURATION));

interface Soaked {
  readonly moments: readonly Moment[];
  readonly failed: number;
  readonly settled: Memory;
  readonly last: Memory;
}

function tell(name: string, { rss, heap, external }: Memory): void {
  const [r, h, e] = [rss, heap, external].map((bytes) => (bytes / 1e6).toFixed(1));
  process.stdout.write(`${name}: RSS ${r} MB, live ${h} MB of heap and ${e} MB outside\n`);
}

async function scrapeEverySecond(exporter: Server): Promise<Soaked> {
  const moments: Moment[] = [];
  let failed = 0;
  let settled: Memory | undefined;
  const begun = performance.now();
  for (let second = 0, at = 0; at < end; second++) {
    const next = performance.now() + 1_000;
    at = (performance.now() - begun) / 1_000;
    const body = await scrape(exporter.client)
      .then(({ body }) => body)
      .catch(() => undefined);
    if (body === undefined) failed += 1;
    else if (second % LOOK === 0) moments.push(momentOf(exporter, at, gunzipSync(body).toString()));
    if (at >= settledAt) settled ??= await memoryOf(exporter, moments);
    await pause(next - performance.now());
  }
  const last = await memoryOf(exporter, moments);
  return { moments, failed, settled: settled ?? last, last };
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
const exporter = await startWatchedExporter(
  folder,
  { accounts: [account], limits: { series: 2_000_000 } },
  'live-memory',
  `--state.dir=${join(folder, 'state')}`,
);
if (!raiseAboveOthers(exporter))
  process.stderr.write(
    'no higher priority: what else this machine does counts as blocks of the event loop\n',
  );
try {
  const { moments, failed, settled, last } = await scrapeEverySecond(exporter);
  tell('settled', settled);
  tell('at the end', last);
  const rss = last.rss / settled.rss - 1;
  const live = (last.heap + last.external) / (settled.heap + settled.external) - 1;
  const blocks = moments
    .filter(({ at }) => at >= settledAt)
    .slice(BLOCK_SHOWN / LOOK)
    .map(({ block }) => block)
    .filter((block) => Number.isFinite(block));
  const results: readonly (readonly [name: string, value: string, isMet: boolean])[] = [
    ['series at the end', `${moments.at(-1)?.series}`, (moments.at(-1)?.series ?? 0) > 0],
    ['failed scrapes', `${failed}`, failed === 0],
    ['RSS at the end against settled', `${(100 * rss).toFixed(1)} %`, rss <= 0.05],
    ['live heap and external at the end against settled', `${(100 * live).toFixed(1)} %`, live <= 0.05],
    [
      'longest loop block once settled, 50 ms of measuring included',
      `${Math.max(...blocks).toFixed(0)} ms`,
      blocks.length > 0 && Math.max(...blocks) <= 100,
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
