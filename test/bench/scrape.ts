/**
 * Scrapes of the process that users run, while it polls, beside a static file on node:http (the floor), prom-client
 * behind express, and Debian's Pushgateway, all with the same series: `npm run bench`. For a smaller run:
 * `npm run bench -- scrape --sizes=1000x1,10000x1 --out=/tmp/results.md`, series x accounts and seconds between polls.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { withFigures } from './readme-figures.ts';
import { serveFile, servePromClient } from './scrape-peers.ts';
import { LATEST_ANSWER, SERIES_PER_CONFIGURATION, servePlatform } from './scrape-platform.ts';
import {
  cpuOf,
  page,
  rssOf,
  type Server,
  scrape,
  startProgram,
  startRole,
  stop,
  valueIn,
} from './scrape-process.ts';
import { scrapeDurations } from './scrape-prometheus.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const RESULTS = join(ROOT, 'test', 'bench', 'RESULTS.md');
const README = join(ROOT, 'README.md');
const PUSHGATEWAY =
  process.env['PUSHGATEWAY_BIN'] ??
  join(ROOT, '.cache', 'debian', 'prometheus-pushgateway', 'usr', 'bin', 'prometheus-pushgateway');
const PROMETHEUS =
  process.env['PROMETHEUS_BIN'] ?? join(ROOT, '.cache', 'debian', 'prometheus', 'usr', 'bin', 'prometheus');
const ALL_SIZES = '1000x1,10000x1,100000x1,500000x1,100000x100,100000x1000';
/** prom-client and the Pushgateway are slow: they are asked less often, and not with more series than this. */
const PEERS_EVERY = 10;
const PEERS_UP_TO = 100_000;
/** A scrape is one while polling when an answer came at most so long before (ms). */
const POLLING_MS = 40;
/** From this size on polls come half again as seldom: there must be time between two rounds of them. */
const LARGE = 500_000;
/** Scrapes in a row, for their CPU time. */
const ROW = 200;

interface Size {
  readonly series: number;
  readonly accounts: number;
}

interface Measured extends Size {
  readonly gzipBytes: number;
  /** Times of scrapes (ms). */
  readonly quiet: readonly number[];
  readonly polling: readonly number[];
  readonly floor: readonly number[];
  readonly promClient: readonly number[];
  readonly pushgateway: readonly number[];
  readonly cpuPerScrape: number;
  readonly floorCpuPerScrape: number;
  readonly cpuPerPoll: number;
  /** Points in an answer, and what `JSON.parse` takes for them (ms). */
  readonly points: number;
  readonly parseMs: number;
  /** Medians of a real Prometheus' `scrape_duration_seconds` (ms). */
  readonly prometheus: number;
  readonly prometheusFloor: number;
  readonly rss: number;
  readonly heap: number;
  readonly longestBlock: number;
}

function configurationText({ series, accounts }: Size, url: string, period: number): [string, number] {
  const configurations = Math.max(1, Math.round(series / accounts / SERIES_PER_CONFIGURATION));
  const schedule = period === 60 ? '* * * * *' : `*/${period} * * * * *`;
  const texts = Array.from({ length: accounts }, (_, index) => ({
    name: `account-${index}`,
    api_url: url,
    token: `bench-${index}`,
    quota: { reserve: 0 },
    reconciliation_share: 0,
    discovery: '0 0 1 1 *',
    collectors: {
      metrics: {
        schedule,
        products: { edge_applications: { address_by: 'configuration', metrics: ['status_code'] } },
      },
    },
  }));
  return [JSON.stringify({ accounts: texts, limits: { series: 2_000_000 } }), configurations];
}

/** Waits until the exporter shows everything; the last page. */
async function untilFull({ client }: Server, series: number): Promise<string> {
  let before = -1;
  for (let attempt = 0; attempt < 600; attempt++) {
    const text = await page(client);
    const shown = valueIn(text, 'edge_exporter_series');
    if (shown >= series * 0.95 && shown === before) return text;
    before = shown;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  throw new Error(`only ${before} of ${series} series`);
}

interface Scraped {
  /** Times of scrapes (ms): the exporter's as `quiet` and `polling`, those of the others by their names. */
  readonly times: Readonly<Record<string, number[]>>;
  readonly memory: readonly { readonly rss: number; readonly heap: number }[];
}

/** Scrapes one after the other, for a whole period and a little: every poll comes at least once. */
async function scrapeInTurn({
  exporter,
  floor,
  peers,
  period,
  readAt,
}: {
  readonly exporter: Server;
  readonly floor: Server;
  readonly peers: readonly Server[];
  readonly period: number;
  /** When the platform last answered. */
  readonly readAt: () => number;
}): Promise<Scraped> {
  const times: Record<string, number[]> = {
    quiet: [],
    polling: [],
    file: [],
    'prom-client': [],
    pushgateway: [],
  };
  const memory: { rss: number; heap: number }[] = [];
  const end = performance.now() + 1_000 * (period + 10);
  for (let round = 0; performance.now() < end; round++) {
    const { ms, body } = await scrape(exporter.client);
    const isPolling = performance.now() - readAt() - ms < POLLING_MS;
    times[isPolling ? 'polling' : 'quiet']?.push(ms);
    times['file']?.push((await scrape(floor.client)).ms);
    for (const peer of round % PEERS_EVERY === 0 ? peers : [])
      times[peer.name]?.push((await scrape(peer.client)).ms);
    if (round % 50 === 0) memory.push({ rss: rssOf(exporter), heap: heapIn(gunzipSync(body).toString()) });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return { times, memory };
}

async function measure(size: Size, usualPeriod: number): Promise<Measured> {
  const period = size.series < LARGE ? usualPeriod : 1.5 * usualPeriod;
  const folder = mkdtempSync(join(tmpdir(), 'edge-exporter-bench-'));
  const started: Server[] = [];
  const start = async (starting: Promise<Server>) => {
    const server = await starting;
    started.push(server);
    return server;
  };
  try {
    const configurations = configurationText(size, '', period)[1];
    const platform = await start(startRole('platform', String(configurations)));
    let reads = 0;
    let readAt = 0;
    platform.child.on('message', (message: { reads?: number }) => {
      reads = message.reads ?? reads;
      readAt = performance.now();
    });
    const config = join(folder, 'exporter.yaml');
    writeFileSync(config, configurationText(size, platform.url, period)[0]);
    const exporter = await start(
      startProgram('exporter', process.execPath, (address) => [
        join(ROOT, 'dist', 'main.js'),
        'serve',
        `--config.file=${config}`,
        `--web.listen-address=${address}`,
        '--log.level=error',
      ]),
    );
    await untilFull(exporter, size.series);
    const { body } = await scrape(exporter.client);
    const file = join(folder, 'page.gz');
    writeFileSync(file, body);
    writeFileSync(join(folder, 'page'), gunzipSync(body));
    const floor = await start(startRole('file', file));
    const peers: Server[] = [];
    if (size.series <= PEERS_UP_TO) {
      peers.push(await start(startRole('prom-client', join(folder, 'page'))));
      if (existsSync(PUSHGATEWAY)) peers.push(await start(pushed(gunzipSync(body))));
    }

    const { times, memory } = await scrapeInTurn({ exporter, floor, peers, period, readAt: () => readAt });
    const durations = await scrapeDurations(PROMETHEUS, [exporter, floor]);
    const [cpuBefore, readsBefore] = [cpuOf(exporter), reads];
    await new Promise((resolve) => setTimeout(resolve, period * 1_000));
    const cpuPerPoll = (cpuOf(exporter) - cpuBefore) / Math.max(1, reads - readsBefore);
    // More than a minute after the start, whose own blocks are no longer shown.
    const last = await page(exporter.client);
    const row = async (server: Server) => {
      // Between two rounds of polls, where there is a moment between.
      const latest = performance.now() + period * 1_000;
      while (performance.now() - readAt < 1_000 && performance.now() < latest)
        await new Promise((resolve) => setTimeout(resolve, 100));
      const before = cpuOf(server);
      for (let index = 0; index < ROW; index++) await scrape(server.client);
      return (cpuOf(server) - before) / ROW;
    };
    return {
      ...size,
      gzipBytes: body.length,
      quiet: times['quiet'] ?? [],
      polling: times['polling'] ?? [],
      floor: times['file'] ?? [],
      promClient: times['prom-client'] ?? [],
      pushgateway: times['pushgateway'] ?? [],
      cpuPerScrape: await row(exporter),
      floorCpuPerScrape: await row(floor),
      cpuPerPoll,
      ...(await parsing(platform)),
      prometheus: durations.get(exporter.name) ?? Number.NaN,
      prometheusFloor: durations.get(floor.name) ?? Number.NaN,
      rss: quantile(
        memory.map(({ rss }) => rss),
        0.5,
      ),
      heap: Math.min(...memory.map(({ heap }) => heap)),
      longestBlock: valueIn(last, 'nodejs_eventloop_lag_max_seconds') * 1_000,
    };
  } finally {
    await Promise.all(started.map(stop));
    rmSync(folder, { recursive: true, force: true });
  }
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
  return { points, parseMs: quantile(times, 0.5) };
}

async function pushed(text: Buffer): Promise<Server> {
  const server = await startProgram('pushgateway', PUSHGATEWAY, (address) => [
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

function heapIn(text: string): number {
  return valueIn(text, 'nodejs_heap_size_used_bytes') + valueIn(text, 'nodejs_external_memory_bytes');
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The slope of a line through logarithms: 1 is linear. */
function exponent(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.filter(([, y]) => y > 0).map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  if (logs.length < 2) return Number.NaN;
  const mean = (index: 0 | 1) => logs.reduce((sum, point) => sum + point[index], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const above = logs.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return above / logs.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

function cell(value: number, digits = 2): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '–';
}

function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...others] = rows;
  return [head, head.map(() => '--:'), ...others].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function report(all: readonly Measured[], period: number): string {
  const base = all[0];
  const perSeries = (one: Measured, key: 'rss' | 'heap') =>
    base === undefined || one === base ? Number.NaN : (one[key] - base[key]) / (one.series - base.series);
  const scrapes = all.map((one) => {
    const floor = quantile(one.floor, 0.5);
    const [quiet, polling] = [quantile(one.quiet, 0.5), quantile(one.polling, 0.5)];
    return [
      `${one.series}`,
      `${one.accounts}`,
      cell(one.gzipBytes / 1_000, 0),
      cell(floor),
      cell(quiet),
      cell(quiet / floor),
      cell(quantile(one.quiet, 0.99)),
      cell(polling),
      cell(polling / floor),
      cell(quantile(one.polling, 0.99)),
      cell(quantile(one.polling, 0.99) / floor),
      cell(quantile(one.promClient, 0.5)),
      cell(quantile(one.pushgateway, 0.5)),
      cell(one.prometheus),
      cell(one.prometheusFloor),
    ];
  });
  const costs = all.map((one) => [
    `${one.series}`,
    `${one.accounts}`,
    cell(one.cpuPerScrape),
    cell(one.cpuPerScrape / one.floorCpuPerScrape),
    cell(one.cpuPerPoll),
    cell((1_000 * one.points) / one.cpuPerPoll, 0),
    cell((1_000 * one.points) / one.parseMs, 0),
    cell(perSeries(one, 'rss'), 0),
    cell(perSeries(one, 'heap'), 0),
    cell(one.rss / 1e6, 0),
    cell(one.longestBlock, 0),
  ]);
  const alone = all.filter(({ accounts }) => accounts === 1);
  const slopeOf = (of: (one: Measured) => number) =>
    cell(exponent(alone.map((one) => [one.series, of(one)] as const)));
  return `# Scrapes of the process that users run

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}; polls every ${period} s, of ${LARGE} series every ${1.5 * period} s. Made by \`npm run bench\`.

Times in ms, of compressed scrapes to the last byte. The floor is the same bytes from a static buffer on node:http, asked in
turn with the exporter. "Prometheus" is the median \`scrape_duration_seconds\` of a real one. A scrape is one while polling when the platform answered at most ${POLLING_MS} ms before it.

${table([
  [
    'series',
    'accounts',
    'kB gzip',
    'floor p50',
    'quiet p50',
    'x floor',
    'quiet p99',
    'polling p50',
    'x floor',
    'polling p99',
    'x floor p50',
    'prom-client p50',
    'Pushgateway p50',
    'Prometheus',
    'of the floor',
  ],
  ...scrapes,
])}

CPU in ms. Points/s are those that a second of CPU takes from answers that come singly to ready bytes, beside \`JSON.parse\` alone. Memory per series is the difference to the first row; heap is that with external memory, at its least. The longest
block is the event loop's longest delay over the last 30 to 60 s of polling and scraping, 20 ms of measuring included.

${table([
  [
    'series',
    'accounts',
    'CPU per scrape',
    'x floor',
    'CPU per poll',
    'points/s',
    'JSON.parse',
    'RSS B/series',
    'heap B/series',
    'RSS MB',
    'longest block ms',
  ],
  ...costs,
])}

Exponents fitted over the rows of one account (1 is linear): floor ${slopeOf((one) => quantile(one.floor, 0.5))}, quiet scrape ${slopeOf((one) => quantile(one.quiet, 0.5))}, scrape while polling ${slopeOf((one) => quantile(one.polling, 0.5))}, CPU per poll ${slopeOf((one) => one.cpuPerPoll)}, RSS ${slopeOf((one) => one.rss)}.
`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: ALL_SIZES },
      period: { type: 'string', default: '20' },
      out: { type: 'string', default: RESULTS },
    },
  });
  const period = Number(values.period);
  const measured: Measured[] = [];
  for (const size of values.sizes.split(',')) {
    const [series = 1_000, accounts = 1] = size.split('x').map(Number);
    const minutes = (performance.now() / 60_000).toFixed(1);
    process.stderr.write(`${minutes} min: ${series} series of ${accounts} accounts …\n`);
    measured.push(await measure({ series, accounts }, period));
  }
  const text = report(measured, period);
  writeFileSync(values.out, text);
  if (values.out === RESULTS) writeFileSync(README, withFigures(readFileSync(README, 'utf8'), text));
  process.stdout.write(text);
}

const [role, argument = ''] = process.argv.slice(2);
if (role === 'platform') servePlatform(Number(argument));
else if (role === 'faulty-platform') servePlatform(Number(argument), 50);
else if (role === 'file') serveFile(argument);
else if (role === 'prom-client') await servePromClient(argument);
else await main();
