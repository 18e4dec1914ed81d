import { describe, expect, it } from 'vitest';
import type { Decoded } from '../../../src/exporter/decode/decode.ts';
import {
  type KnownOfPlatform,
  newestEnd,
  progressBeyond,
  reachedBy,
  readingOf,
} from '../../../src/exporter/series/answer-buckets.ts';
import type { WindowedAnswer } from '../../../src/exporter/series/series-source.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5, 10);
const at = (minute: number) => START + minute * MINUTE;
const minuteOf = (time: number | undefined) => time && (time - START) / MINUTE;

/** Minutes from one up to another. */
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

/** An answer to the window between two minutes, with buckets that start at these, that came at `now`. */
function answer(
  [from, to, now = to]: readonly [from: number, to: number, now?: number],
  minutes: readonly number[],
  more: Partial<Decoded> = {},
): WindowedAnswer {
  const points = {
    timestamps: Float64Array.from(minutes, at),
    values: Float64Array.from(minutes, () => 1),
  };
  const decoded = { series: new Map([['total', points]]), width: MINUTE, rejected: new Map(), rows: 0 };
  return { decoded: { ...decoded, ...more }, window: { from: at(from), to: at(to) }, now: at(now) };
}

/** What an answer shows, in minutes. */
function read(answered: WindowedAnswer, known: Partial<KnownOfPlatform> = {}, width = 1) {
  const { settledUntil, watermark, whole } = readingOf(answered, width * MINUTE, {
    newest: undefined,
    settleDelay: 10 * MINUTE,
    certainNow: answered.now,
    ...known,
  });
  return { settledUntil: minuteOf(settledUntil), watermark: minuteOf(watermark), whole };
}

describe('buckets have settled', () => {
  it('so long before the newest bucket, not before the clock', () => {
    expect(read(answer([0, 60], range(0, 58)))).toMatchObject({ settledUntil: 47, watermark: 47 });
  });

  it('by the time that it is at least, where a bucket of the future is shown', () => {
    expect(read(answer([0, 60], range(0, 62)))).toMatchObject({ settledUntil: 50 });
    expect(read(answer([0, 60], range(0, 60)), { certainNow: at(40) })).toMatchObject({ settledUntil: 30 });
  });

  it('up to the start of a bucket on the grid of the answer', () => {
    expect(read(answer([0, 60], [1, 6, 11, 16, 21, 26, 31, 36, 41, 46, 51, 56]), {}, 5)).toMatchObject({
      settledUntil: 46,
      watermark: 46,
    });
    expect(read(answer([0, 60, 62], [3, 8, 58]), { settleDelay: 12 * MINUTE }, 5)).toMatchObject({
      settledUntil: 46,
      watermark: 43,
    });
  });

  it('as far as the last answers showed, where one is about the past, unless it shows that the platform fell behind', () => {
    const newest = at(100);
    const past = (to: number, minutes: readonly number[], settleDelay = 10) =>
      read(answer([to - 60, to, 110], minutes), { newest, settleDelay: settleDelay * MINUTE }).settledUntil;
    expect(past(50, range(0, 30))).toBe(90);
    expect(past(51, range(0, 30))).toBe(19);
    expect(past(90, [])).toBe(90);
    // A window can hold either what settled so late, or the rows that prove it.
    expect(past(90, range(30, 90), 50)).toBe(50);
    expect(past(90, range(30, 89), 50)).toBe(38);
    expect(past(90, range(30, 90), 49)).toBe(40);
    expect(read(answer([0, 60, 110], range(0, 60))).settledUntil).toBe(Number.NEGATIVE_INFINITY);
  });

  it('nowhere, where the newest known lies in the future: the clock of the platform was set back', () => {
    const past = read(answer([0, 60, 130], range(0, 60)), { newest: at(131) });
    expect(past).toMatchObject({ settledUntil: Number.NEGATIVE_INFINITY, watermark: undefined });
    expect(read(answer([0, 60, 130], range(0, 60)), { newest: at(130) })).toMatchObject({
      settledUntil: 120,
    });
  });
});

describe('an answer shows what the platform itself lacks', () => {
  it('with up to two gaps in a series, and not with more, which rows are lost to', () => {
    expect(read(answer([0, 60], range(0, 60))).whole).toBe(true);
    expect(read(answer([0, 60], [0, 1, 5, 6, 9, 10])).whole).toBe(true);
    expect(read(answer([0, 60], [0, 1, 5, 6, 9, 10, 12])).whole).toBe(false);
  });

  it('only with rows, and where none of them was dropped', () => {
    expect(read(answer([0, 60], [])).whole).toBe(false);
    expect(read(answer([0, 60], range(0, 60), { rejected: new Map([['bad_value', 1]]) })).whole).toBe(false);
  });
});

describe('the platform has come', () => {
  it('to the end of its newest bucket, or to the present where that is not over', () => {
    expect(minuteOf(newestEnd(answer([0, 60], range(0, 58)), MINUTE))).toBe(58);
    expect(minuteOf(newestEnd(answer([0, 60], [50, 55, 59]), 5 * MINUTE))).toBe(60);
    expect(newestEnd(answer([0, 60], []), MINUTE)).toBeUndefined();
    expect([64, 65].map((now) => minuteOf(newestEnd(answer([0, 60, now], [59]), MINUTE)))).toEqual([
      60,
      undefined,
    ]);
  });

  it('as far as any answer showed, but for times to come from before its clock was set back', () => {
    const reached = (answered: WindowedAnswer, before: number | undefined) =>
      minuteOf(reachedBy(answered, MINUTE, before && at(before)));
    expect(reached(answer([0, 60], range(0, 50)), undefined)).toBe(50);
    expect(reached(answer([0, 60], range(0, 50)), 55)).toBe(55);
    expect(reached(answer([0, 60], range(0, 50)), 45)).toBe(50);
    expect(reached(answer([0, 60], range(0, 50)), 61)).toBe(50);
    expect(reached(answer([0, 60], []), 60)).toBe(60);
    expect(reached(answer([0, 60], []), undefined)).toBeUndefined();
  });

  it('beyond the end of a wide bucket by the time since, as the next is given only when it has ended', () => {
    const beyond = (width: number, now: number, lag: number) =>
      minuteOf(progressBeyond(at(50), width * MINUTE, at(now), lag * MINUTE));
    expect(beyond(10, 56, 2)).toBe(54);
    expect(beyond(10, 80, 2)).toBe(59);
    expect(beyond(10, 51, 2)).toBe(50);
    expect(beyond(1, 80, 0)).toBe(50);
  });
});
