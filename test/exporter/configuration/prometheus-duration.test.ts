import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from '../../../src/exporter/text/figures.ts';

test.each([
  ['0', 0],
  ['0s', 0],
  ['90s', 90_000],
  ['2m', 120_000],
  ['1h30m', 5_400_000],
  ['500ms', 500],
  ['1m500ms', 60_500],
  ['1d', 86_400_000],
  ['1w', 604_800_000],
  ['1y', 31_536_000_000],
])('reads %s as %i ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(['', '5', '1.5h', '-1m', '1m1h', '1 m', '2 minutes', '1M', 's', '99999999999999999y', '1m\n'])(
  'refuses %j',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

test('what is formatted reads as the same duration', () => {
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (ms) => parseDuration(formatDuration(ms)) === ms),
  );
});
