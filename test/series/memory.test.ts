import { afterEach, expect, it } from 'vitest';
import type { Sample } from '../../src/catalogue/family.ts';
import { PRODUCTS } from '../../src/catalogue/products.ts';
import { PlatformClock } from '../../src/platform/platform-clock.ts';
import { ScheduledJob } from '../../src/poll/scheduled-job.ts';
import { SeriesSamples } from '../../src/series/samples.ts';
import { SeriesJob } from '../../src/series/series-job.ts';
import { ReadModes, SeriesReader } from '../../src/series/series-reader.ts';
import { Delays } from '../../src/settling/delays.ts';
import { heapInUse } from '../heap-in-use.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 5, 12);
const METRIC = 'status_code';
const CODES = Array.from({ length: 24 }, (_, index) =>
  String(200 + 100 * (index % 4) + Math.floor(index / 4)),
);
const JOBS = 3_000;
/** Dimensions of an answer that no other has. */
const NEW = 100;
const MODES = new ReadModes();
const UNITS = {};
const wants = () => true;

/** What the exporter would hold. */
let held: unknown;

afterEach(() => {
  held = undefined;
});

/** What all jobs share. */
function shared() {
  const clock = { now: NOON };
  return {
    clock,
    platformClock: new PlatformClock(() => clock.now),
    delays: new Delays('auto', 10 * MINUTE),
  };
}

function madeJob(id: string, { platformClock, delays }: ReturnType<typeof shared>): SeriesJob {
  const product = PRODUCTS.find(({ slug }) => slug === 'edge_applications');
  if (product === undefined) throw new Error('no such product');
  const target = { account: 'a', product, by: 'configuration', id, name: `shop-${id}` } as const;
  return new SeriesJob({
    target,
    metric: METRIC,
    schedule: '* * * * *',
    weight: 1,
    reader: new SeriesReader({ target, metric: METRIC, wants, modes: MODES, platformClock }),
    samples: new SeriesSamples(target, METRIC, UNITS, wants),
    delays,
    stored: () => undefined,
    isPushed: () => false,
    platformClock,
  });
}

/** Jobs that have been polled twice, and rest, with what is shown of them. */
function polledJobs(count: number) {
  const common = shared();
  const { clock } = common;
  return Array.from({ length: count }, (_, index) => {
    const job = madeJob(`${index}`, common);
    const scheduled = new ScheduledJob(job, clock.now);
    let shown: readonly Sample[] = [];
    for (const minute of [0, 1]) {
      clock.now = NOON + minute * MINUTE;
      scheduled.due(clock.now);
      scheduled.signal.throwIfAborted();
      shown = answered(job, clock.now);
      scheduled.rest(clock.now);
    }
    return { scheduled, labels: shown.map(({ labels }) => labels) };
  });
}

function answered(job: SeriesJob, now: number, dimensions = CODES): readonly Sample[] {
  const window = { from: now - 20 * MINUTE, to: now };
  const timestamps = Float64Array.from({ length: 20 }, (_, index) => window.from + index * MINUTE);
  const series = new Map(dimensions.map((name) => [name, { timestamps, values: timestamps.map(() => 5) }]));
  const decoded = { series, width: MINUTE, rejected: new Map(), rows: 20 * dimensions.length };
  return job
    .conclude({ decoded, window, now })
    .adopt(true)
    .flatMap(({ samples }) => samples);
}

it('a job of 24 series at rest takes a few kilobytes', () => {
  polledJobs(100);
  const before = heapInUse();
  held = polledJobs(JOBS);
  const each = (heapInUse() - before) / JOBS;
  process.stdout.write(`heap of a job of ${CODES.length} series: ${each.toFixed(0)} bytes\n`);
  expect(held).toHaveLength(JOBS);
  // Node 20 takes 7,600, Node 24 7,750. A hidden class for each set of labels, or what only a poll or a push needs, is 400 more.
  expect(each).toBeLessThan(8_000);
});

it('dimensions that never come again do not add up', () => {
  const common = shared();
  const { clock } = common;
  const job = madeJob('0', common);
  const pollFor = (minutes: number) => {
    for (const end = clock.now + minutes * MINUTE; clock.now < end; clock.now += MINUTE)
      answered(job, clock.now, [
        ...CODES,
        ...Array.from({ length: NEW }, (_, index) => `${clock.now}-${index}`),
      ]);
    return heapInUse();
  };
  held = job;
  // What is remembered of names is full by then.
  const before = pollFor(150);
  const growth = pollFor(150) - before;
  process.stdout.write(`heap of ${150 * NEW} dimensions gone: ${growth} bytes\n`);
  // Each takes a kilobyte or more where it is remembered for good.
  expect(growth).toBeLessThan(1_000_000);
});
