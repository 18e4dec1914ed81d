import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Entry, SeriesBook } from '../../src/series/book.ts';
import { restoreBook, storeBook } from '../../src/series/state.ts';
import type { WindowedAnswer } from '../../src/series/windowed-answer.ts';
import { isOverview, type Window } from '../../src/settling/window.ts';
import { answer, type Manner, MINUTE, NEVER, PLAIN, SPOILS, START, trueSum } from './model-platform.ts';

const SETTLE = 10 * MINUTE;

/** What happens next, after some time. */
interface Step {
  readonly after: number;
  readonly read: 'fresh' | 'catch-up' | 'overview' | { readonly back: number; readonly length: number };
  readonly manner: Manner;
  readonly fate: 'entered' | 'only drafted' | 'entered, then a restart';
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
    { weight: 1, arbitrary: fc.constantFrom('overview' as const) },
    { weight: 1, arbitrary: fc.record({ back: fc.nat(300), length: fc.integer({ min: 1, max: 60 }) }) },
  ),
  manner,
  fate: fc.constantFrom('entered', 'entered', 'entered', 'only drafted', 'entered, then a restart'),
});

/** A book being kept, with a check after every answer. */
class Bookkeeping {
  book = new SeriesBook(() => true);
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
    if (isOverview(answered.window)) {
      this.book.oversee(answered);
      return;
    }
    const before = this.book.record;
    const kept = before && JSON.stringify(storeBook(before));
    const entry = this.book.draft(answered, SETTLE);
    expect(this.book.record).toBe(before);
    expect(before && JSON.stringify(storeBook(before))).toBe(kept);
    if (entry === undefined || fate === 'only drafted') return;
    this.#enter(entry, answered);
    if (fate === 'entered, then a restart') this.#restart();
  }

  /** Reads all that is lacking from a platform that is well again, for as long as the oldest mark is older than `age`. */
  recover(age: number, patience = 3_000): void {
    const healthy = { manner: PLAIN, fate: 'entered' } as const;
    for (let minute = 0, rest = 10; rest > 0; minute += 1) {
      this.take({ ...healthy, after: MINUTE, read: 'fresh' });
      this.#catchUp(healthy);
      if ((this.book.mark ?? 0) >= this.now - age) rest -= 1;
      else if (minute > patience) throw new Error(`the mark stays at ${this.book.mark}`);
    }
  }

  #catchUp(healthy: Pick<Step, 'manner' | 'fate'>): void {
    for (let before: number | undefined; this.#missing() !== undefined && this.book.mark !== before; ) {
      before = this.book.mark;
      this.take({ ...healthy, after: 1_000, read: 'catch-up' });
      if (this.book.mark !== before) continue;
      this.take({ ...healthy, after: 1_000, read: 'overview' });
      this.take({ ...healthy, after: 1_000, read: 'catch-up' });
    }
  }

  /** Every ledger holds the truth of exactly the buckets from its start to its mark. */
  audit(): void {
    for (const [name, { total, mark }] of this.book.record?.ledgers ?? []) {
      const from = this.#starts.get(name) ?? Number.NaN;
      expect({ name, total }).toEqual({ name, total: trueSum(name, { from, to: mark }, this.#lost) });
    }
  }

  #missing(): Window | undefined {
    return this.book.catchUpWindow(this.now, SETTLE);
  }

  #window(read: Step['read']): Window {
    const fresh = this.book.freshWindow(this.now, SETTLE);
    if (read === 'fresh') return fresh;
    if (read === 'catch-up') return this.#missing() ?? fresh;
    if (read === 'overview') return this.book.overviewWindow(this.now, SETTLE) ?? fresh;
    const to = fresh.to - read.back * MINUTE;
    return { from: to - read.length * MINUTE, to };
  }

  #enter(entry: Entry, answered: WindowedAnswer): void {
    const before = this.book.record?.ledgers;
    for (const [name, { total, mark }] of entry.record.ledgers) {
      const known = before?.get(name);
      expect(total).toBeGreaterThanOrEqual(known?.total ?? 0);
      expect(mark).toBeGreaterThanOrEqual(known?.mark ?? entry.record.since);
      if (known === undefined) this.#starts.set(name, this.book.mark ?? entry.record.since);
    }
    this.book.enter(entry, answered);
    this.audit();
  }

  #restart(): void {
    const { record } = this.book;
    const stored = record && JSON.parse(JSON.stringify(storeBook(record)));
    this.book = new SeriesBook(() => true, restoreBook(stored));
  }
}

describe('a series book, whatever answers come when', () => {
  it('holds the truth of the buckets between its start and its marks after every answer', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const keeping = new Bookkeeping();
        for (const next of steps) keeping.take(next);
      }),
      { numRuns: 400 },
    );
  });

  it('lacks no bucket when the platform is well again', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const keeping = new Bookkeeping();
        for (const next of steps) keeping.take(next);
        // The dimension that is left out while it is idle is waited for, but not for ever.
        keeping.recover(60 * MINUTE);
        const { mark } = keeping.book.record?.ledgers.get('steady') ?? {};
        expect(mark).toBeGreaterThan(keeping.now - SETTLE - 3 * MINUTE);
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
          const keeping = new Bookkeeping(lost);
          for (const next of before) keeping.take(next);
          const after = Math.max(1, lost.to + ended - keeping.now);
          keeping.take({ after, read: 'fresh', manner: PLAIN, fate: 'entered' });
          for (const next of within) keeping.take(next);
          keeping.recover(60 * MINUTE, 900);
        },
      ),
      // To shrink a case of weeks would take an hour.
      { numRuns: 20, endOnFailure: true },
    );
  });
});
