import { expect, test } from 'vitest';
import { left, paint, renderTable, showingAll } from '../../../src/exporter/text/output.ts';

function shown(text: string): string {
  const written: string[] = [];
  showingAll({ write: (piece) => written.push(piece) }).write(text);
  return written.join('');
}

test('control characters and marks that reorder text are shown, not acted upon', () => {
  expect(shown('shop\u001b[2J\u0007 \u202egnp.exe\u2066 \u009b')).toBe(
    'shop\\u001b[2J\\u0007 \\u202egnp.exe\\u2066 \\u009b',
  );
});

test('a line of a table stays one, whatever a name contains', () => {
  expect(renderTable([left('name'), left('up')], [['shop\nblog  yes', 'no']])).toBe(
    'name             up\nshop\\nblog  yes  no\n',
  );
});

test('lines, tabs, colours of our own and letters of any script stay', () => {
  const red = paint({ write: () => true, isTTY: true }, {}, 'red', 'problem');
  const text = `\r\u001b[K${red}\tشركة 👩‍👩‍👧 ünïcödé\n`;
  expect(shown(text)).toBe(text);
});

test('JSON stays JSON of the same values', () => {
  const value = { name: '\u202egnp\u2029' };
  expect(JSON.parse(shown(JSON.stringify(value)))).toEqual(value);
});
