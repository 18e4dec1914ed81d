import { describe, expect, it } from 'vitest';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';
import { adopt } from '../../../src/exporter/poll/runner.ts';
import { type Checkpoints, spanBefore, withCheckpoint } from '../../../src/exporter/series/checkpoints.ts';
import { sumOfCounted } from '../../../src/exporter/series/counted-sum.ts';
import {
  type ComparedJob,
  type ComparedSeries,
  ReconciliationJob,
} from '../../../src/exporter/series/reconciliation-job.ts';
import { AccountMemory } from '../../../src/exporter/state/account-memory.ts';
import { NO_MEMORY } from '../../../src/exporter/state/state.ts';
import { heapInUse } from '../../heap-in-use.ts';
import { answer, type Manner, MINUTE, PLAIN, SPOILS, START, trueSum } from './model-platform.ts';
import { CountedSeries } from './series-bed.ts';

const NOW = START + 3 * 60 * MINUTE;
const PAST_HOUR = { from: START, to: START + 60 * MINUTE };
const TRUE = trueSum('steady', PAST_HOUR);

function sumOf(manner: Partial<Manner>): number | undefined {
  const series = new CountedSeries((dimension) => dimension === 'steady');
  let now = START;
  for (let minute = 0; minute < 30; minute += 1) {
    now += MINUTE;
    const read = answer(series.presentWindow(now, 10 * MINUTE), now, PLAIN);
    series.ledger = series.count(read, 10 * MINUTE).ledger;
  }
  const { decoded } = answer(PAST_HOUR, NOW, { ...PLAIN, ...manner });
  return sumOfCounted(series.ledger, series.counts, decoded, PAST_HOUR);
}

describe('the sum of an hour that the platform is asked for again', () => {
  it('is that of all its buckets where the answer is whole, in whatever order', () => {
    expect(TRUE).toBeGreaterThan(10_000);
    expect(sumOf({})).toBe(TRUE);
    expect(sumOf({ reversed: true })).toBe(TRUE);
  });

  it.each([2, 3, 7])('is not known where one row of %i is left', (oneOf) => {
    expect(sumOf({ oneOf })).toBeUndefined();
  });

  it.each(SPOILS.filter((how) => how !== 'twice'))('is not known where a row is spoilt: %s', (how) => {
    for (const row of [0, 17, 59]) expect(sumOf({ spoilt: [{ row, how }] })).toBeUndefined();
  });

  it('is not known where a row is spoilt of a dimension that has no counter: it may have been one of those counted', () => {
    expect(sumOf({ spoilt: [{ row: 65, how: 'null_value' }] })).toBeUndefined();
  });

  it('is not known where the answer has no rows', () => {
    expect(sumOf({ points: 'none' })).toBeUndefined();
  });
});

const TARGET = {
  account: 'a',
  product: productOf('metrics', 'edge_applications'),
  by: 'configuration',
  id: '1',
  name: 'one',
} as const;

const jobOf = (series: ComparedSeries[], readOne: ComparedJob['readOne']): ComparedJob => ({
  series,
  readOne,
});

describe('reconciliation', () => {
  const read = () => Promise.reject(new Error('the candidates know their answers'));

  /** Returns the ratio after each round of comparisons; undefined if there is none. */
  async function ratios(rounds: readonly (() => number | undefined)[]): Promise<(number | undefined)[]> {
    let now = NOW;
    let truth: () => number | undefined = () => undefined;
    const series: ComparedSeries = {
      id: 'steady',
      target: TARGET,
      spanBefore: (until) => ({ window: { from: until - 60 * MINUTE, to: until }, counted: TRUE }),
      sumOf: () => truth(),
    };
    const compared = jobOf([series], async () => answer(PAST_HOUR, NOW, PLAIN));
    const memory = new AccountMemory(NO_MEMORY);
    const job = new ReconciliationJob('metrics', {
      memory,
      account: 'a',
      group: () => 'metrics',
      perMinute: () => 1,
      jobs: () => [compared],
      platformClock: new PlatformClock(() => now),
    });
    const found: (number | undefined)[] = [];
    for (const round of rounds) {
      truth = round;
      now += 5 * MINUTE;
      const result = job.conclude(await job.read(read, new AbortController().signal));
      adopt(memory, result, true);
      found.push(result.exposures(true)[0]?.samples[0]?.value);
    }
    return found;
  }

  const damaged = () => sumOf({ oneOf: 2 });
  const whole = () => sumOf({});

  it('takes nothing from an answer that is not whole, neither a ratio of its own nor from an earlier one', async () => {
    expect(await ratios([damaged, whole, damaged, whole])).toEqual([undefined, 1, 1, 1]);
  });

  it('takes nothing from a read that fails', async () => {
    const failing = () => {
      throw new PlatformFailure('server_error', 'HTTP 502');
    };
    expect(await ratios([failing, whole, failing])).toEqual([undefined, 1, 1]);
  });

  it('does not remember what cannot be compared and is gone', async () => {
    let candidates: ComparedSeries[] = [];
    const memory = new AccountMemory(NO_MEMORY);
    const job = new ReconciliationJob('metrics', {
      memory,
      account: 'a',
      group: () => 'metrics',
      perMinute: () => 1_000,
      jobs: () => [jobOf(candidates, () => Promise.reject(new PlatformFailure('not_found', 'HTTP 404')))],
      platformClock: new PlatformClock(() => NOW),
    });
    const forget = async (time: number) => {
      for (let round = 0; round < 20; round += 1) {
        candidates = Array.from({ length: 1_000 }, (_, index) => ({
          id: `gone ${round} ${index} of ${time}`,
          target: TARGET,
          spanBefore: () => ({ window: PAST_HOUR, counted: TRUE }),
          sumOf: () => undefined,
        }));
        adopt(memory, job.conclude(await job.read(read, new AbortController().signal)), true);
      }
      candidates = [];
      return heapInUse();
    };
    const before = await forget(1);
    // Each comparison would take 100 bytes.
    expect((await forget(2)) - before).toBeLessThan(1_000_000);
  });
});

const NO_CHECKPOINTS: Checkpoints = [];

describe('checkpoints', () => {
  it('give the newest hour between two watermarks, and what was counted in it', () => {
    let checkpoints = NO_CHECKPOINTS;
    for (let minute = 0; minute <= 180; minute += 1) {
      checkpoints = withCheckpoint(checkpoints, [
        { total: minute * 10, watermark: minute * MINUTE, holes: [] },
        { total: minute, watermark: minute * MINUTE, holes: [] },
      ]);
    }
    expect(spanBefore(checkpoints, 120 * MINUTE)).toEqual({
      window: { from: 60 * MINUTE, to: 120 * MINUTE },
      counted: 660,
    });
    expect(spanBefore(checkpoints, 20 * MINUTE)).toBeUndefined();
  });

  it('are taken only when all counters stand at the same watermark', () => {
    let checkpoints = NO_CHECKPOINTS;
    for (let minute = 0; minute <= 180; minute += 1) {
      checkpoints = withCheckpoint(checkpoints, [
        { total: 0, watermark: minute * MINUTE, holes: [] },
        { total: 0, watermark: 0, holes: [] },
      ]);
    }
    expect(spanBefore(checkpoints, 180 * MINUTE)).toBeUndefined();
  });
});

it('no checkpoint is taken while a counter waits for a bucket', () => {
  let checkpoints = NO_CHECKPOINTS;
  const hole = { from: 0, to: MINUTE, since: 1, asked: 1 };
  for (let minute = 0; minute <= 180; minute += 1) {
    checkpoints = withCheckpoint(checkpoints, [{ total: 0, watermark: minute * MINUTE, holes: [hole] }]);
  }
  expect(spanBefore(checkpoints, 180 * MINUTE)).toBeUndefined();
});
