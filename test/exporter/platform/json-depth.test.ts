import fc from 'fast-check';
import { expect, it } from 'vitest';
import { excessIn } from '../../../src/exporter/platform/json-excess.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

it('sees how deep any document is, whatever its texts hold', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('[[[', '{"', '\\', '\\"[', '"]', '}]'));
  const { document } = fc.letrec<{ document: unknown }>((tie) => ({
    document: fc.oneof(
      { maxDepth: 6 },
      text,
      fc.integer(),
      fc.array(tie('document'), { maxLength: 3 }),
      fc.dictionary(text, tie('document'), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(document, fc.nat({ max: 8 }), (value, limit) => {
      const excess = excessIn(Buffer.from(JSON.stringify(value)), limit);
      expect(excess !== undefined).toBe(depthOf(value) > limit);
    }),
  );
});

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const values = Object.values(value);
  return values.reduce((sum: number, inner) => sum + valuesIn(inner), 1);
}

it('sees how many values a document has: no fewer, and an object or a key adds a few', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom(',,,', '",', '\\'));
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), text, (value, key) => {
      const document = { [key]: value };
      const bytes = Buffer.from(JSON.stringify(document));
      const values = valuesIn(document);
      expect(excessIn(bytes, 64, values - 1)).toBe(`the answer has more than ${values - 1} values`);
      expect(excessIn(bytes, 64, 9 * values)).toBeUndefined();
    }),
  );
});

it('takes a large list of values and refuses one of more than a million, small as they are', () => {
  const list = (length: number, item: string) => Buffer.from(`[${Array(length).fill(item).join()}]`);
  expect(excessIn(list(400_000, '[]'))).toBeUndefined();
  expect(excessIn(list(600_000, '[]'))).toBe('the answer has more than 1000000 values');
  expect(excessIn(list(160_000, '{}'))).toBeUndefined();
  expect(excessIn(list(170_000, '{}'))).toBe('the answer has more than 1000000 values');
});
