import { afterEach, expect, it } from 'vitest';
import type { Sample } from '../../../src/exporter/catalogue/family.ts';
import { PRODUCTS } from '../../../src/exporter/catalogue/products.ts';
import { BLANK } from '../../../src/exporter/poll/job.ts';
import { ScheduledJob } from '../../../src/exporter/poll/schedule.ts';
import { SeriesSamples } from '../../../src/exporter/series/samples.ts';
import type { SeriesJob } from '../../../src/exporter/series/series-job.ts';
import { heapInUse } from '../../heap-in-use.ts';
import { SeriesBed } from './series-bed.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 5, 12);
const METRIC = 'status_code';
const CODES = Array.from({ length: 24 }, (_, index) =>
  String(200 + 100 * (index % 4) + Math.floor(index / 4)),
);
const JOBS = 3_000;
const NEW = 100;

let held: unknown;

afterEach(() => {
  held = undefined;
});

function polledJobs(count: number) {
  const bed = new SeriesBed(METRIC, NOON, 'auto');
  const jobs = Array.from({ length: count }, (_, index) => {
    const job = bed.job(`${index}`);
    const scheduled = new ScheduledJob(job, bed.now);
    let shown: readonly Sample[] = [];
    for (const minute of [0, 1]) {
      bed.now = NOON + minute * MINUTE;
      scheduled.due(bed.now);
      scheduled.signal.throwIfAborted();
      shown = answered(bed, job);
      scheduled.end(bed.now, BLANK);
    }
    return { scheduled, labels: shown.map(({ labels }) => labels) };
  });
  return { bed, jobs };
}

function answered(bed: SeriesBed, job: SeriesJob, dimensions = CODES): readonly Sample[] {
  const { now } = bed;
  const window = { from: now - 20 * MINUTE, to: now };
  const timestamps = Float64Array.from({ length: 20 }, (_, index) => window.from + index * MINUTE);
  const series = new Map(dimensions.map((name) => [name, { timestamps, values: timestamps.map(() => 5) }]));
  const decoded = { series, rejected: new Map(), rows: 20 * dimensions.length };
  return bed.taken(job, { decoded, window, now }).flatMap(({ samples }) => samples);
}

it('a job of 24 series at rest takes a few kilobytes', () => {
  polledJobs(100);
  const before = heapInUse();
  const { bed, jobs } = polledJobs(JOBS);
  held = { bed, jobs };
  const each = (heapInUse() - before) / JOBS;
  process.stdout.write(`heap of a job of ${CODES.length} series: ${each.toFixed(0)} bytes\n`);
  expect(held).toBeDefined();
  expect(jobs).toHaveLength(JOBS);
  // A series takes 14,000 bytes with Node 20. A typed array with its own buffer for each series would add
  // 7,000.
  expect(each).toBeLessThan(15_000);
});

it('dimensions that never come again do not add up', () => {
  const bed = new SeriesBed(METRIC, NOON, 'auto');
  const job = bed.job('0');
  const pollFor = (minutes: number) => {
    for (const end = bed.now + minutes * MINUTE; bed.now < end; bed.now += MINUTE)
      answered(bed, job, [...CODES, ...Array.from({ length: NEW }, (_, index) => `${bed.now}-${index}`)]);
    return heapInUse();
  };
  held = { bed, job };
  // After this time, the memory of names is full.
  const before = pollFor(150);
  const growth = pollFor(150) - before;
  process.stdout.write(`heap of ${150 * NEW} dimensions gone: ${growth} bytes\n`);
  // Each dimension would take a kilobyte or more if it were remembered permanently.
  expect(growth).toBeLessThan(1_000_000);
});

it('what the catalogue says for an account goes with the account', () => {
  const [product] = PRODUCTS;
  if (product === undefined) throw new Error('there is no product');
  const target = { account: 'a', product, by: 'configuration', id: '1', name: 'site' } as const;
  const start = (times: number) => {
    for (let time = 0; time < times; time += 1)
      new SeriesSamples(target, METRIC, {}, () => true).unknown(CODES);
    return heapInUse();
  };
  const before = start(100);
  // Each start would take 5 KB or more if its catalogue data remained in memory.
  expect(start(1_000) - before).toBeLessThan(1_000_000);
});
