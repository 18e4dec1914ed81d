import { expect, it } from 'vitest';
import { PlatformFailure, type Read } from '../../../src/exporter/platform/read.ts';
import { adopt } from '../../../src/exporter/poll/runner.ts';
import type {
  GroupAnswer,
  ReadableSeries,
  SeriesSource,
  WindowAsked,
} from '../../../src/exporter/series/series-source.ts';
import { SeriesBed } from './series-bed.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 5, 12);
const never = new AbortController().signal;
const noRead: Read = () => Promise.reject(new Error('the source knows its answers'));

function sourceOf(bed: SeriesBed) {
  const state = { isDown: false };
  const source: SeriesSource = {
    name: 'graphql',
    group: 'graphql',
    costsByWindow: true,
    cost: () => 1,
    answers: () => true,
    read: async <S extends ReadableSeries>({ series, window }: WindowAsked<S>): Promise<GroupAnswer<S>> => {
      if (state.isDown) throw new PlatformFailure('server_error', 'HTTP 503', 503);
      const asked = window(bed.now);
      const timestamps = Float64Array.from(
        { length: (asked.to - asked.from) / MINUTE },
        (_, index) => asked.from + index * MINUTE,
      );
      const points = new Map([['total', { timestamps, values: timestamps.map(() => 5) }]]);
      const decoded = { series: points, rejected: new Map(), rows: timestamps.length };
      return {
        answers: series.map((one) => [one, { decoded, window: asked, now: bed.now }]),
        rejected: new Map(),
      };
    },
  };
  return { state, source };
}

function started() {
  const bed = new SeriesBed('cdn_requests', NOON, 0);
  const { state, source } = sourceOf(bed);
  const series = ['1', '2', '3'].map((id) => bed.series(id));
  const job = bed.jobOf(series, source);
  const minute = async () => {
    bed.now += MINUTE;
    const answer = await job.read(noRead, never).catch(() => undefined);
    if (answer !== undefined) adopt(bed.memory, await job.conclude(answer), true);
    const { follower } = job;
    const dueAt = follower.dueAt();
    if (dueAt === undefined || dueAt > bed.now) return;
    const past = await follower.read(noRead, never).catch(() => undefined);
    if (past !== undefined) adopt(bed.memory, follower.conclude(past), true);
  };
  const pass = async (minutes: number) => {
    for (let passed = 0; passed < minutes; passed += 1) await minute();
  };
  const behind = () => series.map((one) => (bed.now - (one.kept.watermark ?? 0)) / MINUTE);
  return { bed, job, state, pass, behind };
}

it('catches up all series of a group after an absence', async () => {
  const { state, pass, behind } = started();
  await pass(60);
  expect(Math.max(...behind())).toBeLessThanOrEqual(11);
  state.isDown = true;
  await pass(10 * 60);
  expect(Math.min(...behind())).toBeGreaterThan(600);
  state.isDown = false;
  await pass(90);
  expect(Math.max(...behind())).toBeLessThanOrEqual(11);
});

it('concludes for series that are still read, and exposes nothing of others', async () => {
  const { bed, job } = started();
  bed.now += MINUTE;
  const answer = await job.read(noRead, never);
  const [first, ...others] = job.series;
  job.assign(others);
  const result = await job.conclude(answer);
  const shown = new Set(result.exposures(true).map(({ series }) => series?.id));
  expect(shown).toEqual(new Set(others.map(({ id }) => id)));
  expect(shown).not.toContain(first?.id);
});

it('is due at once when a series was added that it has not read', async () => {
  const { bed, job } = started();
  expect(job.dueAt()).toBeUndefined();
  job.assign([...job.series, bed.series('4')]);
  expect(job.dueAt()).toBe(bed.now);
  bed.now += MINUTE;
  await job.read(noRead, never);
  expect(job.dueAt()).toBeUndefined();
});
