/**
 * Many accounts of five configurations in one exporter, beside the embedded platform as a process of its own:
 * `npm run bench -- accounts [--accounts=1000] [--metrics=status_code] [--minutes=2]`.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { BlockCommand, BlockTold } from './block-watch.ts';
import { ROOT, startWatchedExporter } from './programs.ts';
import {
  cpuOf,
  page,
  raiseAboveOthers,
  rssOf,
  type Server,
  startRole,
  stop,
  valueIn,
} from './scrape-process.ts';
import { monotonicMs, pause, sum } from './statistics.ts';

const CONFIGURATIONS = 5;
/** How often it is looked how many series there are (ms). */
const LOOK_MS = 5_000;
const LATEST_MS = 30 * 60_000;
const MAIN = join(ROOT, 'dist', 'main.js');

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000' },
    metrics: { type: 'string', default: 'status_code' },
    minutes: { type: 'string', default: '2' },
  },
});
const accounts = Number(values.accounts);
const metrics = values.metrics.split(',');
const names = Array.from({ length: accounts }, (_, index) => `account-${index}`);

const folder = mkdtempSync(join(tmpdir(), 'edge-exporter-accounts-'));
const started: Server[] = [];
try {
  const platform = await startRole('sandbox', values.accounts);
  started.push(platform);
  await measure(platform);
} finally {
  await Promise.all(started.map(stop));
  rmSync(folder, { recursive: true, force: true });
}

function configurationOf({ url }: Server, some: readonly string[]): object {
  const collectors = { metrics: { products: { edge_applications: { metrics } } } };
  return {
    accounts: some.map((name) => ({ name, api_url: url, token: name, collectors })),
    limits: { series: 5_000_000 },
  };
}

interface Plan {
  readonly rows: readonly { readonly demand: number; readonly series: number | null }[];
}

/** What `plan` says of one of the accounts, which are all alike. */
function planned(platform: Server): { readonly series: number; readonly operations: number } {
  const file = join(folder, 'one.yaml');
  writeFileSync(file, JSON.stringify(configurationOf(platform, names.slice(0, 1))));
  const args = [MAIN, 'plan', '--json', `--config.file=${file}`];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const { accounts: plans } = JSON.parse(stdout) as { accounts: readonly Plan[] };
  const rows = plans.flatMap((plan) => plan.rows);
  return { operations: sum(rows.map((row) => row.demand)), series: sum(rows.map((row) => row.series ?? 0)) };
}

async function measure(platform: Server): Promise<void> {
  const plan = planned(platform);
  const begun = monotonicMs();
  const exporter = await startWatchedExporter(
    folder,
    configurationOf(platform, names),
    'block-watch',
    `--state.dir=${join(folder, 'state')}`,
  );
  started.push(exporter);
  if (!raiseAboveOthers(exporter))
    process.stderr.write('no real-time priority: what else this machine does counts as blocks\n');
  send(exporter, 'watch');
  const toAll = await untilAllSeries(exporter, begun);
  const atFirst = await block(exporter);
  const [from, cpuBefore] = [monotonicMs(), cpuOf(exporter)];
  await pause(60_000 * Number(values.minutes));
  const share = (cpuOf(exporter) - cpuBefore) / (monotonicMs() - from);
  const later = await block(exporter);
  const text = await page(exporter.client);
  const rows: readonly (readonly [string, string])[] = [
    ['series, as planned', `${plan.series * accounts}`],
    ['series, as exposed', `${valueIn(text, 'edge_exporter_series')}`],
    ['operations a minute, as planned', `${Math.round(plan.operations * accounts)}`],
    ['time to all series', `${(toAll.ms / 1_000).toFixed(0)} s`],
    ['CPU until then', `${(toAll.cpu / 1_000).toFixed(0)} s`],
    ['CPU afterwards', `${(100 * share).toFixed(0)} % of a core`],
    ['RSS', `${(rssOf(exporter) / 1e6).toFixed(0)} MB`],
    ['longest block until all series, of its own, run', blockWords(atFirst)],
    ['longest block afterwards, of its own, run', blockWords(later)],
  ];
  process.stdout.write(`${accounts} accounts of ${CONFIGURATIONS} configurations, ${metrics.join(', ')}\n\n`);
  for (const [what, value] of rows) process.stdout.write(`| ${what} | ${value} |\n`);
}

/** Until every configuration of every account has its series. */
async function untilAllSeries(exporter: Server, begun: number): Promise<{ ms: number; cpu: number }> {
  for (;;) {
    const text = await page(exporter.client);
    const found = text.match(/^edge_last_bucket_timestamp_seconds\{/gm)?.length ?? 0;
    process.stderr.write(`${found} `);
    const ms = monotonicMs() - begun;
    if (found >= accounts * CONFIGURATIONS * metrics.length) return { ms, cpu: cpuOf(exporter) };
    if (ms > LATEST_MS) throw new Error(`after ${ms} ms only ${found} configurations have series`);
    await pause(LOOK_MS);
  }
}

function send({ child }: Server, command: BlockCommand): void {
  child.send(command);
}

async function block(exporter: Server): Promise<BlockTold> {
  const told = once(exporter.child, 'message');
  send(exporter, 'tell');
  const [found] = (await told) as [BlockTold];
  return found;
}

function blockWords({ longest, longestOwn, longestRun }: BlockTold): string {
  return [longest, longestOwn, longestRun].map(ms).join(', ');
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}
