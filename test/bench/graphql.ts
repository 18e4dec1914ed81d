/**
 * Many configurations of one account, read by GraphQL, beside a platform in another process:
 * `npm run bench -- graphql [--configurations=10000] [--metrics=*,request_duration] [--minutes=10]`.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { BlockTold } from './block-watch.ts';
import { startWatchedExporter } from './programs.ts';
import { cpuOf, page, rssOf, type Server, startRole, stop } from './scrape-process.ts';
import { monotonicMs, pause } from './statistics.ts';

const LOOK_MS = 15_000;
const PAGES = ['/metrics', '/', '/api/v1/status', '/-/ready'] as const;

const { values } = parseArgs({
  options: {
    configurations: { type: 'string', default: '10000' },
    metrics: { type: 'string', default: '*,request_duration' },
    minutes: { type: 'string', default: '10' },
  },
});
const configurations = Number(values.configurations);

const folder = mkdtempSync(join(tmpdir(), 'edge-exporter-graphql-'));
const started: Server[] = [];
try {
  const platform = await startRole('questions', values.configurations);
  started.push(platform);
  await measure(platform);
} finally {
  await Promise.all(started.map(stop));
  rmSync(folder, { recursive: true, force: true });
}

function configurationOf({ url }: Server): object {
  const products = {
    edge_applications: { address_by: 'configuration', metrics: values.metrics.split(',') },
  };
  const account = {
    name: 'large',
    api_url: url,
    token: 'bench-0',
    source: 'graphql',
    collectors: { metrics: { products } },
  };
  return { accounts: [account], limits: { series: 5_000_000, jobs: 200_000 } };
}

async function measure(platform: Server): Promise<void> {
  const state = join(folder, 'state');
  const exporter = await startWatchedExporter(
    folder,
    configurationOf(platform),
    'block-watch',
    `--state.dir=${state}`,
  );
  started.push(exporter);
  exporter.child.send('watch');
  const begun = monotonicMs();
  let before = { at: begun, cpu: cpuOf(exporter), operations: 0 };
  process.stdout.write(
    `${configurations} configurations, ${values.metrics}\n\n| minutes | series | configurations with data | age of data, median and highest | operations a minute | CPU | RSS | longest block, of its own, run | ${PAGES.map((path) => `\`${path}\``).join(' | ')} |\n${'|---'.repeat(8 + PAGES.length)}|\n`,
  );
  while (monotonicMs() - begun < 60_000 * Number(values.minutes)) {
    await pause(LOOK_MS);
    const times: string[] = [];
    for (const path of PAGES) times.push(await timeOf(exporter, path));
    const told = toldBy(await page(exporter.client));
    const now = { at: monotonicMs(), cpu: cpuOf(exporter), operations: told.operations };
    const minutes = (now.at - before.at) / 60_000;
    const row = [
      ((now.at - begun) / 60_000).toFixed(1),
      told.series,
      told.ages.length,
      `${at(told.ages, 0.5)}, ${at(told.ages, 1)} s`,
      Math.round((now.operations - before.operations) / minutes),
      `${((now.cpu - before.cpu) / (600 * minutes)).toFixed(0)} %`,
      `${(rssOf(exporter) / 1e6).toFixed(0)} MB`,
      blockWords(await block(exporter)),
      ...times,
    ];
    process.stdout.write(`| ${row.join(' | ')} |\n`);
    before = now;
  }
}

/** How long an answer took. */
async function timeOf({ client }: Server, path: string): Promise<string> {
  const from = performance.now();
  const { body, statusCode } = await client.request({ method: 'GET', path });
  await body.arrayBuffer();
  const told = statusCode === 200 ? '' : ` (${statusCode})`;
  return `${(performance.now() - from).toFixed(0)} ms${told}`;
}

/** Ages of data in seconds, ascending. */
function toldBy(text: string) {
  const now = Date.now() / 1_000;
  const all = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^\\n]*\\})? (\\S+)$`, 'gm'))].map(([, value]) =>
      Number(value),
    );
  const ages = all('edge_\\w*data_until_timestamp_seconds').map((until) => now - until);
  return {
    series: all('edge_exporter_series')[0] ?? 0,
    operations: all('edge_exporter_operations_total').reduce((sum, value) => sum + value, 0),
    ages: ages.sort((a, b) => a - b),
  };
}

function at(ascending: readonly number[], share: number): string {
  return (ascending[Math.ceil(share * ascending.length) - 1] ?? Number.NaN).toFixed(0);
}

async function block({ child }: Server): Promise<BlockTold> {
  const told = once(child, 'message');
  child.send('tell');
  const [found] = (await told) as [BlockTold];
  return found;
}

function blockWords({ longest, longestOwn, longestRun }: BlockTold): string {
  return [longest, longestOwn, longestRun].map((ms) => `${ms.toFixed(0)} ms`).join(', ');
}
