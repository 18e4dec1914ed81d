import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  clearLine,
  left,
  type Output,
  paint,
  renderTable,
  showingAll,
} from '../../../src/exporter/text/output.ts';

function terminal() {
  const written: string[] = [];
  const output: Output = showingAll({ isTTY: true, write: (piece) => written.push(piece) });
  return { output, written: () => written.join('') };
}

function shown(text: string): string {
  const { output, written } = terminal();
  output.write(text);
  return written();
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
  const { output, written } = terminal();
  const text = 'problem\tشركة 👩‍👩‍👧 ünïcödé\n';
  output.write(`${clearLine(output)}${paint(output, {}, 'red', text)}`);
  expect(written()).toBe(`\u001b[G\u001b[K\u001b[31m${text}\u001b[0m`);
});

test('no text makes a terminal do what colours and cleared lines of ours make it do', () => {
  const pieces = [
    '\u001b[31m',
    '\r\u001b[K',
    '\u001b[0m',
    '\u009b1A',
    '\u202e',
    '\u2028',
    '\u061c',
    '\u0000',
    'a',
  ];
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary' }))), (texts) => {
      const { output, written } = terminal();
      const text = texts.join('').replaceAll(/[\n\t]/g, '');
      output.write(paint(output, {}, 'red', text));
      const [begin, end] = ['\u001b[31m', '\u001b[0m'];
      expect(written().slice(0, begin.length)).toBe(begin);
      expect(written().slice(-end.length)).toBe(end);
      expect(written().slice(begin.length, -end.length)).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
    }),
  );
});

test('JSON stays JSON of the same values', () => {
  const value = { name: '\u202egnp\u2029' };
  expect(JSON.parse(shown(JSON.stringify(value)))).toEqual(value);
});
