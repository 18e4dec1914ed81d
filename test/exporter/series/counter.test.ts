import { describe, expect, it } from 'vitest';
import type { Points } from '../../../src/exporter/decode/points.ts';
import { type Reading, readingOf } from '../../../src/exporter/series/answer-buckets.ts';
import { bestRead, noteCoarse } from '../../../src/exporter/series/coarse-reads.ts';
import {
  type Counter,
  count,
  hasCounted,
  type MissingSpan,
  noteUnclear,
} from '../../../src/exporter/series/counter.ts';

const MINUTE = 60_000;
const T0 = Date.UTC(2026, 0, 5, 10);
const at = (minute: number) => T0 + minute * MINUTE;

/** Points of one minute each: `[minute, value]`. */
function points(rows: readonly (readonly [number, number])[]): Points {
  return {
    timestamps: Float64Array.from(rows, ([minute]) => at(minute)),
    values: Float64Array.from(rows, ([, value]) => value),
  };
}

const counter = (total: number, minute: number, missing: readonly MissingSpan[] = []): Counter => ({
  total,
  watermark: at(minute),
  missing,
});

const span = (from: number, to: number, evidence: Partial<MissingSpan> = {}): MissingSpan => ({
  from: at(from),
  to: at(to),
  since: at(30),
  until: at(30),
  asked: 0,
  whole: 0,
  ...evidence,
});

function reading(from: number, to: number, settled = to, more: Partial<Reading> = {}): Reading {
  return {
    window: { from: at(from), to: at(to) },
    now: at(30),
    width: MINUTE,
    settledUntil: at(settled),
    watermark: at(Math.floor(settled)),
    forgottenUntil: 0,
    whole: true,
    ...more,
  };
}

const ROWS = points([
  [0, 1],
  [1, 2],
  [2, 4],
  [3, 8],
]);

const ROWS_WITHOUT_ONE = points([
  [0, 1],
  [2, 4],
]);

const ROWS_OF_THREE = [
  [0, 1],
  [1, 2],
  [2, 4],
] as const;

const ROWS_WITHOUT_ONE_OF_THREE = [
  [0, 1],
  [2, 4],
] as const;

describe('counting an answer', () => {
  it('takes in what has settled since the watermark, with the total after each bucket', () => {
    const { counter: after, settled, skipped } = count(counter(100, 1), ROWS, reading(0, 3));
    expect({ after, skipped }).toEqual({ after: counter(106, 3), skipped: 0 });
    expect(settled).toEqual([
      { start: at(1), width: MINUTE, value: 2, total: 102 },
      { start: at(2), width: MINUTE, value: 4, total: 106 },
    ]);
  });

  it('lacks one span of what no answer was asked for, however many have come meanwhile', () => {
    const later = (minute: number) => reading(50, 60, minute, { now: at(minute + 10) });
    const first = count(counter(0, 0), ROWS, later(10)).counter;
    const { missing } = count(first, ROWS, later(20)).counter;
    expect(missing).toEqual([span(0, 20, { since: at(20), until: at(20) })]);
  });

  it('counts no bucket that has not settled', () => {
    expect(count(counter(0, 0), ROWS, reading(0, 4, 1.5)).counter).toEqual(counter(1, 1));
  });

  it('counts none that is due while the platform has fallen back behind it, or the window cuts it', () => {
    const due = counter(0, 4, [span(2, 4)]);
    const settled = (answer: Reading) => count(due, ROWS, answer).settled.map(({ value }) => value);
    expect(settled(reading(0, 4))).toEqual([4, 8]);
    expect(settled(reading(0, 4, 3))).toEqual([4]);
    expect(settled(reading(0, 3.5, 4))).toEqual([4]);
  });

  it('skips at once what the platform keeps no more, and counts what follows', () => {
    const { counter: after, skipped } = count(
      counter(0, 0),
      ROWS,
      reading(2, 4, 4, { forgottenUntil: at(2) }),
    );
    expect({ after, skipped }).toEqual({ after: counter(12, 4), skipped: 2 });
  });

  it('goes on at once where the window begins after the watermark: what lies between is still to be read', () => {
    expect(count(counter(0, 0), ROWS, reading(2, 4)).counter).toEqual(counter(12, 4, [span(0, 2)]));
  });

  it('is not held up by a missing bucket, which counts when it comes', () => {
    const { counter: lacking } = count(counter(0, 0), ROWS_WITHOUT_ONE, reading(0, 3));
    expect(lacking).toEqual(counter(5, 3, [span(1, 2, { asked: 1, whole: 1 })]));
    const later = reading(0, 3, 3, { watermark: undefined });
    expect(count(lacking, ROWS, later).counter).toEqual(counter(7, 3));
  });

  it('changes nothing where there is nothing new', () => {
    const known = counter(15, 4);
    expect(count(known, ROWS, reading(0, 4)).counter).toBe(known);
  });

  it('counts a wider bucket if all of its time is due, and no part of one', () => {
    const fives = points([
      [0, 10],
      [5, 20],
      [10, 40],
    ]);
    const wide = reading(0, 15, 15, { width: 5 * MINUTE });
    expect(count(counter(3, 2), fives, wide).counter).toEqual(
      counter(63, 15, [span(2, 5, { asked: 1, whole: 1 })]),
    );
  });
});

describe('a bucket that is wider than those before', () => {
  const wide = reading(0, 10, 10, { width: 5 * MINUTE });
  const narrower = (rows: readonly (readonly [number, number])[]) => ({
    before: { points: points(rows), width: MINUTE },
  });
  const counted = (value: number, rows: readonly (readonly [number, number])[]) =>
    count(counter(7, 3), points([[0, value]]), wide, narrower(rows)).settled;

  it('counts for what it has beyond the narrow ones that were counted of its time', () => {
    expect(counted(10, ROWS_OF_THREE)).toEqual([{ start: at(3), width: 2 * MINUTE, value: 3, total: 10 }]);
    expect(counted(7, ROWS_OF_THREE)).toEqual([{ start: at(3), width: 2 * MINUTE, value: 0, total: 7 }]);
  });

  it('does not count where it has less than those, or not all of them are known', () => {
    expect(counted(6, ROWS_OF_THREE)).toEqual([]);
    expect(counted(10, ROWS_WITHOUT_ONE_OF_THREE)).toEqual([]);
  });

  it('counts so beside others that are lacked from before it', () => {
    for (const earlier of [span(-10, -9), span(-1, 0)]) {
      const known = counter(7, 3, [earlier]);
      expect(count(known, points([[0, 10]]), wide, narrower(ROWS_OF_THREE)).settled).toHaveLength(1);
    }
  });

  it('does not count where all of its time, or some of what follows the narrow ones, was counted', () => {
    const ALL = [...ROWS_OF_THREE, [3, 1], [4, 1]] as const;
    for (const missing of [[], [span(5, 6)], [span(6, 7)], [span(3, 4)]])
      expect(count(counter(9, 7, missing), points([[0, 12]]), wide, narrower(ALL)).settled).toEqual([]);
  });
});

describe('a row that may be a wide bucket, or a narrow one before others that are missing', () => {
  const ROW = [{ start: at(0), end: at(5), value: 50 }];
  /** Lacked by answers for 25 minutes. */
  const lacked = (asked: number, whole: number) => span(0, 5, { since: at(5), asked, whole });
  const beside = (known: Counter, answer: Reading, clear = points([])) =>
    count(known, clear, answer, { unclear: ROW });
  const late = { start: at(0), width: 5 * MINUTE, value: 50 };

  it('counts once answers have had no more for 20 minutes, and what it may lack is reported as skipped', () => {
    expect(beside(counter(100, 5, [lacked(1, 1)]), reading(0, 5))).toEqual({
      counter: counter(150, 5),
      settled: [{ ...late, total: 150 }],
      skipped: 4,
    });
    expect(beside(counter(100, 5, [lacked(9, 0)]), reading(0, 5, 5, { whole: false })).settled).toHaveLength(
      1,
    );
  });

  it('counts after the clear buckets of the same answer', () => {
    const { settled, counter: after } = beside(
      counter(100, 5, [lacked(1, 1)]),
      reading(0, 7),
      points([
        [5, 1],
        [6, 2],
      ]),
    );
    expect(settled.map(({ total }) => total)).toEqual([101, 103, 153]);
    expect(after).toEqual(counter(153, 7));
  });

  it('is waited for while fewer answers lacked it, while it may grow, and by answers about the past', () => {
    const waits = (missing: MissingSpan, answer: Reading) =>
      expect(beside(counter(100, 5, [missing]), answer).settled).toEqual([]);
    waits(lacked(0, 0), reading(0, 5));
    waits(lacked(8, 0), reading(0, 5, 5, { whole: false }));
    waits({ ...lacked(1, 1), since: at(11) }, reading(0, 5));
    waits(lacked(1, 1), reading(0, 5, 4));
    waits(lacked(1, 1), reading(0, 4, 5));
    waits(lacked(1, 1), reading(1, 5));
    waits(lacked(1, 1), reading(0, 5, 5, { watermark: undefined }));
  });

  it('counts by what is lacked of its time alone', () => {
    const settled = (...missing: MissingSpan[]) => beside(counter(100, 9, missing), reading(0, 9)).settled;
    expect(settled(span(0, 5), { ...lacked(1, 1), from: at(7), to: at(8) })).toEqual([]);
    expect(settled({ ...lacked(1, 1), from: at(-2), to: at(0) }, span(0, 5))).toEqual([]);
    expect(settled(span(0, 5), { ...lacked(1, 1), from: at(5), to: at(6) })).toEqual([]);
    const [first, rest] = [{ ...lacked(1, 1), to: at(2) }, span(2, 5)];
    expect(settled(first, rest)).toEqual([{ ...late, total: 150 }]);
    expect(settled({ ...lacked(1, 1), from: at(1) })).toEqual([]);
  });

  it('does not count where some of its time was counted as narrow buckets, before or after what is lacked', () => {
    // Its 50 may be those of all five minutes.
    const before = { points: points([...ROWS_OF_THREE, [4, 9]]), width: MINUTE };
    for (const missing of [
      { ...lacked(1, 1), to: at(1) },
      { ...lacked(1, 1), from: at(3), to: at(4) },
    ]) {
      const known = counter(100, 5, [missing]);
      expect(count(known, points([]), reading(0, 5), { unclear: ROW, before }).settled).toEqual([]);
    }
  });

  it('counts as a bucket of nothing where it has nothing', () => {
    const nothing = { unclear: [{ start: at(0), end: at(5), value: 0 }] };
    const { settled } = count(counter(100, 5, [lacked(1, 1)]), points([]), reading(0, 5), nothing);
    expect(settled).toEqual([{ ...late, value: 0, total: 100 }]);
  });

  it('keeps its time from being skipped until it has settled', () => {
    const known = counter(100, 5, [span(0, 4, { since: at(-5), asked: 9, whole: 9 })]);
    const unsettled = reading(0, 5, 4);
    expect(beside(known, unsettled)).toMatchObject({ skipped: 0, counter: { missing: [{ to: at(4) }] } });
    expect(count(known, points([]), unsettled).skipped).toBe(4);
    expect(beside(known, reading(1, 6, 5)).skipped).toBe(4);
    // A row of another time keeps nothing.
    for (const start of [at(4), at(-5)]) {
      const row = { start, end: start + 5 * MINUTE, value: 50 };
      const other = reading(-9, 9, -1, { watermark: at(4) });
      const skipped = count(known, points([]), other, { unclear: [row] }).skipped;
      expect(skipped).toBe(4);
    }
  });

  it('is a narrow bucket where all of its value was counted: what follows is skipped', () => {
    const known = counter(100, 5, [span(1, 5, { since: at(5), asked: 1, whole: 1 })]);
    const before = (value: number) => ({ before: { points: points([[0, value]]), width: MINUTE } });
    const settled = (value: number) =>
      count(known, points([]), reading(0, 5), { unclear: ROW, ...before(value) }).settled;
    expect(settled(50)).toEqual([]);
    expect(settled(20)).toEqual([{ start: at(1), width: 4 * MINUTE, value: 30, total: 130 }]);
  });
});

describe('what a counter lacks', () => {
  /** What is left of two spans that touch, after an answer about another time. */
  const lacks = (first: Partial<MissingSpan>, second: Partial<MissingSpan>) =>
    count(counter(5, 4, [span(1, 2, first), span(2, 3, second)]), points([]), reading(50, 60, 4)).counter
      .missing;
  const evidence = { asked: 2, whole: 1, since: at(10), until: at(20) };

  it('is one span where the same answers lacked it, and apart where other ones did', () => {
    expect(lacks(evidence, evidence)).toEqual([span(1, 3, evidence)]);
    for (const other of [{ asked: 3 }, { whole: 2 }, { since: at(11) }, { until: at(21) }, { asked: 0 }])
      expect(lacks(evidence, { ...evidence, ...other })).toHaveLength(2);
    expect(lacks({ ...evidence, asked: 0 }, evidence)).toHaveLength(2);
  });

  it('has been lacked since the first answer that was asked for it, however long it has been due', () => {
    const due = counter(5, 3, [span(1, 2, { since: at(0) })]);
    const now = at(60);
    const [missing] = count(due, ROWS_WITHOUT_ONE, reading(0, 3, 3, { now })).counter.missing;
    expect(missing).toEqual(span(1, 2, { since: now, until: now, asked: 1, whole: 1 }));
  });

  it('was asked for by an answer as far as that had settled', () => {
    const missing = (answer: Reading) =>
      count(counter(5, 4, [span(0, 4)]), points([]), answer).counter.missing;
    const asked = { asked: 1, whole: 1 };
    expect(missing(reading(0, 4, 3))).toEqual([span(0, 3, asked), span(3, 4)]);
    expect(missing(reading(0, 2, 4))).toEqual([span(0, 2, asked), span(2, 4)]);
    expect(missing(reading(2, 4, 1))).toEqual([span(0, 4)]);
  });

  it('was asked for by an answer that could not be used, which was not whole', () => {
    const known = counter(5, 3, [span(1, 2, { since: at(10), asked: 2, whole: 2 })]);
    const { missing } = noteUnclear(known, { from: at(0), to: at(3) }, at(40));
    expect(missing).toEqual([span(1, 2, { since: at(10), until: at(40), asked: 3, whole: 2 })]);
  });

  it('was not counted, nor was what comes after the watermark', () => {
    const known = counter(5, 5, [span(2, 3)]);
    const isCounted = (from: number, to: number) => hasCounted(known, { from: at(from), to: at(to) });
    const times: [number, number][] = [
      [0, 2],
      [3, 5],
      [1, 3],
      [2, 3],
      [2, 4],
      [4, 6],
      [5, 6],
    ];
    expect(times.map(([from, to]) => isCounted(from, to))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    const twice = counter(5, 5, [span(0, 1), span(2, 3)]);
    expect(hasCounted(twice, { from: at(2), to: at(3) })).toBe(false);
    expect(hasCounted(undefined, { from: at(0), to: at(1) })).toBe(false);
  });
});

describe('a missing bucket', () => {
  const lacking = (evidence: Partial<MissingSpan>) => counter(5, 3, [span(1, 2, evidence)]);
  const now = at(60);
  const again = reading(0, 3, 3, { now });
  const skips = (known: Counter, answer: Reading) => count(known, ROWS_WITHOUT_ONE, answer).skipped;

  it('is skipped after three whole answers without it in half an hour', () => {
    expect(count(lacking({ asked: 2, whole: 2 }), ROWS_WITHOUT_ONE, again)).toEqual({
      counter: counter(5, 3),
      settled: [],
      skipped: 1,
    });
  });

  it('is waited for while fewer answers lacked it, or for a shorter time', () => {
    expect(skips(lacking({ asked: 1, whole: 1 }), again)).toBe(0);
    expect(skips(lacking({ asked: 9, whole: 9, since: at(32) }), again)).toBe(0);
  });

  it('is waited for much longer where answers have lost rows', () => {
    expect(skips(lacking({ asked: 13, whole: 1 }), { ...again, whole: false })).toBe(0);
    expect(skips(lacking({ asked: 14, whole: 1 }), { ...again, whole: false })).toBe(1);
  });

  it('is not skipped by an answer about the past, which does not tell that the platform is well', () => {
    expect(skips(lacking({ asked: 9, whole: 9 }), { ...again, watermark: undefined })).toBe(0);
  });

  it('is waited for anew after the clock was set back', () => {
    expect(skips(lacking({ asked: 9, whole: 9, since: at(500) }), again)).toBe(0);
    const { counter: noted } = count(
      lacking({ asked: 9, whole: 9, since: at(500) }),
      ROWS_WITHOUT_ONE,
      again,
    );
    expect(noted.missing[0]?.since).toBe(now);
  });

  it('is skipped at once where the platform keeps no history of its time', () => {
    expect(skips(lacking({}), { ...again, forgottenUntil: at(2) })).toBe(1);
  });
});

describe('a read of what is missing', () => {
  it('is of another kind after each answer that lost rows: up to the present, of its day, and fine again', () => {
    const kinds = [0, 1, 2, 3, 4].map((unclear) => bestRead(span(1, 2, { asked: unclear + 2, whole: 2 })));
    expect(kinds).toEqual(['fine', 'coarse', 'day', 'fine', 'coarse']);
  });

  it('that has a bucket which earlier ones lacked lets it be skipped only after three more whole answers', () => {
    const known = counter(5, 3, [span(1, 2, { asked: 2, whole: 2 })]);
    const present = [{ from: at(1), to: at(2) }];
    const shown = noteCoarse(known, { present, lacking: [] }, { from: at(-30), to: at(60) }, at(60));
    const again = reading(0, 3, 3, { now: at(60) });
    expect(count(known, ROWS_WITHOUT_ONE, again).skipped).toBe(1);
    expect(count(shown, ROWS_WITHOUT_ONE, again).skipped).toBe(0);
  });

  it('lacks buckets of the platform where it has up to two gaps, and has lost rows where it has more', () => {
    const isWhole = (minutes: readonly number[]) => {
      const series = new Map([['requests', points(minutes.map((minute) => [minute, 1] as const))]]);
      const decoded = { series, width: MINUTE, rejected: new Map(), rows: minutes.length };
      const answer = { decoded, window: { from: at(0), to: at(20) }, now: at(20) };
      const known = { newest: undefined, settleDelay: 0, certainNow: at(20) };
      return readingOf(answer, MINUTE, known).whole;
    };
    expect(isWhole([0, 1, 5, 6, 9, 10, 11])).toBe(true);
    expect(isWhole([0, 1, 5, 6, 9, 10, 12])).toBe(false);
  });
});
