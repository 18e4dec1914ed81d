import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { collect } from '../../../src/exporter/backfill/collect.ts';
import type { HistoryPlan, PlannedSeries } from '../../../src/exporter/backfill/history-plan.ts';
import { HistoryState } from '../../../src/exporter/backfill/history-state.ts';
import type { WindowRead } from '../../../src/exporter/backfill/read-window.ts';
import { Progress } from '../../../src/exporter/command-line/progress.ts';
import type { Receiver } from '../../../src/exporter/configuration/push-settings.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';
import { SimulatedClock } from '../../simulated-clock.ts';

const HOUR = 3_600_000;
const LOG = { info: () => undefined, warn: () => undefined };
const WAF: PlannedSeries = {
  account: 'test',
  api: 'metrics',
  product: 'edge_applications',
  by: 'configuration',
  id: '1',
  name: 'shop',
  metric: 'waf',
  source: 'rest',
};
const PLAN: HistoryPlan = {
  version: 2,
  id: 'first',
  request: {},
  range: { from: 0, to: 6 * HOUR },
  latest: 6 * HOUR,
  series: [WAF],
};

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'history-state-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return join(path, 'history.om');
}

async function opened(output: string) {
  const state = await HistoryState.open(output, LOG);
  onTestFinished(() => state.close());
  return state;
}

function found(window: number, dimensions: readonly string[], isWhole = true): WindowRead {
  const counted = { width: 60_000, buckets: [[window * HOUR, 60_000, window]] as const };
  return { dimensions: new Map(dimensions.map((name) => [name, counted])), isWhole };
}

async function kept(state: HistoryState, dimension: string) {
  const values: number[] = [];
  for await (const { buckets } of state.buckets(0, dimension))
    values.push(...buckets.map(([, , value]) => value));
  return values;
}

it('gives back what it was given, in the order of the windows, also to a later run', async () => {
  const output = await folder();
  const state = await opened(output);
  await state.begin(PLAN);
  const windows = [0, 3, 1].map((window) => state.keep(window, new Map([[0, found(window, ['total'])]]), 6));
  await Promise.all([...windows, state.keep(4, new Map([[0, found(4, ['threats', 'total'], false)]]), 6)]);
  await state.close();
  const again = await opened(output);
  expect(again.plan).toEqual(PLAN);
  expect(await kept(again, 'total')).toEqual([0, 1, 3, 4]);
  expect(await kept(again, 'threats')).toEqual([4]);
  expect([1, 2, 3, 5].map((window) => again.has(0, window))).toEqual([true, false, true, false]);
  expect(again.done(0)).toBe(4);
  expect(again.progress(0)).toMatchObject({ dimensions: ['total', 'threats'], lacking: 1 });
});

it('takes nothing of an earlier history for its own', async () => {
  const state = await opened(await folder());
  await state.begin(PLAN);
  await state.keep(0, new Map([[0, found(0, ['total'])]]), 6);
  const receiver = { name: 'central', url: 'http://127.0.0.1' } as Receiver;
  await state.keepPushed(receiver, { series: 1, samples: 7, sent: 7, refused: {} });
  await state.begin({ ...PLAN, id: 'second' });
  expect([state.pushed(receiver).sent, state.has(0, 0)]).toEqual([0, false]);
  expect(await kept(state, 'total')).toEqual([]);
});

it('is refused where something else is, and gone without its folder once it is removed', async () => {
  const output = await folder();
  await mkdir(`${output}.partial`);
  await writeFile(join(`${output}.partial`, 'diary.txt'), 'of value');
  await expect(HistoryState.open(output, LOG)).rejects.toThrow(/was not created by this version of backfill/);
  const other = await opened(`${output}2`);
  await other.remove();
  await expect(stat(other.path)).rejects.toThrow('ENOENT');
});

it('notes once that the platform does not have a metric, though several windows are under way', async () => {
  const state = await opened(await folder());
  await state.begin(PLAN);
  const clock = new SimulatedClock();
  const told: string[] = [];
  const progress = new Progress(clock, { ...LOG, warn: (_, message) => void told.push(message) });
  const read = () => Promise.reject(new PlatformFailure('not_found', 'as told'));
  const account = { name: 'test', concurrency: 3, units: () => [{ numbers: [0], read }] };
  const { signal } = new AbortController();
  const collected = collect([account], { plan: PLAN, state, clock, signal, progress });
  await clock.advance(60_000);
  await collected;
  const gone = told.filter((message) => message !== 'reading a window failed');
  expect(gone).toEqual(['the platform does not have this metric']);
  expect(progress.facts.windows).toBe(6);
});
