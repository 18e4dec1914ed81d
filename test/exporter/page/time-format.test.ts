import { expect, test } from 'vitest';
import { moment } from '../../../src/exporter/page/html.ts';
import { at, NOW } from './made-up-status.ts';

test('a moment is relative to the eye and absolute to a machine', () => {
  expect(moment(at(-160), NOW).markup).toBe(
    '<time datetime="2026-03-14T03:10:00.000Z" title="2026-03-14T03:10:00.000Z">2 min 40 s ago</time>',
  );
  expect(moment(at(32), NOW).markup).toContain('>in 32 s<');
});

test('a moment that is not known is a dash, and one that is no time is shown as it came', () => {
  expect(moment(null, NOW).markup).toContain('–');
  expect(moment('<soon>', NOW).markup).toBe('&lt;soon&gt;');
});
