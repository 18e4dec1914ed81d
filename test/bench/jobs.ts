/** What thousands of jobs of one account cost that are no polls: their start, ticks, and the status of all. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Block } from './cpu-wait.ts';
import type { Command, TurnTold } from './jobs-exporter.ts';
import { Answers } from './scrape-answers.ts';
import type { PlatformOptions } from './scrape-platform.ts';
import { type Server, startRole, stop } from './scrape-process.ts';
import { median, monotonicMs, pause } from './statistics.ts';

/** Medians. */
export interface JobsMeasured {
  readonly what: string;
  /** How long an answer took (ms), where there was one. */
  readonly ms?: number;
  readonly bytes?: number;
  /** The longest turn of the event loop. */
  readonly block: Block;
  /** How many times it was done. */
  readonly count: number;
}

/** Buckets close this long after the start (ms): a tick before has jobs wait, so that no poll is measured with it. */
const CLOSES_AFTER_MS = 55_000;
/** So long (ms) nothing else is to come of what was begun. */
const SETTLED_MS = 2_000;
const REQUESTS = 20;
const UPKEEPS = 3;
const MINUTE_MS = 60_000;

/** Measures an account of so many jobs. */
export async function measureJobs(jobs: number): Promise<readonly JobsMeasured[]> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-exporter-bench-'));
  const started: Server[] = [];
  try {
    const aheadMs = MINUTE_MS - ((Date.now() + CLOSES_AFTER_MS) % MINUTE_MS);
    const options: PlatformOptions = { configurations: jobs, aheadMs, holdsReads: true };
    const platform = await startRole('platform', JSON.stringify(options));
    started.push(platform);
    const file = join(folder, 'exporter.yaml');
    writeFileSync(file, JSON.stringify(configurationOf(platform.url)));
    const exporter = await startRole('jobs', file);
    started.push(exporter);
    return await measureStarted(jobs, platform, exporter);
  } finally {
    await Promise.all(started.map(stop));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureStarted(
  jobs: number,
  platform: Server,
  exporter: Server,
): Promise<readonly JobsMeasured[]> {
  const answers = new Answers(platform);
  const longestTurn = async (after: Command): Promise<Block> => {
    await turnOf(exporter);
    exporter.child.send(after);
    await pause(SETTLED_MS);
    return turnOf(exporter);
  };
  const first = await longestTurn({ start: true });
  await turnOf(exporter);
  platform.child.send('go');
  for (const latest = monotonicMs() + CLOSES_AFTER_MS; answers.count < jobs && monotonicMs() < latest; )
    await pause(100);
  await pause(SETTLED_MS);
  const polls = await turnOf(exporter);
  const tick = await longestTurn({ tick: '* * * * *' });
  const upkeeps: Block[] = [];
  for (let index = 0; index < UPKEEPS; index++) upkeeps.push(await longestTurn({ tick: '*/10 * * * * *' }));
  return [
    { what: 'the list is read, all jobs are made and due', block: first, count: 1 },
    { what: 'all jobs are polled for the first time', block: polls, count: 1 },
    { what: 'the minute begins, all jobs fall due', block: tick, count: 1 },
    { what: 'upkeep, every 10 s', block: medianOf(upkeeps), count: upkeeps.length },
    await requests(exporter, '/api/v1/status'),
    await requests(exporter, '/api/v1/status?limit=5000'),
    await requests(exporter, '/'),
  ];
}

async function requests(exporter: Server, path: string): Promise<JobsMeasured> {
  const asked: { ms: number; bytes: number; turn: Block }[] = [];
  for (let index = 0; index < REQUESTS; index++) {
    await turnOf(exporter);
    const from = performance.now();
    const { body, statusCode } = await exporter.client.request({ method: 'GET', path });
    const bytes = (await body.arrayBuffer()).byteLength;
    const ms = performance.now() - from;
    if (statusCode !== 200) throw new Error(`${path} answers ${statusCode}`);
    asked.push({ ms, bytes, turn: await turnOf(exporter) });
  }
  return {
    what: `GET \`${path}\``,
    ms: median(asked.map(({ ms }) => ms)),
    bytes: median(asked.map(({ bytes }) => bytes)),
    block: medianOf(asked.map(({ turn }) => turn)),
    count: REQUESTS,
  };
}

/** The longest turn since this was last asked. */
async function turnOf({ child }: Server): Promise<Block> {
  const told = once(child, 'message');
  child.send({ turn: true } satisfies Command);
  const [turn] = (await told) as [TurnTold];
  return turn;
}

function medianOf(blocks: readonly Block[]): Block {
  return {
    longest: median(blocks.map(({ longest }) => longest)),
    longestOwn: median(blocks.map(({ longestOwn }) => longestOwn)),
    longestRun: median(blocks.map(({ longestRun }) => longestRun)),
  };
}

function configurationOf(url: string): object {
  const account = {
    name: 'large',
    api_url: url,
    token: 'bench-0',
    quota: { reserve: 0 },
    reconciliation_share: 0,
    discovery: '0 0 1 1 *',
    collectors: {
      metrics: { products: { edge_applications: { address_by: 'configuration', metrics: ['status_code'] } } },
    },
  };
  return { accounts: [account], limits: { series: 2_000_000, configurations: 1_000_000, jobs: 1_000_000 } };
}
