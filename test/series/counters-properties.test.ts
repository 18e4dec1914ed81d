import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CounterUpdate, SeriesCounters } from '../../src/series/counters.ts';
import { restoreCounters, storeCounters } from '../../src/series/stored-counters.ts';
import type { WindowedAnswer } from '../../src/series/windowed-answer.ts';
import { isCoarse, type Window } from '../../src/settling/window.ts';
import { answer, type Manner, MINUTE, NEVER, PLAIN, SPOILS, START, trueSum } from './model-platform.ts';

const SETTLE = 10 * MINUTE;

/** What happens next, after some time. */
interface Step {
  readonly after: number;
  readonly read: 'fresh' | 'catch-up' | 'coarse' | { readonly back: number; readonly length: number };
  readonly manner: Manner;
  readonly fate: 'applied' | 'only computed' | 'applied, then a restart';
}

const manner: fc.Arbitrary<Manner> = fc.record({
  finestUpTo: fc.constantFrom(60, 60, 20, 6),
  late: fc.constantFrom(0, 0, 0, 7, 25),
  spoilt: fc.array(fc.record({ row: fc.nat(90), how: fc.constantFrom(...SPOILS) }), { maxLength: 12 }),
  reversed: fc.boolean(),
  points: fc.constantFrom('all', 'all', 'all', 'none'),
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
    { weight: 1, arbitrary: fc.constantFrom('coarse' as const) },
    { weight: 1, arbitrary: fc.record({ back: fc.nat(300), length: fc.integer({ min: 1, max: 60 }) }) },
  ),
  manner,
  fate: fc.constantFrom('applied', 'applied', 'applied', 'only computed', 'applied, then a restart'),
});

/** Counters being kept, with a check after every answer. */
class Counting {
  counters = new SeriesCounters(() => true);
  now = START;
  #behind = 0;
  readonly #starts = new Map<string, number>();
  readonly #lost: Window;

  /** @param lost what was counted in this time the platform does not have */
  constructor(lost = NEVER) {
    this.#lost = lost;
  }

  take({ after, read, manner, fate }: Step): void {
    this.now += after;
    // What a platform has shown it does not take back: it falls behind only as fast as time goes on.
    this.#behind = Math.max(0, Math.min(manner.late, this.#behind + after / MINUTE));
    const answered = answer(this.#window(read), this.now, { ...manner, late: this.#behind }, this.#lost);
    if (isCoarse(answered.window)) {
      this.counters.noteCoarse(answered);
      return;
    }
    const before = this.counters.record;
    const kept = before && JSON.stringify(storeCounters(before));
    const update = this.counters.update(answered, SETTLE);
    expect(this.counters.record).toBe(before);
    expect(before && JSON.stringify(storeCounters(before))).toBe(kept);
    if (update === undefined || fate === 'only computed') return;
    this.#enter(update, answered);
    if (fate === 'applied, then a restart') this.#restart();
  }

  /** Reads all that is lacking from a platform that is well again, for as long as the oldest watermark is older than `age`. */
  recover(age: number, patience = 3_000): void {
    const healthy = { manner: PLAIN, fate: 'applied' } as const;
    for (let minute = 0, rest = 10; rest > 0; minute += 1) {
      this.take({ ...healthy, after: MINUTE, read: 'fresh' });
      this.#catchUp(healthy);
      if ((this.counters.watermark ?? 0) >= this.now - age) rest -= 1;
      else if (minute > patience) throw new Error(`the watermark stays at ${this.counters.watermark}`);
    }
  }

  #catchUp(healthy: Pick<Step, 'manner' | 'fate'>): void {
    for (
      let before: number | undefined;
      this.#missing() !== undefined && this.counters.watermark !== before;
    ) {
      before = this.counters.watermark;
      this.take({ ...healthy, after: 1_000, read: 'catch-up' });
      if (this.counters.watermark !== before) continue;
      this.take({ ...healthy, after: 1_000, read: 'coarse' });
      this.take({ ...healthy, after: 1_000, read: 'catch-up' });
    }
  }

  /** Every counter holds the truth of exactly the buckets from its start to its watermark. */
  audit(): void {
    for (const [name, { total, watermark }] of this.counters.record?.counters ?? []) {
      const from = this.#starts.get(name) ?? Number.NaN;
      expect({ name, total }).toEqual({ name, total: trueSum(name, { from, to: watermark }, this.#lost) });
    }
  }

  #missing(): Window | undefined {
    return this.counters.catchUpWindow(this.now, SETTLE);
  }

  #window(read: Step['read']): Window {
    const fresh = this.counters.freshWindow(this.now, SETTLE);
    if (read === 'fresh') return fresh;
    if (read === 'catch-up') return this.#missing() ?? fresh;
    if (read === 'coarse') return this.counters.coarseWindow(this.now, SETTLE) ?? fresh;
    const to = fresh.to - read.back * MINUTE;
    return { from: to - read.length * MINUTE, to };
  }

  #enter(update: CounterUpdate, answered: WindowedAnswer): void {
    const before = this.counters.record?.counters;
    for (const [name, { total, watermark }] of update.record.counters) {
      const known = before?.get(name);
      expect(total).toBeGreaterThanOrEqual(known?.total ?? 0);
      expect(watermark).toBeGreaterThanOrEqual(known?.watermark ?? update.record.since);
      if (known === undefined) this.#starts.set(name, this.counters.watermark ?? update.record.since);
    }
    this.counters.apply(update, answered);
    this.audit();
  }

  #restart(): void {
    const { record } = this.counters;
    const stored = record && JSON.parse(JSON.stringify(storeCounters(record)));
    this.counters = new SeriesCounters(() => true, restoreCounters(stored));
  }
}

describe('the counters of a series, whatever answers come when', () => {
  it('holds the truth of the buckets between its start and its watermarks after every answer', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const keeping = new Counting();
        for (const next of steps) keeping.take(next);
      }),
      { numRuns: 400 },
    );
  });

  it('lacks no bucket when the platform is well again', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const keeping = new Counting();
        for (const next of steps) keeping.take(next);
        // The dimension that is left out while it is idle is waited for, but not for ever.
        keeping.recover(60 * MINUTE);
        const { watermark } = keeping.counters.record?.counters.get('steady') ?? {};
        expect(watermark).toBeGreaterThan(keeping.now - SETTLE - 3 * MINUTE);
      }),
      { numRuns: 40 },
    );
  });

  it('gets past a gap of any length in hours, and loses nothing but the gap', () => {
    const minutes = (min: number, max: number) => fc.integer({ min, max }).map((count) => count * MINUTE);
    fc.assert(
      fc.property(
        fc.record({ begins: minutes(-30, 200), lasts: minutes(1, 36_000), ended: minutes(1, 120) }),
        fc.array(step, { maxLength: 10 }),
        fc.array(step, { maxLength: 10 }),
        ({ begins, lasts, ended }, before, within) => {
          const lost = { from: START + begins, to: START + begins + lasts };
          const keeping = new Counting(lost);
          for (const next of before) keeping.take(next);
          const after = Math.max(1, lost.to + ended - keeping.now);
          keeping.take({ after, read: 'fresh', manner: PLAIN, fate: 'applied' });
          for (const next of within) keeping.take(next);
          keeping.recover(60 * MINUTE, 900);
        },
      ),
      // To shrink a case of weeks would take an hour.
      { numRuns: 20, endOnFailure: true },
    );
  });
});
