/**
 * Benchmark of one exporter with many accounts of five configurations each. The embedded platform runs in a
 * separate process. Usage: `npm run bench -- accounts [--accounts=1000]`. `--replicas=0,3` measures one
 * exporter, then three replicas that share a PostgreSQL database. `npm run bench -- cluster` sets this
 * option.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type PostgresServer, startPostgres } from '../end-to-end/postgres.ts';
import {
  cpuOf,
  longestBlock,
  page,
  rssOf,
  type Server,
  scrape,
  startRole,
  stop,
  totalIn,
  watchBlocks,
} from './processes.ts';
import { ROOT, startWatchedExporter } from './programs.ts';
import { monotonicMs, pause, quantile, sum } from './statistics.ts';

const CONFIGURATIONS = 5;
const LOOK_MS = 5_000;
const LATEST_MS = 30 * 60_000;
const MAIN = join(ROOT, 'dist', 'main.js');

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000' },
    metrics: { type: 'string', default: 'status_code' },
    minutes: { type: 'string', default: '2' },
    replicas: { type: 'string', default: '0' },
  },
});
const accounts = Number(values.accounts);
const metrics = values.metrics.split(',');
const allNames = Array.from({ length: accounts }, (_, index) => `account-${index}`);

const layouts = values.replicas.split(',').map(Number);

const folder = mkdtempSync(join(tmpdir(), 'edge-exporter-accounts-'));
const columns: (readonly (readonly [string, string])[])[] = [];
try {
  for (const replicas of layouts) columns.push(await measured(replicas));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${accounts} accounts of ${CONFIGURATIONS} configurations, ${metrics.join(', ')}\n\n`);
const heads = ['', ...layouts.map((n) => (n === 0 ? 'one process' : `${n} replicas`))];
process.stdout.write(`| ${heads.join(' | ')} |\n${'|---'.repeat(heads.length)}|\n`);
for (const [row, [what]] of (columns[0] ?? []).entries())
  process.stdout.write(`| ${what} | ${columns.map((column) => column[row]?.[1]).join(' | ')} |\n`);

async function measured(replicas: number): Promise<readonly (readonly [string, string])[]> {
  const started: Server[] = [];
  const ends: (() => Promise<void>)[] = [];
  try {
    const platform = await startRole('sandbox', values.accounts);
    started.push(platform);
    const database = replicas === 0 ? undefined : await startPostgres((end) => void ends.push(end));
    const state =
      database === undefined ? `--state.dir=${join(folder, 'state')}` : `--state.url=${database.url}`;
    const names = Array.from({ length: Math.max(1, replicas) }, (_, n) => `replica-${n}`);
    const begun = monotonicMs();
    const flags = (name: string) => (database === undefined ? [state] : [state, `--state.replica=${name}`]);
    const configuration = configurationOf(platform, allNames);
    const exporters = await Promise.all(
      names.map((name) => startWatchedExporter(folder, configuration, ...flags(name))),
    );
    started.push(...exporters);
    return await measure(planned(platform), exporters, database, begun);
  } finally {
    await Promise.all(started.map(stop));
    for (const end of ends) await end();
  }
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

function planned(platform: Server): { readonly series: number; readonly operations: number } {
  const file = join(folder, 'one.yaml');
  writeFileSync(file, JSON.stringify(configurationOf(platform, allNames.slice(0, 1))));
  const args = [MAIN, 'plan', '--json', `--config.file=${file}`];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const { accounts: plans } = JSON.parse(stdout) as { accounts: readonly Plan[] };
  const rows = plans.flatMap((plan) => plan.rows);
  return { operations: sum(rows.map((row) => row.demand)), series: sum(rows.map((row) => row.series ?? 0)) };
}

async function measure(
  plan: ReturnType<typeof planned>,
  exporters: readonly Server[],
  database: PostgresServer | undefined,
  begun: number,
): Promise<readonly (readonly [string, string])[]> {
  exporters.forEach(watchBlocks);
  const cpu = () => sum(exporters.map(cpuOf));
  const toAll = await untilAllSeries(exporters, begun);
  const cpuUntilThen = cpu();
  const atFirst = await blocks(exporters);
  const [from, cpuBefore, before] = [monotonicMs(), cpu(), await databaseUse(database)];
  const [ages, scrapes]: [number[], number[]] = [[], []];
  for (let minute = 0; minute < Number(values.minutes); minute++) {
    scrapes.push(...(await scrapedForAMinute(exporters)));
    ages.push(...agesIn((await pages(exporters)).join('')));
  }
  const [passed, used, after] = [monotonicMs() - from, cpu() - cpuBefore, await databaseUse(database)];
  const later = await blocks(exporters);
  const texts = await pages(exporters);
  const total = (name: string) => sum(texts.map((text) => totalIn(text, name)));
  const refused =
    texts.join('').match(/^edge_exporter_operations_total\{[^}]*status="429"[^}]*\} \d+/gm) ?? [];
  const perSecond = (of: (use: DatabaseUse) => number) =>
    before && after ? ((1_000 * (of(after) - of(before))) / passed).toFixed(1) : '–';
  return [
    ['series, as planned', `${plan.series * accounts}`],
    ['series, as exposed', `${total('edge_exporter_series')}`],
    ['operations a minute, as planned', `${Math.round(plan.operations * accounts)}`],
    ['answers of 429', `${sum(refused.map((line) => Number(line.split(' ').at(-1))))}`],
    ['time to all series', `${(toAll / 1_000).toFixed(0)} s`],
    ['CPU until then', `${(cpuUntilThen / 1_000).toFixed(0)} s`],
    ['CPU afterwards', `${((100 * used) / passed).toFixed(0)} % of a core`],
    [
      'RSS',
      exporters
        .map((exporter) => `${(rssOf(exporter) / 1e6).toFixed(0)}`)
        .join(' + ')
        .concat(' MB'),
    ],
    [
      'age of data: median, 99 %, most',
      [0.5, 0.99, 1].map((q) => `${quantile(ages, q).toFixed(0)} s`).join(', '),
    ],
    [
      'a scrape, one each second: median, 99 %, most',
      [0.5, 0.99, 1].map((q) => `${quantile(scrapes, q).toFixed(1)} ms`).join(', '),
    ],
    ['database: transactions a second', perSecond(({ transactions }) => transactions)],
    ['database: kB of its log a second', perSecond(({ bytes }) => bytes / 1_000)],
    ['database: CPU, % of a core', perSecond(({ cpuMs }) => cpuMs / 10)],
    ['database: memory', after === undefined ? '–' : `${(after.memory / 1e6).toFixed(0)} MB`],
    ['longest block until all series', `${atFirst.toFixed(0)} ms`],
    ['longest block afterwards', `${later.toFixed(0)} ms`],
  ];
}

function pages(exporters: readonly Server[]): Promise<string[]> {
  return Promise.all(exporters.map(({ client }) => page(client)));
}

async function scrapedForAMinute(exporters: readonly Server[]): Promise<readonly number[]> {
  const end = monotonicMs() + 60_000;
  const scrapes: number[] = [];
  while (monotonicMs() < end) {
    const begun = monotonicMs();
    const taken = await Promise.all(exporters.map(({ client }) => scrape(client)));
    scrapes.push(...taken.map(({ ms }) => ms));
    await pause(Math.max(0, begun + 1_000 - monotonicMs()));
  }
  return scrapes;
}

function agesIn(text: string): number[] {
  const now = Date.now() / 1_000;
  const found = text.matchAll(/^edge_data_until_timestamp_seconds\{.*\} (\S+)$/gm);
  return [...found].map(([, until]) => now - Number(until));
}

interface DatabaseUse {
  readonly transactions: number;
  readonly bytes: number;
  readonly cpuMs: number;
  /** Resident memory (bytes) of the process. Processes that share a page count it proportionally. */
  readonly memory: number;
}

async function databaseUse(database: PostgresServer | undefined): Promise<DatabaseUse | undefined> {
  if (database === undefined) return undefined;
  const [row] = await database
    .connections(1)
    .query(
      "SELECT sum(xact_commit) AS transactions, pg_current_wal_lsn() - '0/0' AS bytes FROM pg_stat_database",
    );
  const { pid } = database.process();
  const processes = processesBelow(pid);
  return {
    transactions: Number(row?.['transactions']),
    bytes: Number(row?.['bytes']),
    cpuMs: sum(processes.map((one) => ticksOf(one))) * 10,
    memory: sum(processes.map((one) => 1_024 * pssOf(one))),
  };
}

function processesBelow(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...(children === '' ? [] : children.split(' ').map(Number))];
}

function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return sum(fields.slice(11, 15).map(Number));
}

function pssOf(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]);
}

/** Waits until every configuration of every account has its series. Returns the time (ms). */
async function untilAllSeries(exporters: readonly Server[], begun: number): Promise<number> {
  for (;;) {
    const text = (await pages(exporters)).join('');
    const found = text.match(/^edge_data_until_timestamp_seconds\{/gm)?.length ?? 0;
    process.stderr.write(`${found} `);
    const ms = monotonicMs() - begun;
    if (found >= accounts * CONFIGURATIONS * metrics.length) return ms;
    if (ms > LATEST_MS) throw new Error(`after ${ms} ms only ${found} configurations have series`);
    await pause(LOOK_MS);
  }
}

/** Returns the longest block (ms) of the event loop among all exporters. */
async function blocks(exporters: readonly Server[]): Promise<number> {
  return Math.max(...(await Promise.all(exporters.map(longestBlock))));
}
