/**
 * Benchmark of the rules in a real Prometheus with the past of many configurations: `npm run bench --
 * rule-cost`. Loads the past as blocks. Then Prometheus scrapes and evaluates for some minutes.
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPrometheus } from '../end-to-end/prometheus.ts';
import { promtool } from '../end-to-end/promtool.ts';
import { expositionText, makeSites, pastText } from './alerts/sites.ts';

const { values: flags } = parseArgs({
  options: {
    configurations: { type: 'string', default: '1000' },
    // Factor of the usual threats and errors for all configurations: 10 is an attack on every one.
    times: { type: 'string', default: '1' },
    // Minutes of evaluation.
    minutes: { type: 'string', default: '12' },
    tool: { type: 'string', default: 'prometheus' },
    rules: { type: 'string', default: join('config', 'prometheus') },
  },
});
const MINUTES = Number(flags.minutes);
const RULES = join(process.cwd(), flags.rules, '*.rules.yml');

interface Rules {
  readonly data: {
    readonly groups: readonly {
      readonly name: string;
      readonly interval: number;
      readonly evaluationTime: number;
      readonly rules: readonly {
        readonly name: string;
        readonly evaluationTime: number;
        readonly health: string;
        readonly lastError?: string;
      }[];
    }[];
  };
}

const folder = await mkdtemp(join(tmpdir(), 'rule-cost-'));
const sites = makeSites(Number(flags.configurations));
const data = join(folder, 'data');
// One file for each block, because promtool reads a file once for each block in it.
const BLOCK_MS = 2 * 3_600_000;
const began = Date.now();
for (
  let from = Math.floor((began - 22 * 24 * 3_600_000) / BLOCK_MS) * BLOCK_MS;
  from < began;
  from += BLOCK_MS
) {
  await makeBlock(pastText(sites, began, [from, from + BLOCK_MS]));
}

async function makeBlock(text: Iterable<string>): Promise<void> {
  const file = join(folder, 'past.om');
  const past = createWriteStream(file);
  let any = false;
  for (const lines of text) {
    any = true;
    if (!past.write(lines)) await once(past, 'drain');
  }
  past.end('# EOF\n');
  await once(past, 'finish');
  if (!any) return;
  const made = await promtool(['tsdb', 'create-blocks-from', 'openmetrics', file, data]);
  if (made.code !== 0) throw new Error(made.stderr);
}

const server = createServer((_request, response) =>
  response.end(expositionText(sites, Date.now(), Number(flags.times))),
).listen(0, '127.0.0.1');
await once(server, 'listening');
const prometheus = await startPrometheus({
  tool: flags.tool === 'prometheus3' ? 'prometheus3' : 'prometheus',
  jobs: { 'edge-exporter': `127.0.0.1:${(server.address() as AddressInfo).port}` },
  rules: [RULES],
  scrapeInterval: '30s',
  storage: data,
  flags: [
    '--storage.tsdb.retention.time=60d',
    // Compaction is off, because its cost would distort the measurement.
    ...['min', 'max'].map((which) => `--storage.tsdb.${which}-block-duration=2h`),
  ],
});
try {
  const first = { cpu: await cpuSeconds(), at: Date.now() };
  // Longest evaluation of each group during the run. The last one alone may be a quick one.
  const slowest = new Map<string, number>();
  for (const end = Date.now() + MINUTES * 60_000; Date.now() < end; await pause(10_000)) {
    const { data: seen } = (await (await fetch(`${prometheus.url}/api/v1/rules`)).json()) as Rules;
    for (const { name, evaluationTime } of seen.groups)
      slowest.set(name, Math.max(slowest.get(name) ?? 0, evaluationTime));
  }
  const { data: answer } = (await (await fetch(`${prometheus.url}/api/v1/rules`)).json()) as Rules;
  report(answer.groups, slowest);
  const cpu = ((await cpuSeconds()) - first.cpu) / ((Date.now() - first.at) / 60_000);
  process.stdout.write(`CPU of Prometheus, scraping and all: ${cpu.toFixed(2)} s of every minute\n`);
  const [recorded] = await prometheus.query('count({__name__=~".+:.+"})');
  process.stdout.write(`recorded series: ${recorded?.value ?? 0}\n`);
  const most = await prometheus.query('topk(12, count by (__name__) ({__name__=~".+:.+"}))');
  for (const { labels, value } of most) line(labels['__name__'] ?? '', value);
} finally {
  await prometheus.stop();
  server.close().closeAllConnections();
  await rm(folder, { recursive: true });
}

async function cpuSeconds(): Promise<number> {
  const text = await (await fetch(`${prometheus.url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]);
}

function line(...cells: readonly (string | number)[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

function report(groups: Rules['data']['groups'], slowest: ReadonlyMap<string, number>): void {
  const perMinute = groups.reduce(
    (sum, { evaluationTime, interval }) => sum + (evaluationTime * 60) / interval,
    0,
  );
  line('group', 'every', 'last, ms', 'slowest, ms', 'of its interval');
  line('---', '---', '--:', '--:', '--:');
  for (const { name, interval, evaluationTime } of groups) {
    const most = slowest.get(name) ?? evaluationTime;
    const share = `${((100 * most) / interval).toFixed(2)} %`;
    line(name, `${interval} s`, (evaluationTime * 1_000).toFixed(1), (most * 1_000).toFixed(1), share);
  }
  const rules = groups
    .flatMap(({ rules: all }) => all)
    .toSorted((a, b) => b.evaluationTime - a.evaluationTime);
  const total = groups.reduce((sum, { evaluationTime }) => sum + evaluationTime, 0);
  process.stdout.write(
    `\nall groups once: ${total.toFixed(2)} s; of every minute: ${perMinute.toFixed(2)} s\n`,
  );
  for (const { name, evaluationTime } of rules.slice(0, 5)) line(name, (evaluationTime * 1_000).toFixed(1));
  for (const { name, health, lastError } of rules) if (health !== 'ok') line(name, health, lastError ?? '');
}
