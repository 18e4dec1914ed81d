import { expect, it } from 'vitest';
import { SeriesBed } from './series-bed.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 5, 12);

it('is that of a late platform only while what it gave is shown, also of a series that gets nothing new', () => {
  const bed = new SeriesBed('cdn_requests', NOON, 2 * MINUTE);
  const jobs = [bed.job('1'), bed.job('2')] as const;
  const [stalled, going] = jobs;
  const poll = (job: typeof stalled, minute: number, newest: number) => {
    bed.now = NOON + minute * MINUTE;
    const window = { from: bed.now - 60 * MINUTE, to: bed.now };
    const all = Array.from({ length: 60 }, (_, index) => window.from + index * MINUTE);
    const timestamps = Float64Array.from(all.filter((at) => at <= NOON + newest * MINUTE));
    const series = new Map([['total', { timestamps, values: timestamps.map(() => 5) }]]);
    const decoded = { series, width: MINUTE, rejected: new Map(), rows: timestamps.length };
    bed.taken(job, { decoded, window, now: bed.now });
  };
  const ages = () => jobs.map((job) => (job.expectedAge(MINUTE, bed.now) ?? 0) / MINUTE);
  for (let minute = 0; minute < 40; minute++) for (const job of jobs) poll(job, minute, minute - 1);
  const usual = ages();
  for (let minute = 40; minute < 60; minute++)
    for (const job of jobs) poll(job, minute, Math.max(39, minute - 10));
  expect(Math.min(...ages())).toBeGreaterThan(Math.max(...usual) + 5);
  for (let minute = 60; minute < 105; minute++) {
    poll(stalled, minute, 50);
    poll(going, minute, minute - 1);
  }
  expect(ages()).toEqual(usual);
});
