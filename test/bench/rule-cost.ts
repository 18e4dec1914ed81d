/**
 * What the rules cost a real Prometheus with 300 configurations and their past. Compile with
 * `tsc -p test/bench`, then run the result in `.cache/bench/`; it takes a quarter of an hour.
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPrometheus } from '../end-to-end/prometheus.ts';
import { promtool } from '../end-to-end/promtool.ts';
import { expositionText, makeSites, pastText } from './alerts/sites.ts';

const CONFIGURATIONS = Number(process.argv[2] ?? 300);
const MINUTES = Number(process.argv[3] ?? 12);
const RULES = join(process.cwd(), 'config', 'prometheus', '*.rules.yml');

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
const sites = makeSites(CONFIGURATIONS);
const past = createWriteStream(join(folder, 'past.om'));
for (const lines of pastText(sites, Date.now())) {
  if (!past.write(lines)) await once(past, 'drain');
}
past.end('# EOF\n');
await once(past, 'finish');
const data = join(folder, 'data');
const backfill = await promtool(['tsdb', 'create-blocks-from', 'openmetrics', join(folder, 'past.om'), data]);
if (backfill.code !== 0) throw new Error(backfill.stderr);

const server = createServer((_request, response) => response.end(expositionText(sites, Date.now()))).listen(
  0,
  '127.0.0.1',
);
await once(server, 'listening');
const prometheus = await startPrometheus({
  jobs: { 'edge-exporter': `127.0.0.1:${(server.address() as AddressInfo).port}` },
  rules: [RULES],
  scrapeInterval: '30s',
  storage: data,
  flags: ['--storage.tsdb.retention.time=60d'],
});
try {
  await pause(MINUTES * 60_000);
  const { data: answer } = (await (await fetch(`${prometheus.url}/api/v1/rules`)).json()) as Rules;
  report(answer.groups);
  const [recorded] = await prometheus.query('count({__name__=~".+:.+"})');
  process.stdout.write(`recorded series: ${recorded?.value ?? 0}\n`);
} finally {
  await prometheus.stop();
  server.close().closeAllConnections();
  await rm(folder, { recursive: true });
}

function report(groups: Rules['data']['groups']): void {
  const line = (...cells: readonly (string | number)[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);
  const perMinute = groups.reduce(
    (sum, { evaluationTime, interval }) => sum + (evaluationTime * 60) / interval,
    0,
  );
  line('group', 'every', 'ms');
  for (const { name, interval, evaluationTime } of groups)
    line(name, `${interval} s`, (evaluationTime * 1_000).toFixed(1));
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
