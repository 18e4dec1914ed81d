import { describe, expect, it } from 'vitest';
import { SeriesCounters } from '../../src/series/counters.ts';
import type { WindowedAnswer } from '../../src/series/windowed-answer.ts';
import { answer, type Manner, MINUTE, PLAIN, START, trueSum } from './model-platform.ts';

const SETTLE = 10 * MINUTE;
const DAY = 24 * 60 * MINUTE;

/** Counters of one dimension that is read every minute. */
class Reading {
  readonly counters = new SeriesCounters((dimension) => dimension === 'steady');
  now = START;
  readonly #settle: number;

  constructor(settle = SETTLE) {
    this.#settle = settle;
  }

  minutes(count: number, manner: Partial<Manner> = {}): void {
    for (let minute = 0; minute < count; minute += 1) {
      this.now += MINUTE;
      this.enter(
        answer(this.counters.freshWindow(this.now, this.#settle), this.now, { ...PLAIN, ...manner }),
      );
    }
  }

  enter(answered: WindowedAnswer): number {
    const update = this.counters.update(answered, this.#settle);
    if (update !== undefined) this.counters.apply(update, answered);
    return update?.skipped ?? 0;
  }

  get counter() {
    const counter = this.counters.record?.counters.get('steady');
    if (counter === undefined) throw new Error('nothing was counted');
    return counter;
  }
}

function expectTrue({ counters, counter }: Reading): void {
  const from = counters.record?.since ?? Number.NaN;
  expect(counter.total).toBe(trueSum('steady', { from, to: counter.watermark }));
}

describe('the counters of a series', () => {
  it('counts a bucket once the newest one is older than it by the settle delay', () => {
    const reading = new Reading();
    reading.minutes(30);
    expect(reading.counter.watermark).toBe(reading.now - SETTLE - MINUTE);
    expectTrue(reading);
  });

  it('waits with a platform that falls behind, whatever the clock says', () => {
    const reading = new Reading();
    reading.minutes(20);
    const { watermark } = reading.counter;
    for (let late = 1; late <= 30; late += 1) reading.minutes(1, { late });
    expect(reading.counter.watermark).toBe(watermark);
    reading.minutes(20, { late: 30 });
    expect(reading.counter.watermark).toBe(watermark + 20 * MINUTE);
    expectTrue(reading);
  });

  it('does not forget the past because a clock has gone astray', () => {
    const reading = new Reading();
    reading.minutes(20);
    const { watermark } = reading.counter;
    const window = reading.counters.freshWindow(reading.now, SETTLE);
    const answered = answer(window, reading.now, PLAIN);
    expect(reading.enter({ ...answered, now: reading.now + 90 * DAY })).toBe(0);
    reading.minutes(3);
    expect(reading.counter.watermark).toBe(watermark + 3 * MINUTE);
    expectTrue(reading);
  });

  it('trusts no bucket of the future once the clock of the platform was set back', () => {
    const reading = new Reading();
    reading.minutes(20);
    const { watermark } = reading.counter;
    reading.now += 180 * MINUTE;
    reading.minutes(1);
    reading.now -= 130 * MINUTE;
    const window = { from: watermark, to: watermark + 51 * MINUTE };
    reading.enter(answer(window, reading.now, { ...PLAIN, late: 25 }));
    expect(reading.counter.watermark).toBeGreaterThan(watermark);
    expectTrue(reading);
  });

  it('gives up what is older than the history of the platform, and says how much', () => {
    const reading = new Reading();
    reading.minutes(20);
    const { watermark } = reading.counter;
    reading.now += 31 * DAY;
    const window = reading.counters.freshWindow(reading.now, SETTLE);
    const skipped = reading.enter(answer(window, reading.now, PLAIN));
    expect(skipped).toBeGreaterThan(DAY / MINUTE);
    expect(reading.counter.watermark).toBe(watermark + skipped * MINUTE);
  });

  it('asks for no more than usual because of a dimension that has ended', () => {
    const reading = new Reading();
    reading.minutes(30);
    const withoutSteady = (answered: WindowedAnswer): WindowedAnswer => {
      const points = answered.decoded.series.get('steady');
      const series = new Map(points === undefined ? [] : [['other', points] as const]);
      return { ...answered, decoded: { ...answered.decoded, series } };
    };
    for (let minute = 0; minute < 300; minute += 1) {
      reading.now += MINUTE;
      const window = reading.counters.freshWindow(reading.now, SETTLE);
      reading.enter(withoutSteady(answer(window, reading.now, PLAIN)));
      expect(reading.counters.catchUpWindow(reading.now, SETTLE)).toBeUndefined();
    }
    expect(reading.counter.watermark).toBeGreaterThan(reading.now - 60 * MINUTE);
  });

  it('gets past a hole in the past of the platform, though fresh answers come in between', () => {
    const reading = new Reading();
    reading.minutes(20);
    const hole = {
      from: reading.counter.watermark + 30 * MINUTE,
      to: reading.counter.watermark + 33 * MINUTE,
    };
    reading.now += 180 * MINUTE;
    for (let minute = 0; minute < 60; minute += 1) {
      reading.minutes(1);
      const window = reading.counters.catchUpWindow(reading.now, SETTLE);
      if (window !== undefined) reading.enter(lacking(answer(window, reading.now, PLAIN), hole));
    }
    expect(reading.counter.watermark).toBeGreaterThan(reading.now - SETTLE - 3 * MINUTE);
    const whole = trueSum('steady', {
      from: reading.counters.record?.since ?? 0,
      to: reading.counter.watermark,
    });
    expect(reading.counter.total).toBe(whole - trueSum('steady', hole));
  });

  it.each([20, 50, 56, 60, 90, 300])(
    'moves on at least every ten minutes where buckets settle after %i',
    (settle) => {
      const reading = new Reading(settle * MINUTE);
      let moved = reading.now;
      let longest = 0;
      let reads = 0;
      for (let minute = 0; minute < 3 * settle + 200; minute += 1) {
        const before = reading.counters.watermark;
        reading.minutes(1);
        const window = reading.counters.catchUpWindow(reading.now, settle * MINUTE);
        if (window !== undefined) {
          reading.enter(answer(window, reading.now, PLAIN));
          reads += 1;
        }
        if (reading.counters.watermark !== before) moved = reading.now;
        else longest = Math.max(longest, reading.now - moved);
      }
      expect(longest / MINUTE).toBeLessThanOrEqual(10);
      expect(reads).toBeLessThanOrEqual((3 * settle + 200) / 9 + 3);
      expectTrue(reading);
    },
  );

  it('gets from fine buckets to wide ones by asking for the one it stands in alone', () => {
    const reading = new Reading();
    reading.minutes(22);
    const { watermark } = reading.counter;
    reading.minutes(2, { finestUpTo: 6 });
    expect(reading.counter.watermark).toBe(watermark);
    const asked: number[] = [];
    for (let minute = 0; minute < 30; minute += 1) {
      reading.minutes(1, { finestUpTo: 6 });
      const window = reading.counters.catchUpWindow(reading.now, SETTLE);
      if (window === undefined) continue;
      asked.push(window.from);
      reading.enter(answer(window, reading.now, { ...PLAIN, finestUpTo: 6 }));
    }
    expect(new Set(asked)).toEqual(new Set([Math.floor(watermark / (5 * MINUTE)) * 5 * MINUTE]));
    expect(reading.counter.watermark).toBeGreaterThan(reading.now - SETTLE - 12 * MINUTE);
    expectTrue(reading);
  });
});

function lacking(answered: WindowedAnswer, { from, to }: { from: number; to: number }): WindowedAnswer {
  const series = new Map(
    [...answered.decoded.series].map(([name, { timestamps, values }]) => {
      const kept = [...timestamps].flatMap((time, index) => (time >= from && time < to ? [] : [index]));
      const pick = (array: Float64Array) => Float64Array.from(kept, (index) => Number(array[index]));
      return [name, { timestamps: pick(timestamps), values: pick(values) }] as const;
    }),
  );
  return { ...answered, decoded: { ...answered.decoded, series } };
}
