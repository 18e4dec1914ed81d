import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  escapeLabelValue,
  LabelTexts,
  LONGEST_LABEL_VALUE,
} from '../../../src/exporter/exposition/label-text.ts';
import { familyHeader, formatThreshold, formatValue } from '../../../src/exporter/exposition/text-format.ts';
import { parseExposition, seriesKey } from '../../parse-exposition.ts';

describe('the header of a family', () => {
  const requests = { name: 'edge_requests_total', type: 'counter', help: 'Requests.' } as const;

  it('names a counter as its samples in the text format', () => {
    expect(familyHeader(requests, 'text')).toBe(
      '# HELP edge_requests_total Requests.\n# TYPE edge_requests_total counter\n',
    );
  });

  it('names a counter without its suffix in OpenMetrics', () => {
    expect(familyHeader(requests, 'openmetrics')).toBe(
      '# HELP edge_requests Requests.\n# TYPE edge_requests counter\n',
    );
  });

  it('declares a counter without the suffix of unknown type in OpenMetrics, which has no such counters', () => {
    const family = { name: 'edge_odd', type: 'counter', help: 'Odd.' } as const;
    expect(familyHeader(family, 'openmetrics')).toContain('# TYPE edge_odd unknown\n');
    expect(familyHeader(family, 'text')).toContain('# TYPE edge_odd counter\n');
  });

  it('leaves the name of a gauge alone, suffix or not', () => {
    const family = { name: 'edge_handles_total', type: 'gauge', help: 'Open.' } as const;
    expect(familyHeader(family, 'openmetrics')).toContain('# TYPE edge_handles_total gauge\n');
  });

  it('escapes the help as each format wants it', () => {
    const family = { name: 'edge_x', type: 'gauge', help: 'A "b"\\c\nd\ud800' } as const;
    expect(familyHeader(family, 'text')).toContain('# HELP edge_x A "b"\\\\c\\nd\ufffd\n');
    expect(familyHeader(family, 'openmetrics')).toContain('# HELP edge_x A \\"b\\"\\\\c\\nd\ufffd\n');
  });
});

const anyString = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
});

describe('the text of labels', () => {
  it.each([
    ['plain', 'plain'],
    ['a\\b', 'a\\\\b'],
    ['say "hi"', 'say \\"hi\\"'],
    ['two\nlines', 'two\\nlines'],
    ['tab\tand\rreturn stay', 'tab\tand\rreturn stay'],
    ['größe 日本 🚀', 'größe 日本 🚀'],
    ['half \ud83d of a rocket', 'half \ufffd of a rocket'],
    ['\udc00"', '\ufffd\\"'],
  ])('escapes %j', (value, escaped) => {
    expect(escapeLabelValue(value)).toBe(escaped);
  });

  it('reads back as the value it was, for any string that UTF-8 can hold', () => {
    fc.assert(
      fc.property(anyString, (value) => {
        const text = new LabelTexts().of({ value });
        const bytes = Buffer.from(`m${text} 1\n`);
        const wellFormed = Buffer.from(value).toString();
        expect([...parseExposition(bytes.toString()).samples.keys()]).toEqual([
          seriesKey('m', { value: wellFormed }),
        ]);
      }),
    );
  });

  it('keeps the order in which labels are given and leaves out empty values', () => {
    const texts = new LabelTexts();
    expect(texts.of({ zone: 'z', account: 'a', code: '' })).toBe('{zone="z",account="a"}');
    expect(texts.of({ code: '' })).toBe('');
    expect(texts.of({})).toBe('');
  });

  it('is the same for equal labels given in different orders', () => {
    const texts = new LabelTexts();
    const first = texts.of({ b: '1', a: '2' });
    expect(first).toBe('{b="1",a="2"}');
    expect(texts.of({ a: '2', b: '1' })).toBe(first);
    expect(texts.of({ a: '2', c: '', b: '1' })).toBe(first);
  });

  it('tells apart labels whose plain joining would look alike', () => {
    const texts = new LabelTexts();
    expect(texts.of({ a: 'x,b:y', b: 'z' })).not.toBe(texts.of({ a: 'x', b: 'y,b:z' }));
    expect(texts.of({ a: 'x",b="y' })).not.toBe(texts.of({ a: 'x', b: 'y' }));
  });

  it('shortens values that are too long, and says which and how they are shown', () => {
    const texts = new LabelTexts();
    const long = 'x'.repeat(1_000_000);
    const shown = `${'x'.repeat(LONGEST_LABEL_VALUE - 1)}…`;
    expect(texts.of({ id: '1', name: long })).toBe(`{id="1",name="${shown}"}`);
    expect([...texts.shortened]).toEqual([['name', shown]]);
    texts.of({ name: `${long}y` });
    expect(texts.shortenedCount).toBe(2);
    const longest = 'x'.repeat(LONGEST_LABEL_VALUE);
    expect(texts.of({ name: longest })).toBe(`{name="${longest}"}`);
    expect([...texts.shortened]).toEqual([['name', shown]]);
    expect(texts.shortenedCount).toBe(2);
  });
});

describe('the text of a value', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [75207, '75207'],
    [0.1, '0.1'],
    [1e21, '1e+21'],
    [5e-324, '5e-324'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
    [Number.NaN, 'NaN'],
  ])('%d is written %s', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });

  it('reads back as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
        expect(Number(formatValue(value))).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it.each([
    [1, '1.0'],
    [-10, '-10.0'],
    [0.005, '0.005'],
    [1e22, '1e+22'],
    [Infinity, '+Inf'],
  ])('as a threshold, %d is written %s', (value, text) => {
    expect(formatThreshold(value)).toBe(text);
  });
});
