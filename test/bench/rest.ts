/**
 * What the process that users run takes while it has little to do, beside an exporter as one writes it in an afternoon, with the
 * same packages, and beside node:http alone: `npm run bench -- rest [--series=1000] [--starts=5]`. Takes four minutes.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startExporter } from './programs.ts';
import { SERIES_PER_CONFIGURATION } from './scrape-platform.ts';
import { cpuOf, page, rssOf, type Server, startProgram, startRole, stop } from './scrape-process.ts';
import { planOf } from './scrape-size.ts';
import { median, pause } from './statistics.ts';

const { values } = parseArgs({
  options: { series: { type: 'string', default: '1000' }, starts: { type: 'string', default: '5' } },
});
const series = Number(values.series);

/** After its start a process is left alone for so long (ms): what is loaded when it is first used is loaded then. */
const SETTLING_MS = 60_000;
/** For so long (ms) it is looked at. */
const LOOKED_AT_MS = 120_000;
const LOOK_MS = 10_000;

const plan = planOf({ series, accounts: 1 });
const platform = await startRole('platform', JSON.stringify(plan.platform));
const folder = mkdtempSync(join(tmpdir(), 'edge-exporter-rest-'));
const configuration = plan.configurationFor(platform.url);
const nothing = plan.configurationFor('http://127.0.0.1:9');

/** What it is, how it is started, and how many lines it shows at least. */
type Measured = readonly [name: string, start: () => Promise<Server>, least: number];

const STARTS: readonly Measured[] = [
  [
    `${series} series, state on disk`,
    () => startExporter(folder, configuration, `--state.dir=${join(folder, 'state')}`),
    series,
  ],
  [`${series} series`, () => startExporter(folder, configuration), series],
  ['a platform that does not answer', () => startExporter(folder, nothing), 100],
  [
    'a naive exporter',
    () => startProgram('naive', process.execPath, (at) => [program('rest-naive'), at, platform.url]),
    0.9 * series,
  ],
  ['node:http alone', () => startProgram('bare', process.execPath, (at) => [program('rest-bare'), at]), 1],
];

function program(name: string): string {
  return join(import.meta.dirname, `${name}.js`);
}

/** Memory (bytes) that is the process's own, rather than pages of files that others may share. */
function ownMemoryOf({ child }: Server): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** CPU time (ms) from the beginning of the process to its first answer, each time anew. */
async function startsOf(start: () => Promise<Server>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let count = 0; count < Number(values.starts); count++) {
    const server = await start();
    times.push(cpuOf(server));
    await stop(server);
    // A state is free once the process that had it is gone.
    await pause(500);
  }
  return times;
}

/** @param least so many lines are shown at least */
async function lookAt([, start, least]: Measured): Promise<readonly number[]> {
  const server = await start();
  await pause(SETTLING_MS);
  const before = cpuOf(server);
  const [rss, own]: [number[], number[]] = [[], []];
  for (let passed = 0; passed < LOOKED_AT_MS; passed += LOOK_MS) {
    await pause(LOOK_MS);
    rss.push(rssOf(server));
    own.push(ownMemoryOf(server));
  }
  const cpu = cpuOf(server) - before;
  const lines = (await page(server.client)).split('\n').length;
  if (lines < least) throw new Error(`only ${lines} lines`);
  await stop(server);
  return [median(rss) / 1e6, median(own) / 1e6, (100 * cpu) / LOOKED_AT_MS];
}

try {
  const starts: (readonly number[])[] = [];
  for (const [, start] of STARTS) starts.push(await startsOf(start));
  // Side by side, so that what else the machine does meets them alike.
  const looks = await Promise.all(STARTS.map(lookAt));
  const polls = Math.round(series / SERIES_PER_CONFIGURATION);
  process.stdout.write(`${polls} polls a minute, nobody scrapes\n\n`);
  process.stdout.write(
    '| | RSS MB | its own MB | CPU % of a core | CPU of a start ms |\n| -- | --: | --: | --: | --: |\n',
  );
  for (const [index, [name]] of STARTS.entries()) {
    const [rss = 0, own = 0, cpu = 0] = looks[index] ?? [];
    const figures = [rss.toFixed(0), own.toFixed(0), cpu.toFixed(2), median(starts[index] ?? []).toFixed(0)];
    process.stdout.write(`| ${[name, ...figures].join(' | ')} |\n`);
  }
} finally {
  await stop(platform);
  rmSync(folder, { recursive: true, force: true });
}
