/**
 * Benchmark of scrapes of the process that users run: `npm run bench`. Compares the exporter with a static
 * file on node:http (the lower limit), prom-client behind express, and Debian's Pushgateway, with the same
 * series. Also measures the cost of polls. A smaller run: `npm run bench -- scrape --sizes=1000x1
 * --out=/tmp/results.md` (series x accounts).
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { findTool } from '../end-to-end/tools.ts';
import { SERIES_PER_CONFIGURATION } from './platform.ts';
import {
  cpuOf,
  longestBlock,
  page,
  rssOf,
  type Server,
  scrape,
  startProgram,
  startRole,
  stop,
  totalIn,
  watchBlocks,
} from './processes.ts';
import { ROOT, startWatchedExporter } from './programs.ts';
import { withFigures } from './readme-figures.ts';
import { median, monotonicMs, pause, quantile } from './statistics.ts';

const RESULTS = join(ROOT, 'test', 'bench', 'RESULTS.md');
const README = join(ROOT, 'README.md');

const PEERS_UP_TO = 100_000;
const PEERS_EVERY = 25;
/** Time (ms) for which scrapes are measured. `MINUTES` is the time for which polls are measured. */
const SCRAPED_MS = 20_000;
const MINUTES = 2;

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000x1,10000x1,100000x1,500000x1,100000x100,100000x1000' },
    out: { type: 'string', default: RESULTS },
  },
});

const HEADS = [
  ['series', 'accounts', 'kB gzip', 'floor p50', 'quiet p50', 'x floor', 'quiet p99', 'prom-client p50'],
  ['Pushgateway p50', 'polls a minute', 'CPU ms a minute', 'RSS MB', 'longest block ms'],
].flat();

const rows: (readonly string[])[] = [];
for (const size of values.sizes.split(',')) {
  const [series = 1_000, accounts = 1] = size.split('x').map(Number);
  process.stderr.write(`${series} series of ${accounts} accounts …\n`);
  rows.push(await measured(series, accounts));
}
const text = `# Scrapes of the process that users run

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}. Made by \`npm run bench\`; [how](README.md#scrapes).

${[HEADS, HEADS.map(() => '--:'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')}
`;
writeFileSync(values.out, text);
if (values.out === RESULTS) writeFileSync(README, withFigures(readFileSync(README, 'utf8'), text));
process.stdout.write(text);

async function measured(series: number, accounts: number): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-exporter-bench-'));
  const started: Server[] = [];
  const start = async (starting: Promise<Server>) => {
    const server = await starting;
    started.push(server);
    return server;
  };
  try {
    const configurations = Math.max(1, Math.round(series / accounts / SERIES_PER_CONFIGURATION));
    const platform = await start(startRole('platform', `${configurations}`));
    const exporter = await start(startWatchedExporter(folder, configurationOf(accounts, platform.url)));
    await untilFull(exporter, series);
    const { body } = await scrape(exporter.client);
    const peers = await peersOf(folder, body, series, start);
    const times = await scrapedInTurn(exporter, peers);
    const polls = await polled(exporter);
    const of = (name: string) => times.get(name) ?? [];
    const [floor, own] = [median(of('file')), median(of('exporter'))];
    const figures = [floor, own, own / floor, quantile(of('exporter'), 0.99)].map((ms) => ms.toFixed(2));
    const others = ['prom-client', 'pushgateway'].map((name) => {
      const ms = median(of(name));
      return Number.isNaN(ms) ? '–' : ms.toFixed(2);
    });
    const ends = [polls.count, polls.cpu, rssOf(exporter) / 1e6, polls.block].map((n) => n.toFixed(0));
    return [`${series}`, `${accounts}`, (body.length / 1000).toFixed(0), ...figures, ...others, ...ends];
  } finally {
    await Promise.all(started.map(stop));
    rmSync(folder, { recursive: true, force: true });
  }
}

function configurationOf(accounts: number, url: string): object {
  const products = { edge_applications: { address_by: 'configuration', metrics: ['status_code'] } };
  return {
    accounts: Array.from({ length: accounts }, (_, index) => ({
      name: `account-${index}`,
      api_url: url,
      token: `bench-${index}`,
      quota: { reserve: 0 },
      reconciliation_share: 0,
      discovery: '0 0 1 1 *',
      collectors: { metrics: { products } },
    })),
    limits: { series: 2_000_000 },
  };
}

async function untilFull({ client }: Server, series: number): Promise<void> {
  let before = -1;
  for (let attempt = 0; attempt < 600; attempt++) {
    const shown = totalIn(await page(client), 'edge_exporter_series');
    if (shown >= series * 0.95 && shown === before) return;
    before = shown;
    await pause(1_000);
  }
  throw new Error(`only ${before} of ${series} series`);
}

async function peersOf(
  folder: string,
  body: Buffer,
  series: number,
  start: (starting: Promise<Server>) => Promise<Server>,
): Promise<Server[]> {
  const files = { packed: join(folder, 'page.gz'), plain: join(folder, 'page') };
  writeFileSync(files.packed, body);
  writeFileSync(files.plain, gunzipSync(body));
  const peers = [await start(startRole('file', files.packed))];
  if (series > PEERS_UP_TO) return peers;
  peers.push(await start(startRole('prom-client', files.plain)));
  const pushgateway = findTool('pushgateway');
  if (pushgateway !== undefined) peers.push(await start(pushed(pushgateway, gunzipSync(body))));
  return peers;
}

async function pushed(pushgateway: string, text: Buffer): Promise<Server> {
  const server = await startProgram('pushgateway', pushgateway, (address) => [
    `--web.listen-address=${address}`,
    '--log.level=error',
  ]);
  // The Pushgateway has process metrics of its own, and refuses pushed ones with the same names.
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

/** Scrapes the servers in turn. Returns the times (ms) by server. */
async function scrapedInTurn(
  exporter: Server,
  [floor, ...peers]: readonly Server[],
): Promise<ReadonlyMap<string, number[]>> {
  const times = new Map<string, number[]>();
  const end = monotonicMs() + SCRAPED_MS;
  for (let round = 0; monotonicMs() < end; round++) {
    const others = round % PEERS_EVERY === 0 ? peers : [];
    for (const server of [exporter, floor, ...others]) {
      if (server === undefined) continue;
      const { ms } = await scrape(server.client);
      times.set(server.name, [...(times.get(server.name) ?? []), ms]);
    }
    await pause(5);
  }
  return times;
}

/**
 * Returns the number of polls in a minute without scrapes, their CPU time (ms), and the longest block (ms) of
 * the event loop.
 */
async function polled(exporter: Server): Promise<Readonly<Record<'count' | 'cpu' | 'block', number>>> {
  const polls = async () => totalIn(await page(exporter.client), 'edge_exporter_polls_total');
  watchBlocks(exporter);
  const [pollsBefore, cpuBefore] = [await polls(), cpuOf(exporter)];
  await pause(MINUTES * 60_000);
  const cpu = (cpuOf(exporter) - cpuBefore) / MINUTES;
  const block = await longestBlock(exporter);
  return { count: ((await polls()) - pollsBefore) / MINUTES, cpu, block };
}
