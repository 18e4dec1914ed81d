import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seeded } from '../bench/schedule/counted-platform.ts';
import { type ModelOptions, runModel } from '../exporter/rate-limit/model-platform.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const ORDINARY: ModelOptions = {
  limit: 80,
  windowMs: MINUTE,
  reserve: 0.2,
  concurrency: 6,
  workers: 200,
  latencyMs: 20,
  aheadMs: 0,
  headers: 'all',
  othersShare: 0,
  othersFromMs: 0,
  random: seeded(1),
  forMs: 10 * MINUTE,
};

it('is never refused, whatever the limit, the latency and the clocks, when others leave the reserve alone', async () => {
  const platform = fc.record({
    limit: fc.integer({ min: 10, max: 300 }),
    reserve: fc.double({ min: 0.1, max: 0.6, noNaN: true }),
    concurrency: fc.integer({ min: 1, max: 16 }),
    workers: fc.integer({ min: 1, max: 400 }),
    latencyMs: fc.integer({ min: 1, max: 400 }),
    aheadMs: fc.integer({ min: -5 * HOUR, max: 5 * HOUR }),
    window: fc.constantFrom(
      { headers: 'all', windowMs: MINUTE },
      { headers: 'all', windowMs: 20_000 },
      { headers: 'all', windowMs: 3 * MINUTE },
      { headers: 'dateless', windowMs: MINUTE },
      { headers: 'dateless', windowMs: 30_000 },
    ) as fc.Arbitrary<Pick<ModelOptions, 'headers' | 'windowMs'>>,
    othersShare: fc.constantFrom(0, 0.05, 0.3, 0.6),
    othersFromMs: fc.integer({ min: 0, max: 5 * MINUTE }),
    seed: fc.integer(),
  });
  await fc.assert(
    fc.asyncProperty(platform, async ({ seed, window, ...rest }) => {
      const { refusals, operations } = await runModel({
        ...ORDINARY,
        ...rest,
        ...window,
        random: seeded(seed),
      });
      expect(refusals).toBe(0);
      expect(operations).toBeGreaterThan(0);
    }),
    { numRuns: 60 },
  );
});

it('is never refused without any header while it is alone and the assumed limit is right', async () => {
  const platform = fc.record({
    limit: fc.integer({ min: 2, max: 300 }),
    concurrency: fc.integer({ min: 1, max: 16 }),
    latencyMs: fc.integer({ min: 1, max: 2_000 }),
    aheadMs: fc.integer({ min: -5 * HOUR, max: 5 * HOUR }),
    reserve: fc.constantFrom(0, 0.2),
    seed: fc.integer(),
  });
  await fc.assert(
    fc.asyncProperty(platform, async ({ seed, ...rest }) => {
      const run = await runModel({ ...ORDINARY, ...rest, headers: 'none', random: seeded(seed) });
      expect(run.refusals).toBe(0);
    }),
    {
      numRuns: 40,
      // Example in which unanswered probes alone could use up the rate limit.
      examples: [[{ limit: 2, concurrency: 3, latencyMs: 1_624, aheadMs: 0, reserve: 0, seed: -16 }]],
    },
  );
});

it('uses all that the reserve leaves of each window while there is work', async () => {
  const { operations } = await runModel(ORDINARY);
  expect(operations).toBeGreaterThan(10 * 64 * 0.98);
  expect(operations).toBeLessThanOrEqual(11 * 64);
});

it('leaves an operation to others of a limit of which the reserve is less than one', async () => {
  const { operations, windows } = await runModel({ ...ORDINARY, limit: 4, workers: 20 });
  expect(windows).toBeGreaterThanOrEqual(10);
  expect(operations).toBeGreaterThan(2.5 * windows);
  expect(operations).toBeLessThanOrEqual(3 * windows);
});

it('uses as much although the platform answers 401 to a part of the requests', async () => {
  const { operations } = await runModel({ ...ORDINARY, forbiddenWorkers: 20 });
  expect(operations).toBeGreaterThan(10 * 64 * 0.98);
});

it('opens no window and performs no operation without work', async () => {
  const { operations, windows } = await runModel({ ...ORDINARY, workers: 0 });
  expect({ operations, windows }).toEqual({ operations: 0, windows: 0 });
});

describe('a window that is longer than it should be by what the platform says', () => {
  it.each([
    ['since resets are named in whole seconds', { resetEarlyMs: 900 }, 10 * 64],
    ['since resets are named five seconds early', { resetEarlyMs: 5_000 }, 10 * 64],
    ['since there is no Date header to compare with', { headers: 'dateless', windowMs: 2 * MINUTE }, 5 * 64],
  ] as const)(
    '%s: meets no 429, uses what is left, and takes its own operations for nobody else’s',
    async (_, platform, available) => {
      const run = await runModel({ ...ORDINARY, ...platform });
      expect(run.refusals).toBe(0);
      expect(run.operations).toBeGreaterThan(0.98 * available);
      expect(run.othersPerMinute).toBe(0);
    },
  );
});

it('knows that it is alone, however many requests are in flight', async () => {
  const { othersPerMinute } = await runModel({ ...ORDINARY, concurrency: 16, latencyMs: 300 });
  expect(othersPerMinute).toBe(0);
});

it.each([
  [20_000, 192],
  [3 * MINUTE, 64 / 3],
])('expects what windows of %d ms allow: %d operations per minute', async (windowMs, expected) => {
  const { perMinute } = await runModel({ ...ORDINARY, windowMs });
  expect(perMinute).toBeCloseTo(expected, 0);
});

it('leaves others most of what they take although nothing is reserved', async () => {
  const { operations, refusals } = await runModel({ ...ORDINARY, reserve: 0, othersShare: 0.6 });
  expect(refusals).toBe(0);
  expect(operations).toBeLessThan(10 * 80 * 0.5);
});

it('sends in time, before the window closes, what waited for the next bucket, however slow the answers', async () => {
  const { operations } = await runModel({ ...ORDINARY, limit: 200, workers: 400, latencyMs: 1_000 });
  expect(operations).toBeGreaterThan(1_150);
});
