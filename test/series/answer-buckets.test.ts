import { describe, expect, it } from 'vitest';
import { type Decoded, decodeSeries } from '../../src/decode/decode.ts';
import { answerWidth, newestStart, startOfBucketAt } from '../../src/series/answer-buckets.ts';

const MINUTE = 60_000;
const T0 = Date.UTC(2026, 0, 5, 10);

/** An answer with points at these minutes, and so many rows that are none. */
function decoded(minutes: readonly number[], bad = 0): Decoded {
  const rows = [...minutes.map((minute) => [T0 + minute * MINUTE, 1]), ...Array(bad).fill('bad')];
  return decodeSeries({ total: rows }, { metric: 'requests', id: '7' }, T0 + 600 * MINUTE);
}

describe('the width of the buckets of an answer', () => {
  it.each([
    ['is what the first answer tells', decoded([0, 1]), undefined, 1],
    ['is unknown while no answer tells it', decoded([3]), undefined, undefined],
    ['is the one known before when there is but one bucket, or none', decoded([3]), 1, 1],
    ['is the one known before when there is nothing', decoded([]), 5, 5],
    ['is less than before as soon as an answer says so', decoded([0, 1]), 5, 1],
    ['is greater than before when enough buckets say so', decoded([0, 5, 10, 15]), 1, 5],
    ['is unknown when few buckets lie further apart than before', decoded([0, 5, 10]), 1, undefined],
    [
      'is unknown when what is left of a bad answer lies further apart',
      decoded([0, 5, 10, 15], 2),
      1,
      undefined,
    ],
    ['is the one known before when enough is left of a bad answer', decoded([0, 1, 2, 3], 20), 1, 1],
    ['is unknown when hardly anything is left of a bad answer', decoded([0, 1], 20), 1, undefined],
  ])('%s', (_, answer, known, width) => {
    const given = known === undefined ? undefined : known * MINUTE;
    expect(answerWidth(answer, given)).toBe(width === undefined ? undefined : width * MINUTE);
  });
});

it.each([1, 250, 10_000])('rows %i ms apart are no buckets, where those before were of a minute', (apart) => {
  const rows = [0, 1, 2, 3, 4].map((step) => [T0 + step * apart, 1]);
  const stray = decodeSeries({ total: rows }, { metric: 'requests', id: '7' }, T0 + 600 * MINUTE);
  expect(answerWidth(stray, MINUTE)).toBeUndefined();
});

it('the newest bucket is that of any series', () => {
  expect(newestStart(decoded([0, 4, 2]))).toBe(T0 + 4 * MINUTE);
  expect(newestStart(decoded([]))).toBe(Number.NEGATIVE_INFINITY);
});

it('a bucket begins on the grid of the answer, whatever the epoch says', () => {
  expect(startOfBucketAt(T0 + 11 * MINUTE, 5 * MINUTE, decoded([2, 7]))).toBe(T0 + 7 * MINUTE);
  expect(startOfBucketAt(T0 - MINUTE, 5 * MINUTE, decoded([2, 7]))).toBe(T0 - 3 * MINUTE);
});
