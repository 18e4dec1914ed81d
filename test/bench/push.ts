/**
 * Benchmark that compares the exporter's sender with Prometheus' own remote write, in an agent of the same
 * build as the receiver. Both have the same samples on disk until the receiver answers, and are measured
 * while they send: `npm run bench -- push [--configurations=100] [--buckets=40] [--rounds=3]`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toolPath } from '../end-to-end/tools.ts';
import { cpuOf, page, type Server, startProgram, stop } from './processes.ts';
import { startReceiver } from './programs.ts';
import type { SenderReport } from './push-sender.ts';
import { pageOf, SERIES_PER_CONFIGURATION } from './push-series.ts';
import { median, pause } from './statistics.ts';

const BUILDS = [
  {
    name: 'Prometheus 2',
    path: toolPath('prometheus'),
    agent: '--enable-feature=agent',
    remoteWrite: {},
  },
  {
    name: 'Prometheus 3',
    path: toolPath('prometheus3'),
    agent: '--agent',
    // The agent uses the same protocol version as the exporter, if the receiver supports it.
    remoteWrite: { protobuf_message: 'io.prometheus.write.v2.Request' },
  },
] as const;

type Build = (typeof BUILDS)[number];

const SCRAPE_INTERVAL_MS = 500;
const LOOK_MS = 100;
/**
 * Time (ms) without new samples after which the receiver has all of them. An agent delays its last samples by
 * 5 s.
 */
const QUIET_MS = 8_000;
/**
 * Share of the samples at each end that the measurement excludes. The ends contain the start of the sender
 * and a last, small request.
 */
const ENDS = 0.05;

const { values } = parseArgs({
  options: {
    configurations: { type: 'string', default: '100' },
    buckets: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '3' },
  },
});
const [configurations, buckets, rounds] = [values.configurations, values.buckets, values.rounds].map(
  Number,
) as [number, number, number];
const wanted = configurations * SERIES_PER_CONFIGURATION * buckets;

interface Measured {
  readonly samplesPerSecond: number;
  /** CPU time (ms) of the sender for 1,000 samples. */
  readonly cpu: number;
  readonly receiverCpu: number;
  readonly bytesPerSample: number;
  readonly diskPerSample: number;
  readonly outboxPerSample: number;
}

function sumIn(text: string, name: string): number {
  const lines = text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'));
  return [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
}

function sizeOf(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

async function drained(sender: Pick<Server, 'child'>, receiver: Server) {
  const looks: { at: number; samples: number; cpu: number; receiverCpu: number }[] = [];
  for (;;) {
    const samples = sumIn(await page(receiver.client), 'prometheus_tsdb_head_samples_appended_total');
    const look = { at: performance.now(), samples, cpu: cpuOf(sender), receiverCpu: cpuOf(receiver) };
    looks.push(look);
    const since = looks.find((earlier) => earlier.samples === samples)?.at ?? look.at;
    if (samples > 0 && look.at - since > QUIET_MS) break;
    await pause(LOOK_MS);
  }
  const samples = looks.at(-1)?.samples ?? 0;
  if (samples < wanted) throw new Error(`the receiver has ${samples} of ${wanted} samples`);
  const first = looks.find((look) => look.samples >= ENDS * samples);
  const last = looks.findLast((look) => look.samples <= (1 - ENDS) * samples);
  if (first === undefined || last === undefined || last.samples <= first.samples)
    throw new Error('too few samples to be measured: give more --buckets');
  const thousands = (last.samples - first.samples) / 1_000;
  return {
    samples,
    samplesPerSecond: (1_000 * (last.samples - first.samples)) / (last.at - first.at),
    cpu: (last.cpu - first.cpu) / thousands,
    receiverCpu: (last.receiverCpu - first.receiverCpu) / thousands,
  };
}

async function measureOurs(build: Build, folder: string): Promise<Measured> {
  const receiver = await startReceiver(folder, {}, build.path);
  const state = join(folder, 'state');
  const program = join(import.meta.dirname, 'push-sender.js');
  const child = fork(program, [
    `${receiver.url}/api/v1/write`,
    state,
    String(configurations),
    String(buckets),
  ]);
  try {
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`our sender ended with ${code}`);
    });
    const [full] = (await Promise.race([once(child, 'message'), ended])) as [SenderReport];
    const disk = sizeOf(state);
    let sent = full;
    child.on('message', (report: SenderReport) => {
      sent = report;
    });
    child.send('go');
    const { samples, ...measured } = await Promise.race([drained({ child }, receiver), ended]);
    if (samples !== wanted) throw new Error(`the receiver has ${samples} samples, not ${wanted}`);
    process.stderr.write(`${build.name}: ours by ${sent.protocol}\n`);
    return {
      ...measured,
      bytesPerSample: sent.sentBytes / samples,
      diskPerSample: disk / samples,
      outboxPerSample: full.outboxBytes / full.samples,
    };
  } finally {
    child.removeAllListeners('exit');
    child.kill('SIGKILL');
    await stop(receiver);
  }
}

async function servePages() {
  let scrapes = 0;
  const server = createServer((_, response) => {
    scrapes += 1;
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' });
    response.end(pageOf(configurations, scrapes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, scrapes: () => scrapes, close: () => server.close() };
}

async function measureAgent(build: Build, folder: string): Promise<Measured> {
  const receiver = await startReceiver(folder, {}, build.path);
  const pages = await servePages();
  const config = join(folder, 'agent.yml');
  const interval = `${SCRAPE_INTERVAL_MS}ms`;
  const scraping = {
    job_name: 'edge',
    static_configs: [{ targets: [pages.host] }],
    metric_relabel_configs: [{ action: 'labeldrop', regex: 'job|instance' }],
  };
  const configure = (jobs: readonly object[]) =>
    writeFileSync(
      config,
      JSON.stringify({
        global: { scrape_interval: interval, scrape_timeout: interval },
        scrape_configs: jobs,
        // The receiver is paused until the agent has all samples.
        remote_write: [{ url: `${receiver.url}/api/v1/write`, remote_timeout: '10m', ...build.remoteWrite }],
      }),
    );
  configure([scraping]);
  receiver.child.kill('SIGSTOP');
  const wal = join(folder, 'agent');
  const agent = await startProgram('agent', build.path, (address) => [
    `--config.file=${config}`,
    build.agent,
    `--storage.agent.path=${wal}`,
    `--web.listen-address=${address}`,
    '--web.enable-lifecycle',
    '--log.level=error',
  ]);
  try {
    const appended = async () => sumIn(await page(agent.client), 'prometheus_agent_samples_appended_total');
    while ((await appended()) < wanted) await pause(SCRAPE_INTERVAL_MS);
    configure([]);
    const { statusCode, body } = await agent.client.request({ path: '/-/reload', method: 'POST' });
    await body.dump();
    if (statusCode !== 200) throw new Error(`the agent's reload: ${statusCode}`);
    // Each series of the agent ends with one more sample, two intervals later.
    await pause(6 * SCRAPE_INTERVAL_MS);
    const disk = sizeOf(wal);
    const waiting = await appended();
    receiver.child.kill('SIGCONT');
    const { samples, ...measured } = await drained(agent, receiver);
    const text = await page(agent.client);
    process.stderr.write(
      `${build.name}: agent has ${waiting} samples of ${pages.scrapes()} scrapes, ${sumIn(text, 'prometheus_remote_storage_shards')} shards\n`,
    );
    return {
      ...measured,
      bytesPerSample:
        sumIn(text, 'prometheus_remote_storage_bytes_total') /
        sumIn(text, 'prometheus_remote_storage_samples_total'),
      diskPerSample: disk / waiting,
      outboxPerSample: Number.NaN,
    };
  } finally {
    receiver.child.kill('SIGCONT');
    await Promise.all([agent, receiver].map(stop));
    pages.close();
  }
}

const FIGURES: readonly (readonly [keyof Measured, string, digits: number])[] = [
  ['samplesPerSecond', 'samples a second', 0],
  ['cpu', 'CPU per 1,000 samples, ms', 2],
  ['receiverCpu', "the receiver's CPU per 1,000 samples, ms", 2],
  ['bytesPerSample', 'bytes sent for a sample', 2],
  ['outboxPerSample', 'bytes a sample in the outbox', 1],
  ['diskPerSample', 'bytes a sample in files while it waits', 1],
];

function tableOf(build: Build, ours: readonly Measured[], agent: readonly Measured[]): string {
  const rows = FIGURES.map(([figure, name, digits]) => {
    const [own, its] = [ours, agent].map((all) => median(all.map((one) => one[figure]))) as [number, number];
    const cell = (value: number, places = digits) => (Number.isFinite(value) ? value.toFixed(places) : '');
    return `| ${name} | ${cell(own)} | ${cell(its)} | ${cell(own / its, 2)} |`;
  });
  return [`| ${build.name} | ours | its agent | ratio |`, '| --- | --: | --: | --: |', ...rows].join('\n');
}

const home = mkdtempSync(join(tmpdir(), 'edge-exporter-push-'));
try {
  for (const build of BUILDS) {
    const [ours, agent]: [Measured[], Measured[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      ours.push(await measureOurs(build, join(home, `${build.name}-ours-${round}`)));
      agent.push(await measureAgent(build, join(home, `${build.name}-agent-${round}`)));
    }
    process.stdout.write(`${tableOf(build, ours, agent)}\n\n`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
