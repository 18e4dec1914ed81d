import { spawnSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { openState } from '../../src/exporter/state/open-state.ts';
import { eventually } from '../eventually.ts';
import {
  DISK_FAILURES,
  type DiskFailure,
  HANGING_DISK,
  mountSmallDisk,
} from '../exporter/state/disk-failures.ts';
import { parseExposition } from '../parse-exposition.ts';
import { auditCounters } from '../simulation/true-counters.ts';
import { configFile, temporaryFolder } from './config-file.ts';
import { type ExporterProcess, startExporter } from './exporter-process.ts';
import { type ServedSandbox, serveSandbox } from './platform.ts';
import { busyAccount, countersOf, prepareCounters } from './prepared-counters.ts';

/**
 * Number of trials. Run more with `DISK_FAILURES=200 npx vitest run test/end-to-end/disk-failures.test.ts`.
 */
const TRIALS = Number(process.env['DISK_FAILURES'] ?? 4);
const METRICS = ['cdn_requests', 'status_code', 'waf', 'http_method'];
const FAMILIES = new Set(METRICS.flatMap((metric) => countersOf(metric).map(({ family }) => family)));
const DAY = 86_400_000;

const ACCOUNT = busyAccount('shop', METRICS);

/**
 * Starts an exporter on a small disk of its own. Its counters are weeks behind, so it commits all the time.
 */
async function startBehind(sandbox: ServedSandbox) {
  const directory = await temporaryFolder();
  mountSmallDisk(directory);
  onTestFinished(() => void spawnSync('umount', ['--lazy', directory]));
  const since = Date.now() - 25 * DAY;
  await prepareCounters(directory, { sandbox, account: ACCOUNT.name, metrics: METRICS, since });
  const { path } = await configFile({ accounts: [{ ...ACCOUNT, api_url: sandbox.url }] });
  const exporter = await startExporter({
    args: ['serve', `--config.file=${path}`, `--state.dir=${directory}`],
  });
  onTestFinished(async () => exporter.process.kill('SIGKILL'));
  return { exporter, directory };
}

function watched({ scrape }: ExporterProcess) {
  let last: ReadonlyMap<string, number> = new Map();
  return {
    async look(): Promise<{ readonly counted: number; readonly refused: number }> {
      const { status, body } = await scrape();
      expect(status).toBe(200);
      const { samples } = parseExposition(body);
      const sums = new Map<string, number>();
      const less: string[] = [];
      for (const [series, value] of samples) {
        const name = series.slice('["'.length, series.indexOf('"', '["'.length));
        sums.set(name, (sums.get(name) ?? 0) + value);
        if (FAMILIES.has(name) && !(value >= (last.get(series) ?? 0))) less.push(`${series} ${value}`);
      }
      expect(less).toEqual([]);
      last = samples;
      return {
        counted: sums.get('edge_exporter_buckets_counted_total') ?? 0,
        refused: sums.get('edge_exporter_state_errors_total') ?? 0,
      };
    },
  };
}

type Look = ReturnType<typeof watched>['look'];

const SELDOM = { every: 500 };

async function trial(failure: DiskFailure, pid: number, directory: string, look: Look): Promise<void> {
  const before = await look();
  await eventually('it counts', async () => (await look()).counted > before.counted, SELDOM);
  const { mend } = await failure.strike(pid, directory);
  await eventually(
    'commits are refused',
    async () => (await look()).refused > before.refused,
    failure.canBeBorne ? { within: 1_000 } : SELDOM,
  ).catch((error: unknown) => {
    if (!failure.canBeBorne) throw error;
  });
  await mend();
  const mended = await look();
  await eventually('it counts again', async () => (await look()).counted > mended.counted, SELDOM);
}

it(`${TRIALS} times its disk fails and comes back: it is scraped all the time, counters wait and go on, and none is wrong`, async () => {
  // Some of the configurations continue while others wait for a minute after a refused commit.
  const sandbox = await serveSandbox({
    configurations: 80,
    settleMs: 20_000,
    faults: { latency: { ms: 40, spread_ms: 20 } },
  });
  const { exporter, directory } = await startBehind(sandbox);
  const { look } = watched(exporter);
  const possible = [HANGING_DISK, ...DISK_FAILURES].filter((failure) => failure.isPossible(directory));
  expect(possible.length).toBeGreaterThan(0);
  for (let index = 0; index < TRIALS; index++) {
    const failure = possible[index % possible.length];
    if (failure === undefined) continue;
    await trial(failure, exporter.process.pid, directory, look).catch((error: Error) => {
      throw new Error(`trial ${index}, ${failure.name}: ${error.message}\n${exporter.process.output()}`);
    });
  }
  expect(exporter.process.running()).toBe(true);
  const log = exporter.process.output();
  expect(log).toContain('the state cannot be written: counters wait');
  expect(log).toContain('writing the state works again');
  expect(await exporter.kill('SIGTERM')).toMatchObject({ code: 0 });

  const state = await openState(directory, { info: () => undefined, warn: () => undefined });
  onTestFinished(() => state.close());
  expect(state.note).toBeUndefined();
  const { wrong, buckets } = auditCounters(state, sandbox);
  expect(wrong).toEqual([]);
  expect(buckets).toBeGreaterThan(0);
});
