import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Applied } from '../../../src/exporter/series/apply.ts';
import { storeLedger } from '../../../src/exporter/series/ledger-record.ts';
import type { Window } from '../../../src/exporter/settling/window.ts';
import { answer, type Manner, MINUTE, NEVER, PLAIN, SPOILS, START, trueSum } from './model-platform.ts';
import { CountedSeries } from './series-bed.ts';

const SETTLE = 10 * MINUTE;

interface Step {
  readonly after: number;
  readonly read: 'fresh' | 'catch-up' | { readonly back: number; readonly length: number };
  readonly manner: Manner;
  readonly fate: 'applied' | 'only computed' | 'applied, then a restart';
}

const manner: fc.Arbitrary<Manner> = fc.record({
  finestUpTo: fc.constantFrom(60, 60, 20, 6),
  late: fc.constantFrom(0, 0, 0, 7, 25),
  spoilt: fc.array(fc.record({ row: fc.nat(90), how: fc.constantFrom(...SPOILS) }), { maxLength: 12 }),
  reversed: fc.boolean(),
  points: fc.constantFrom('all', 'all', 'all', 'none'),
  oneOf: fc.constantFrom(1, 1, 1, 1, 2, 3),
});

const step: fc.Arbitrary<Step> = fc.record({
  after: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1_000, max: 3 * MINUTE }) },
    { weight: 2, arbitrary: fc.integer({ min: MINUTE, max: 40 * MINUTE }) },
    { weight: 1, arbitrary: fc.integer({ min: MINUTE, max: 400 * MINUTE }) },
    // The platform's clock is set back.
    { weight: 1, arbitrary: fc.integer({ min: -200 * MINUTE, max: -MINUTE }) },
  ),
  read: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('fresh' as const) },
    { weight: 2, arbitrary: fc.constantFrom('catch-up' as const) },
    { weight: 1, arbitrary: fc.record({ back: fc.nat(300), length: fc.integer({ min: 1, max: 60 }) }) },
  ),
  manner,
  fate: fc.constantFrom('applied', 'applied', 'applied', 'only computed', 'applied, then a restart'),
});

function same(found: unknown, expected: unknown): void {
  if (!Object.is(found, expected)) expect(found).toBe(expected);
}

class Counting {
  counters = new CountedSeries();
  now = START;
  /** Latest time of the platform's clock so far. */
  #latest = START;
  /** Minutes that each counter has counted. */
  readonly #counted = new Map<string, Set<number>>();
  readonly #sums = new Map<string, number>();
  readonly #starts = new Map<string, number>();
  readonly #lost: Window;
  skipped = 0;

  /**
   * @param lost time span whose buckets the platform no longer has
   */
  constructor(lost = NEVER) {
    this.#lost = lost;
  }

  take({ after, read, manner, fate }: Step): void {
    this.now += after;
    this.#latest = Math.max(this.#latest, this.now);
    const answered = answer(this.#window(read), this.now, manner, this.#lost);
    const before = this.counters.ledger;
    const kept = JSON.stringify(storeLedger(before));
    const applied = this.counters.count(answered, SETTLE);
    same(this.counters.ledger, before);
    same(JSON.stringify(storeLedger(before)), kept);
    if (fate === 'only computed') return;
    this.counters.ledger = applied.ledger;
    this.#audit(applied);
    if (fate === 'applied, then a restart') this.#restart();
  }

  /**
   * Reads missing buckets from a platform without faults, until none older than `age` is missing. Returns the
   * number of minutes.
   */
  recover(age: number, limit = 3_000): number {
    const healthy = { manner: PLAIN, fate: 'applied' } as const;
    for (let minute = 0, rest = 10; ; minute += 1) {
      this.take({ ...healthy, after: MINUTE, read: 'fresh' });
      for (let reads = 0; this.#missing() !== undefined && reads < 1_000; reads += 1) {
        this.take({ ...healthy, after: 1_000, read: 'catch-up' });
      }
      if ((this.counters.countedUntil ?? 0) >= this.now - age) rest -= 1;
      else if (minute > limit) throw new Error(`counted until ${this.counters.countedUntil}`);
      if (rest === 0) return minute - 9;
    }
  }

  get minutesSetBack(): number {
    return Math.ceil((this.#latest - this.now) / MINUTE);
  }

  #missing(): Window | undefined {
    return this.counters.pastWindow(this.now, SETTLE);
  }

  #window(read: Step['read']): Window {
    const fresh = this.counters.presentWindow(this.now, SETTLE);
    if (read === 'fresh') return fresh;
    if (read === 'catch-up') return this.#missing() ?? fresh;
    const to = fresh.to - read.back * MINUTE;
    return { from: to - read.length * MINUTE, to };
  }

  #audit({ settled, skipped }: Applied): void {
    for (const { dimension, start, width, value } of settled) {
      const truth = trueSum(dimension, { from: start, to: start + width }, this.#lost);
      // If time was skipped, the value of a row may be too low.
      if (skipped === 0) same(value, truth);
      else expect(value).toBeLessThanOrEqual(truth);
      const counted = this.#counted.get(dimension) ?? new Set();
      this.#counted.set(dimension, counted);
      this.#sums.set(dimension, (this.#sums.get(dimension) ?? 0) + value);
      for (let minute = start; minute < start + width; minute += MINUTE) {
        if (counted.has(minute)) throw new Error(`${dimension} ${minute} is counted twice`);
        counted.add(minute);
      }
    }
    this.skipped += skipped;
    this.audit();
  }

  audit(): void {
    for (const [name, { total, watermark, holes }] of this.counters.counters) {
      const counted = this.#counted.get(name) ?? new Set();
      const start = this.#starts.get(name) ?? Math.min(watermark, holes[0]?.from ?? watermark, ...counted);
      this.#starts.set(name, start);
      same(total, this.#sums.get(name) ?? 0);
      const waiting = holes.reduce((length, { from, to }) => length + to - from, 0) / MINUTE;
      if (this.skipped === 0) same(counted.size + waiting, (watermark - start) / MINUTE);
    }
  }

  #restart(): void {
    const before = this.counters.counters;
    this.counters.restart();
    expect(this.counters.counters).toEqual(before);
  }
}

const then = (after: number, read: Step['read'], changes: Partial<Manner> = {}): Step => ({
  after,
  read,
  manner: { ...PLAIN, ...changes },
  fate: 'applied',
});

const SELDOM: readonly Step[][] = [
  // Answers with missing rows follow answers of other widths. They are too few in agreement to change the
  // width.
  [
    then(1_000, 'fresh', { finestUpTo: 6 }),
    then(1_000, 'fresh', { finestUpTo: 6 }),
    then(MINUTE, { back: 0, length: 21 }, { finestUpTo: 20 }),
    then(1_000, 'fresh', { oneOf: 2 }),
    then(-MINUTE, 'catch-up', { finestUpTo: 20, oneOf: 3 }),
    then(1_000, 'fresh', { finestUpTo: 20, oneOf: 3 }),
    then(MINUTE, 'fresh', { oneOf: 3 }),
  ],
  // The platform's clock is set back. A short answer of the past does not prove that its window has settled.
  [
    then(-MINUTE, 'fresh'),
    then(4_412_415, 'fresh'),
    then(110_253, 'fresh'),
    then(1_417_332, 'fresh'),
    then(-2_880_001, 'fresh', { oneOf: 3 }),
    then(1_000, { back: 49, length: 2 }),
    then(MINUTE, 'fresh'),
    then(1_000, 'catch-up'),
  ],
  // One minute, read early, has by chance grown to the sum of its earlier value and the next minute's.
  [
    then(127_759, 'fresh'),
    then(74_445, 'fresh'),
    then(133_211, 'fresh'),
    then(1_000, 'catch-up', { finestUpTo: 6 }),
    { ...then(36_114, 'fresh'), fate: 'only computed' },
    then(40_275, 'fresh', { finestUpTo: 6, late: 25 }),
    then(84_993, 'catch-up', { oneOf: 3 }),
    then(895_176, 'fresh', { oneOf: 2 }),
    then(47_027, 'fresh', { oneOf: 2 }),
  ],
  // Three answers in a row lack every second row of the same buckets. This does not make the rows twice as
  // wide.
  [
    then(100 * MINUTE, 'fresh', { finestUpTo: 6, oneOf: 2 }),
    then(11 * MINUTE, 'fresh', { finestUpTo: 20, oneOf: 2 }),
    then(MINUTE, 'fresh', { finestUpTo: 20, oneOf: 2 }),
  ],
  // The width of one dimension is uncertain while the width of the other is known. Then a restart follows.
  [
    then(315 * MINUTE, 'catch-up', { finestUpTo: 6, late: 25 }),
    { ...then(1_000, 'fresh', { finestUpTo: 6, oneOf: 2 }), fate: 'applied, then a restart' },
    then(1_000, { back: 0, length: 1 }),
  ],
  // A node that is behind answers a read of the past.
  [
    then(MINUTE, 'fresh', { late: 25 }),
    then(1_607_421, 'catch-up', { spoilt: [{ row: 88, how: 'null_value' }] }),
    then(132_579, 'catch-up', { late: 25 }),
  ],
];

describe('the counters of a series, whatever answers come when', () => {
  it('count every bucket once, with its true value, or wait for it, or skip it', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const counting = new Counting();
        for (const next of steps) counting.take(next);
      }),
      { numRuns: 400, examples: SELDOM.map((steps) => [steps]) },
    );
  });

  it('are current again within 90 minutes of new time, whatever was before', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const counting = new Counting();
        for (const next of steps) counting.take(next);
        // Counters wait for the dimension that is absent while it is idle, but not forever.
        const { minutesSetBack } = counting;
        expect(counting.recover(60 * MINUTE)).toBeLessThanOrEqual(90 + minutesSetBack);
        const { watermark } = counting.counters.counters.get('steady') ?? {};
        expect(watermark).toBeGreaterThan(counting.now - SETTLE - 3 * MINUTE);
      }),
      { numRuns: 60 },
    );
  });

  it('get past a gap of any length in hours, and lose nothing but the gap', () => {
    const minutes = (min: number, max: number) => fc.integer({ min, max }).map((count) => count * MINUTE);
    fc.assert(
      fc.property(
        fc.record({ begins: minutes(-30, 200), lasts: minutes(1, 36_000), ended: minutes(1, 120) }),
        fc.array(step, { maxLength: 10 }),
        fc.array(step, { maxLength: 10 }),
        ({ begins, lasts, ended }, before, within) => {
          const lost = { from: START + begins, to: START + begins + lasts };
          const counting = new Counting(lost);
          for (const next of before) counting.take(next);
          const after = Math.max(1, lost.to + ended - counting.now);
          counting.take({ after, read: 'fresh', manner: PLAIN, fate: 'applied' });
          for (const next of within) counting.take(next);
          counting.recover(60 * MINUTE, 900);
        },
      ),
      // Shrinking a case of weeks would take an hour.
      { numRuns: 20, endOnFailure: true },
    );
  });
});
