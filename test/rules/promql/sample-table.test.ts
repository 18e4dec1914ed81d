import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SampleTable } from '../../../src/rules/promql/sample-table.ts';

const MINUTE = 60_000;
const REACH = 20 * MINUTE;

const LOOK = fc.record({
  samples: fc.array(fc.option(fc.integer({ min: 0, max: 9 })), { minLength: 1, maxLength: 60 }),
  offset: fc.integer({ min: 0, max: 8 * MINUTE }),
  range: fc.integer({ min: 1, max: 12 * MINUTE }),
});

it('the samples of a range are those after its beginning until its end, oldest first, and the newest is the last of them', () => {
  fc.assert(
    fc.property(LOOK, ({ samples, offset, range }) => {
      const table = new SampleTable('a', MINUTE);
      table.admit([{ x: '1' }]);
      table.reach(REACH);
      table.makeRoom();
      for (const [at, value] of samples.entries()) table.write(at * MINUTE, [value ?? Number.NaN]);
      const to = (samples.length - 1) * MINUTE - offset;
      const all = new Float64Array(table.slots);
      const count = table.between(0, to - range, to, all);
      const expected = samples.filter((_, at) => at * MINUTE > to - range && at * MINUTE <= to);
      expect([...all.subarray(0, count)]).toEqual(expected.filter((value) => value !== null));
      expect(table.last(0, to - range, to)).toBe(count === 0 ? Number.NaN : all[count - 1]);
    }),
  );
});

it('a series that is admitted later leaves the samples of the others as they are', () => {
  const table = new SampleTable('a', MINUTE);
  table.admit([{ x: '1' }]);
  table.reach(REACH);
  table.makeRoom();
  table.write(0, [5]);
  expect(table.admit([{ x: '2' }, { x: '1' }])).toBe(true);
  table.makeRoom();
  table.write(MINUTE, [6, 7]);
  const read = (labels: Record<string, string>, at: number) => table.at(table.placeOf(labels) ?? -1, at);
  expect([read({ x: '1' }, 0), read({ x: '1' }, MINUTE)]).toEqual([5, 6]);
  expect([read({ x: '2' }, 0), read({ x: '2' }, MINUTE)]).toEqual([Number.NaN, 7]);
});
