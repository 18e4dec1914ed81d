import { describe, expect, it } from 'vitest';
import { type Decoded, decodeSeries } from '../../../src/exporter/decode/decode.ts';
import { answerWidth } from '../../../src/exporter/series/bucket-width.ts';
import type { SeenBuckets } from '../../../src/exporter/series/seen-buckets.ts';
import { doubtAgain, type WidthDoubt } from '../../../src/exporter/series/width-doubt.ts';

const MINUTE = 60_000;
const T0 = Date.UTC(2026, 0, 5, 10);

/** An answer with points at these minutes. */
function decoded(minutes: readonly number[], valueAt = (_minute: number) => 1): Decoded {
  const rows = minutes.map((minute) => [T0 + minute * MINUTE, valueAt(minute)]);
  return decodeSeries({ total: rows }, { metric: 'requests', id: '7' }, T0 + 600 * MINUTE);
}

const every = (step: number, from = 0) =>
  Array.from({ length: Math.ceil((40 - from) / step) }, (_, index) => from + index * step);
const value = (minute: number) => 100 + ((minute * 37) % 11);
const SEEN: SeenBuckets = { width: MINUTE, series: decoded(every(1), value).series };
const sumOf = (width: number) => (minute: number) => {
  let sum = 0;
  for (let part = minute; part < minute + width; part += 1) sum += value(part);
  return sum;
};

describe('the width of the buckets of an answer', () => {
  it.each([
    ['is a minute where the first answer says so', decoded([0, 1]), undefined, 1],
    ['is unknown while no answer tells it', decoded([3]), undefined, undefined],
    ['is the one known before when there is but one bucket of an hour', decoded([3]), 60, 60],
    ['is in doubt when there is but one bucket of a minute', decoded([3]), 1, undefined],
    ['is the one known before when there is nothing', decoded([]), 5, 5],
    ['is less than before as soon as an answer says so', decoded([0, 1]), 5, 1],
    ['is in doubt where rows lie further apart than before', decoded(every(2)), 1, undefined],
    ['is in doubt where the first answer has no minutes', decoded(every(5)), undefined, undefined],
  ])('%s', (_, answer, known, width) => {
    const given = {
      known: known === undefined ? undefined : known * MINUTE,
      seen: undefined,
      doubt: undefined,
    };
    expect(answerWidth(answer, given)).toBe(width === undefined ? undefined : width * MINUTE);
  });

  it.each([1, 250, 10_000])('is no %i ms, where those before were of a minute', (apart) => {
    const rows = [0, 1, 2, 3, 4].map((step) => [T0 + step * apart, 1]);
    const stray = decodeSeries({ total: rows }, { metric: 'requests', id: '7' }, T0 + 600 * MINUTE);
    expect(answerWidth(stray, { known: MINUTE, seen: undefined, doubt: undefined })).toBeUndefined();
  });

  it.each([2, 3, 5])('is as before where every %ith row is left with its value unchanged', (step) => {
    const holed = decoded(every(step), value);
    expect(answerWidth(holed, { known: MINUTE, seen: SEEN, doubt: undefined })).toBe(MINUTE);
  });

  it.each([2, 5])('is %i minutes where each row holds the sum of those seen in its time', (step) => {
    const wide = decoded(every(step), sumOf(step));
    expect(answerWidth(wide, { known: MINUTE, seen: SEEN, doubt: undefined })).toBe(step * MINUTE);
  });

  it('stays in doubt where values tell neither', () => {
    const odd = decoded(every(5), () => 7);
    expect(answerWidth(odd, { known: MINUTE, seen: SEEN, doubt: undefined })).toBeUndefined();
  });
});

describe('answers in doubt', () => {
  /** What is known after such answers, which lie so many minutes apart. */
  function noted(answers: readonly Decoded[], known: number | undefined, apart = 10) {
    let doubt: WidthDoubt | undefined;
    for (const [index, answer] of answers.entries())
      doubt = doubtAgain(doubt, answer, T0 + index * apart * MINUTE);
    return { known, seen: undefined, doubt };
  }
  const fives = decoded(every(5));

  it('are believed when enough of them agree', () => {
    expect(answerWidth(fives, noted(Array(4).fill(fives), undefined))).toBeUndefined();
    expect(answerWidth(fives, noted(Array(5).fill(fives), undefined))).toBe(5 * MINUTE);
    expect(answerWidth(fives, noted(Array(5).fill(fives), MINUTE))).toBe(5 * MINUTE);
  });

  it('are not believed within half an hour where another width was known: rows may be missing for as long', () => {
    expect(answerWidth(fives, noted(Array(30).fill(fives), MINUTE, 1))).toBeUndefined();
    expect(answerWidth(fives, noted(Array(31).fill(fives), MINUTE, 1))).toBe(5 * MINUTE);
  });

  it('show that they have lost rows when those of one lie between those of another', () => {
    const even = noted([decoded(every(2))], undefined);
    expect(answerWidth(decoded(every(2, 1)), even)).toBe(MINUTE);
  });

  it('show nothing where each has its own distance', () => {
    expect(answerWidth(fives, noted([decoded(every(3))], MINUTE))).toBeUndefined();
  });
});
