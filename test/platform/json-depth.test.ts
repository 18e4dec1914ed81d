import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isDeeperThan } from '../../src/platform/response-body.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

it('tells how deep any document is, whatever its texts hold', () => {
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
      expect(isDeeperThan(limit, Buffer.from(JSON.stringify(value)))).toBe(depthOf(value) > limit);
    }),
  );
});
