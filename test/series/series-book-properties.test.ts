import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Entry, SeriesBook, type WindowedAnswer } from '../../src/series/series-book.ts';
import { restoreBook, storeBook } from '../../src/series/series-state.ts';
import type { Window } from '../../src/series/window.ts';
import { answer, type Manner, MINUTE, PLAIN, SPOILS, START, trueSum } from './model-platform.ts';

const SETTLE = 10 * MINUTE;

/** What happens next, after some time. */
interface Step {
  readonly after: number;
  readonly read: 'fresh' | 'catch-up' | { readonly back: number; readonly length: number };
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
    { weight: 1, arbitrary: fc.record({ back: fc.nat(300), length: fc.integer({ min: 1, max: 60 }) }) },
  ),
  manner,
  fate: fc.constantFrom('entered', 'entered', 'entered', 'only drafted', 'entered, then a restart'),
});

/** A book being kept, with a check after every answer. */
class Bookkeeping {
  book = new SeriesBook(() => true);
  now = START;
  readonly #starts = new Map<string, number>();

  take({ after, read, manner, fate }: Step): void {
    this.now += after;
    const answered = answer(this.#window(read), this.now, manner);
    const before = this.book.record;
    const kept = before && JSON.stringify(storeBook(before));
    const entry = this.book.draft(answered, SETTLE);
    expect(this.book.record).toBe(before);
    expect(before && JSON.stringify(storeBook(before))).toBe(kept);
    if (entry === undefined || fate === 'only drafted') return;
    this.#enter(entry, answered);
    if (fate === 'entered, then a restart') this.#restart();
  }

  /** Reads all that is lacking from a platform that is well again. */
  recover(): void {
    const healthy = { manner: PLAIN, fate: 'entered' } as const;
    for (let round = 0; round < 120; round += 1) {
      this.take({ ...healthy, after: MINUTE, read: 'fresh' });
      for (let turn = 0; turn < 30 && this.#missing() !== undefined; turn += 1) {
        this.take({ ...healthy, after: 1_000, read: 'catch-up' });
      }
    }
  }

  /** Every ledger holds the truth of exactly the buckets from its start to its mark. */
  audit(): void {
    for (const [name, { total, mark }] of this.book.record?.ledgers ?? []) {
      const from = this.#starts.get(name) ?? Number.NaN;
      expect({ name, total }).toEqual({ name, total: trueSum(name, { from, to: mark }) });
    }
  }

  #missing(): Window | undefined {
    return this.book.catchUpWindow(this.now, SETTLE);
  }

  #window(read: Step['read']): Window {
    const fresh = this.book.freshWindow(this.now, SETTLE);
    if (read === 'fresh') return fresh;
    if (read === 'catch-up') return this.#missing() ?? fresh;
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
      { numRuns: 6000 },
    );
  });

  it('lacks no bucket when the platform is well again', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const keeping = new Bookkeeping();
        for (const next of steps) keeping.take(next);
        keeping.recover();
        const marks = [...(keeping.book.record?.ledgers.values() ?? [])].map(({ mark }) => mark);
        expect(keeping.book.record?.ledgers.get('steady')?.mark).toBeGreaterThan(
          keeping.now - SETTLE - 2 * MINUTE,
        );
        // The one that is left out while it is idle is waited for, but not for ever.
        expect(Math.min(...marks)).toBeGreaterThan(keeping.now - 60 * MINUTE);
      }),
      { numRuns: 300 },
    );
  });
});
