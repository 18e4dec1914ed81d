import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortInSteps } from '../../../src/exporter/page/jobs-table.ts';
import { allStepsOf } from '../../in-steps.ts';

test('what is put in order in steps comes out as from a stable sort', () => {
  const item = fc.record({ key: fc.integer({ min: 0, max: 20 }), name: fc.string({ maxLength: 3 }) });
  const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;
  fc.assert(
    fc.property(fc.array(item, { maxLength: 1_500, size: 'max' }), (items) => {
      expect(allStepsOf(sortInSteps(items, byKey))).toEqual(items.toSorted(byKey));
    }),
    { numRuns: 50 },
  );
});

test('no step compares more than a small part of many', () => {
  let compared = 0;
  const items = Array.from({ length: 10_000 }, (_, index) => (index * 7_919) % 10_007);
  const steps = sortInSteps(items, (a, b) => {
    compared += 1;
    return a - b;
  });
  let most = 0;
  for (let before = 0; !steps.next().done; before = compared) most = Math.max(most, compared - before);
  expect(most).toBeLessThan(items.length / 4);
});
