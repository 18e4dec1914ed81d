import { describe, expect, it } from 'vitest';
import { decodeSeries } from '../../../src/exporter/decode/decode.ts';
import { type PastRead, pastRead } from '../../../src/exporter/series/ledger-windows.ts';
import type { WindowedAnswer } from '../../../src/exporter/series/series-source.ts';
import type { Window } from '../../../src/exporter/settling/window.ts';
import { answer, type Manner, MINUTE, PLAIN, START, trueSum } from './model-platform.ts';
import { CountedSeries } from './series-bed.ts';

const SETTLE = 10 * MINUTE;
const DAY = 24 * 60 * MINUTE;

class Reading {
  counters = new CountedSeries((dimension) => dimension === 'steady');
  skipped = 0;
  now = START;
  readonly #settle: number;

  constructor(settle = SETTLE) {
    this.#settle = settle;
  }

  minutes(count: number, manner: Partial<Manner> = {}): void {
    for (let minute = 0; minute < count; minute += 1) {
      this.now += MINUTE;
      this.enter(answer(this.fresh(), this.now, { ...PLAIN, ...manner }));
    }
  }

  enter(answered: WindowedAnswer): number {
    const { ledger, skipped } = this.counters.count(answered, this.#settle);
    this.counters.ledger = ledger;
    this.skipped += skipped;
    return skipped;
  }

  /** Returns the window of the newest buckets. */
  fresh(): Window {
    return this.counters.presentWindow(this.now, this.#settle);
  }

  next(): PastRead | undefined {
    return pastRead(this.counters.ledger, this.counters.counts, this.now, this.#settle);
  }

  catchUp(): Window | undefined {
    return this.counters.pastWindow(this.now, this.#settle);
  }

  get counter() {
    const counter = this.counters.counters.get('steady');
    if (counter === undefined) throw new Error('nothing was counted');
    return counter;
  }
}

function contradicting(answered: WindowedAnswer, time: number): WindowedAnswer {
  const rows = [...answered.decoded.series].map(([name, { timestamps, values }]) => {
    const own = [...timestamps].map((start, index): [number, number] => [start, Number(values[index])]);
    return [name, own.flatMap((row) => (row[0] === time ? [row, [time, row[1] * 2 + 1]] : [row]))] as const;
  });
  const decoded = decodeSeries(Object.fromEntries(rows), { metric: 'requests', id: '1' }, answered.now);
  return { ...answered, decoded };
}

function expectTrue({ counters, counter }: Reading): void {
  const from = counters.ledger.since ?? Number.NaN;
  const missing = counter.holes.reduce((sum, span) => sum + trueSum('steady', span), 0);
  expect(counter.total).toBe(trueSum('steady', { from, to: counter.watermark }) - missing);
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

  it('catches up behind past hours whose answers lack every second row', () => {
    const reading = new Reading();
    reading.minutes(60);
    reading.now += 6 * 60 * MINUTE;
    for (let minute = 0; minute < 8 * 60; minute += 1) {
      reading.minutes(1);
      const window = reading.catchUp();
      if (window !== undefined) reading.enter(answer(window, reading.now, { ...PLAIN, oneOf: 2 }));
    }
    expect(reading.now - reading.counter.watermark).toBeLessThan(30 * MINUTE);
    expect(reading.counter.holes).toEqual([]);
    expect(reading.skipped).toBeGreaterThan(100);
  });

  it('reports no late restatement of a bucket that it still waits for', () => {
    const reading = new Reading();
    reading.minutes(60);
    const lateAt = (minute: number, manner: Partial<Manner>) => {
      const now = reading.now + minute * MINUTE;
      const answered = answer({ from: now - 30 * MINUTE, to: now }, now, { ...PLAIN, ...manner });
      const { ledger, restated } = reading.counters.count(answered, SETTLE);
      reading.counters.ledger = ledger;
      return restated.reduce((sum, { late }) => sum + late, 0);
    };
    // The row of a bucket that is not final is invalid as long as it changes.
    for (let minute = 1; minute <= 14; minute += 1) {
      const spoilt = minute < 5 ? [] : [{ row: 27 - minute, how: 'null_value' } as const];
      expect(lateAt(minute, { spoilt })).toBe(0);
    }
    expect(reading.counter.holes).toHaveLength(1);
    expect(lateAt(15, {})).toBe(0);
    expect(reading.counter.holes).toEqual([]);
    expectTrue(reading);
  });

  it('reports no restatement where some answers are of a node that is behind, whose newest buckets are incomplete again', () => {
    const reading = new Reading();
    reading.minutes(40);
    let changes = 0;
    let late = 0;
    for (let minute = 0; minute < 60; minute += 1) {
      reading.now += MINUTE;
      const behind = minute % 5 < 2 ? 20 : 0;
      const answered = answer(reading.fresh(), reading.now, { ...PLAIN, late: behind });
      const { ledger, restated } = reading.counters.count(answered, SETTLE);
      reading.counters.ledger = ledger;
      for (const changed of restated) {
        late += changed.late;
        changes += changed.ages.length;
        expect(changed.downwards).toBe(0);
      }
    }
    expect(late).toBe(0);
    expect(changes).toBeGreaterThan(100);
    expectTrue(reading);
  });

  it.each([40, 41, 42, 43, 44])(
    'skips one bucket at most when buckets become wider after %i minutes, given only when they have ended',
    (minutes) => {
      const reading = new Reading();
      reading.minutes(minutes);
      for (let minute = 0; minute < 60; minute += 1) {
        reading.now += MINUTE;
        const answered = answer(reading.fresh(), reading.now, { ...PLAIN, finestUpTo: 0 });
        const ended = [...answered.decoded.series].map(([name, { timestamps, values }]) => {
          const count = timestamps.filter((time) => time + 5 * MINUTE <= reading.now).length;
          return [name, { timestamps: timestamps.slice(0, count), values: values.slice(0, count) }] as const;
        });
        reading.enter({ ...answered, decoded: { ...answered.decoded, series: new Map(ended) } });
      }
      // At most the bucket that was partly counted is skipped.
      expect(reading.skipped).toBeLessThanOrEqual(1);
      expect(reading.counter.holes).toEqual([]);
      const from = reading.counters.ledger.since ?? Number.NaN;
      const lost = trueSum('steady', { from, to: reading.counter.watermark }) - reading.counter.total;
      expect(lost).toBeGreaterThanOrEqual(0);
      expect(lost).toBeLessThan(reading.skipped * 5_000 + 1);
    },
  );

  it('learns of no bucket that settles later, however late the platform, rare the polls or damaged the answers', () => {
    const reading = new Reading();
    let oldest = 0;
    const poll = (after: number, manner: Partial<Manner> = {}) => {
      reading.now += after * MINUTE;
      const answered = answer(reading.fresh(), reading.now, { ...PLAIN, ...manner });
      const { ledger, evidence } = reading.counters.count(answered, SETTLE);
      reading.counters.ledger = ledger;
      oldest = Math.max(oldest, evidence.unsettledAge);
    };
    for (let minute = 0; minute < 30; minute += 1) poll(1);
    expect(oldest).toBeGreaterThan(7 * MINUTE);
    for (const late of [12, 12, 0, 25, 0, 3, 0]) poll(20, { late });
    for (const late of [1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 5, 0]) poll(1, { late });
    const spoilt = Array.from({ length: 35 }, (_, row) => ({ row: 3 + row, how: 'text' }) as const);
    for (let answers = 0; answers < 8; answers += 1) poll(10, answers % 2 === 0 ? { spoilt } : {});
    expect(oldest).toBeLessThan(SETTLE);
  });

  it('does not forget the past because a clock has gone astray', () => {
    const reading = new Reading();
    reading.minutes(20);
    const { watermark } = reading.counter;
    const window = reading.fresh();
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
    expectTrue(reading);
    reading.minutes(1, { late: 25 });
    reading.enter(answer(window, reading.now, { ...PLAIN, late: 25 }));
    expect(reading.counters.countedUntil).toBeGreaterThan(watermark);
    expectTrue(reading);
  });

  it('gives up what is older than the history of the platform, and says how much', () => {
    const reading = new Reading();
    reading.minutes(20);
    const { watermark } = reading.counter;
    reading.now += 31 * DAY;
    const window = reading.fresh();
    const skipped = reading.enter(answer(window, reading.now, PLAIN));
    expect(skipped).toBeGreaterThanOrEqual(DAY / MINUTE);
    expect(reading.counters.countedUntil).toBe(watermark + skipped * MINUTE);
  });

  it('asks for nothing besides when its data end for good, not even once an hour', () => {
    const reading = new Reading();
    reading.minutes(30);
    const gone = { ...PLAIN, points: 'none' } as const;
    for (let minute = 0; minute < 600; minute += 1) {
      reading.minutes(1, gone);
      expect(reading.next()).toBeUndefined();
    }
    reading.minutes(1);
    expect(reading.catchUp()).toBeDefined();
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
      const window = reading.fresh();
      reading.enter(withoutSteady(answer(window, reading.now, PLAIN)));
      expect(reading.catchUp()).toBeUndefined();
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
      const window = reading.catchUp();
      if (window !== undefined) reading.enter(lacking(answer(window, reading.now, PLAIN), hole));
    }
    expect(reading.counter.watermark).toBeGreaterThan(reading.now - SETTLE - 3 * MINUTE);
    const whole = trueSum('steady', {
      from: reading.counters.ledger.since ?? 0,
      to: reading.counter.watermark,
    });
    expect(reading.counter.total).toBe(whole - trueSum('steady', hole));
  });

  it('asks again for a bucket of which rows contradict each other, and counts it from an answer without', () => {
    const reading = new Reading();
    reading.minutes(20);
    const time = reading.counter.watermark + 2 * MINUTE;
    for (let minute = 0; minute < 60; minute += 1) {
      reading.now += MINUTE;
      const answered = answer(reading.fresh(), reading.now, PLAIN);
      expect(answered.window.from).toBeLessThanOrEqual(Math.max(time, reading.counter.watermark));
      reading.enter(minute < 15 ? contradicting(answered, time) : answered);
      if (minute === 14) expect(reading.counter.holes).toHaveLength(1);
    }
    expect(reading.skipped).toBe(0);
    expect(reading.counter.holes).toEqual([]);
    expectTrue(reading);
  });

  it.each([20, 50, 56, 60, 90, 300])(
    'moves on at least every ten minutes where buckets settle after %i',
    (settle) => {
      const reading = new Reading(settle * MINUTE);
      let moved = reading.now;
      let longest = 0;
      let reads = 0;
      for (let minute = 0; minute < 3 * settle + 200; minute += 1) {
        const before = reading.counters.countedUntil;
        reading.minutes(1);
        const window = reading.catchUp();
        if (window !== undefined) {
          reading.enter(answer(window, reading.now, PLAIN));
          reads += 1;
        }
        if (reading.counters.countedUntil !== before) moved = reading.now;
        else longest = Math.max(longest, reading.now - moved);
      }
      expect(longest / MINUTE).toBeLessThanOrEqual(10);
      expect(reads).toBeLessThanOrEqual((3 * settle + 200) / 9 + 3);
      expectTrue(reading);
    },
  );

  it('goes on when the platform goes over to wider buckets, and counts no time twice', () => {
    const reading = new Reading();
    reading.minutes(22);
    const { total } = reading.counter;
    reading.minutes(60, { finestUpTo: 6 });
    expect(reading.counters.countedUntil).toBeGreaterThan(reading.now - SETTLE - 12 * MINUTE);
    const from = reading.counters.ledger.since ?? Number.NaN;
    const whole = trueSum('steady', { from, to: reading.counter.watermark });
    expect(reading.counter.total).toBeGreaterThan(total);
    // The bucket in which the narrower buckets ended is skipped.
    expect(whole - reading.counter.total).toBeLessThan(
      trueSum('steady', { from: START, to: START + 4 * MINUTE }) * 4,
    );
  });

  it.each([2, 3])(
    'takes answers of which every %ith row is left for no wider buckets, and counts all once they are whole',
    (oneOf) => {
      const reading = new Reading();
      reading.minutes(30);
      for (let minute = 0; minute < 120; minute += 1) {
        reading.minutes(1, { oneOf });
        const window = reading.catchUp();
        if (window !== undefined) reading.enter(answer(window, reading.now, { ...PLAIN, oneOf }));
      }
      expect(reading.counters.ledger.dimensions.get('steady')?.width).toBe(MINUTE);
      for (let minute = 0; minute < 45; minute += 1) {
        reading.minutes(1);
        const window = reading.catchUp();
        if (window !== undefined) reading.enter(answer(window, reading.now, PLAIN));
      }
      expect(reading.counters.countedUntil).toBe(reading.counter.watermark);
      expect(reading.skipped).toBe(0);
      expectTrue(reading);
    },
  );

  it('counts nothing of answers of which every second row is left while it cannot tell', () => {
    const reading = new Reading();
    reading.minutes(1, { oneOf: 2 });
    expect(reading.counters.ledger.since).toBeUndefined();
    reading.minutes(60);
    expectTrue(reading);
  });

  it('waits for missing buckets of different hours at the same time, and through restarts', () => {
    const reading = new Reading();
    reading.minutes(30);
    const began = reading.counter.watermark;
    const holes = [1, 2, 3, 4].map((hour) => ({
      from: began + hour * 60 * MINUTE,
      to: began + hour * 60 * MINUTE + 2 * MINUTE,
    }));
    reading.now += 300 * MINUTE;
    let minutes = 0;
    for (; minutes < 60 && (reading.counters.countedUntil ?? 0) < reading.now - 13 * MINUTE; minutes += 1) {
      reading.now += MINUTE;
      reading.enter(answer(reading.fresh(), reading.now, PLAIN));
      if (minutes % 7 === 6) reading.counters.restart();
      for (let window = reading.catchUp(); window !== undefined; window = reading.catchUp()) {
        reading.now += 1_000;
        const answered = answer(window, reading.now, PLAIN);
        reading.enter(holes.reduce(lacking, answered));
      }
    }
    expect(minutes).toBeLessThanOrEqual(45);
    expect(reading.skipped).toBe(8);
    const whole = trueSum('steady', {
      from: reading.counters.ledger.since ?? 0,
      to: reading.counter.watermark,
    });
    const lost = holes.reduce((sum, hole) => sum + trueSum('steady', hole), 0);
    expect(reading.counter.total).toBe(whole - lost);
  });
});

describe('dimensions of different widths in one answer', () => {
  const value = (minute: number) => (minute % 7) + 1;

  /** Polls for two hours. From minute `wideFrom` on, `saved` has buckets of two minutes. */
  function played(wideFrom: number, isLost: (minute: number, poll: number) => boolean = () => false) {
    const series = new CountedSeries();
    let skipped = 0;
    for (let poll = 70; poll < 220; poll += 1) {
      const now = START + poll * MINUTE;
      const window = series.presentWindow(now, SETTLE);
      const rows = (width: number): [number, number][] => {
        const found: [number, number][] = [];
        for (let minute = 0; minute + width <= poll; minute += width) {
          const start = START + minute * MINUTE;
          if (start < window.from || isLost(minute, poll)) continue;
          found.push([
            start,
            Array.from({ length: width }, (_, add) => value(minute + add)).reduce((a, b) => a + b),
          ]);
        }
        return found;
      };
      const body = { total: rows(1), saved: rows(poll >= wideFrom ? 2 : 1) };
      const decoded = decodeSeries(body, { metric: 'requests', id: '1' }, now);
      const applied = series.count({ decoded, window, now }, SETTLE);
      series.ledger = applied.ledger;
      skipped += applied.skipped;
    }
    const truthOf = (name: string) => {
      const { watermark = 0, holes = [] } = series.counters.get(name) ?? {};
      let sum = 0;
      for (let time = series.ledger.since ?? 0; time < watermark; time += MINUTE)
        if (!holes.some(({ from, to }) => time >= from && time < to)) sum += value((time - START) / MINUTE);
      return sum;
    };
    const totals = ['total', 'saved'].map(
      (name) => [series.counters.get(name)?.total ?? 0, truthOf(name)] as const,
    );
    return { totals, skipped, widths: [...series.ledger.dimensions.values()].map(({ width }) => width) };
  }

  it.each([120, 121, 122, 123])('counts each once: the wider one from minute %i on', (wideFrom) => {
    const { totals, skipped, widths } = played(wideFrom);
    expect(widths).toEqual([MINUTE, 2 * MINUTE]);
    // At most the bucket that was partly counted is skipped.
    expect(skipped).toBeLessThanOrEqual(1);
    const [[total, truth] = [0, 1], [saved = 0, ofSaved = 0] = []] = totals;
    expect(total).toBe(truth);
    expect(saved).toBeLessThanOrEqual(ofSaved);
    expect(ofSaved - saved).toBeLessThanOrEqual(14 * skipped);
  });

  it('counts the wider one from its first bucket on', () => {
    const { totals, widths } = played(0);
    expect(widths).toEqual([MINUTE, 2 * MINUTE]);
    const [[total, truth], [saved, ofSaved]] = totals as [
      readonly [number, number],
      readonly [number, number],
    ];
    expect(total).toBe(truth);
    expect(saved).toBeLessThanOrEqual(ofSaved);
    expect(saved).toBeGreaterThan(0.9 * ofSaved);
  });

  it.each([2, 3, 5])(
    'never counts above the truth while every %ith row is lost as well, and says what it skips',
    (every) => {
      const { totals, skipped } = played(120, (minute, poll) => poll > 130 && (minute / 2) % every < 1);
      for (const [total, truth] of totals) expect(total).toBeLessThanOrEqual(truth);
      expect(skipped).toBeGreaterThan(0);
    },
  );
});

function lacking(answered: WindowedAnswer, { from, to }: { from: number; to: number }): WindowedAnswer {
  const series = new Map(
    [...answered.decoded.series].map(([name, { timestamps, values }]) => {
      const kept = [...timestamps].flatMap((time, index) => (time >= from && time < to ? [] : [index]));
      const pick = (array: ArrayLike<number>) => Float64Array.from(kept, (index) => Number(array[index]));
      return [name, { timestamps: pick(timestamps), values: pick(values) }] as const;
    }),
  );
  return { ...answered, decoded: { ...answered.decoded, series } };
}
