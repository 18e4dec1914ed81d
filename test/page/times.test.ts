import { expect, test } from 'vitest';
import { moment, span } from '../../src/page/times.ts';
import { at, NOW } from './made-up-status.ts';

test.each([
  [0, '0 s'],
  [0.4, '0 s'],
  [59.4, '59 s'],
  [60, '1 min'],
  [125, '2 min'],
  [3_600, '1 h'],
  [7_500, '2 h 05 min'],
  [86_400 * 4 + 3 * 3_600, '4 d 03 h'],
  [-5, '0 s'],
])('%d seconds read as %s', (seconds, text) => {
  expect(span(seconds)).toBe(text);
});

test('a moment is relative to the eye and absolute to a machine', () => {
  expect(moment(at(-160), NOW).markup).toBe(
    '<time datetime="2026-03-14T03:10:00.000Z" title="2026-03-14T03:10:00.000Z">2 min ago</time>',
  );
  expect(moment(at(32), NOW).markup).toContain('>in 32 s<');
});

test('a moment that is not known is a dash, and one that is no time is shown as it came', () => {
  expect(moment(null, NOW).markup).toContain('–');
  expect(moment('<soon>', NOW).markup).toBe('&lt;soon&gt;');
});
