import fc from 'fast-check';
import { expect, it } from 'vitest';
import { vector } from '../../../src/rules/promql/compile.ts';
import { parse } from '../../../src/rules/promql/parse.ts';
import { SampleTable } from '../../../src/rules/promql/sample-table.ts';

const MINUTE = 60_000;
const NAMES = ['a', 'b', 'c'] as const;

const SERIES = fc.record({ x: fc.constantFrom('1', '2', '3'), y: fc.constantFrom('1', '2', '3') });

const ELEMENTS = fc.uniqueArray(
  fc.record({ labels: SERIES, value: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }) }),
  { selector: ({ labels }) => `${labels.x} ${labels.y}`, maxLength: 9 },
);

type Elements = ReadonlyMap<string, number>;

function defined(operator: string, on: string, left: Elements, right: Elements): Elements {
  const signature = (key: string) => (on === '' ? key : key.slice(0, 1));
  const there = new Set([...(operator === 'or' ? left : right).keys()].map(signature));
  if (operator === 'or')
    return new Map([...left, ...[...right].filter(([key]) => !there.has(signature(key)))]);
  return new Map([...left].filter(([key]) => there.has(signature(key)) === (operator === 'and')));
}

it('and, or and unless take the elements that Prometheus takes, alone and one after another', () => {
  const operator = fc.constantFrom('and', 'or', 'unless');
  const on = fc.constantFrom('', 'on (x)');
  fc.assert(
    fc.property(
      fc.tuple(ELEMENTS, ELEMENTS, ELEMENTS),
      fc.tuple(operator, on),
      fc.tuple(operator, on),
      (given, [first, firstOn], [second, secondOn]) => {
        const tables = new Map(NAMES.map((name) => [name, new SampleTable(name, MINUTE)]));
        for (const [index, name] of NAMES.entries())
          tables.get(name)?.admit((given[index] ?? []).map(({ labels }) => labels));
        const { labels, at } = vector(
          parse(`sum_over_time(a[30m]) ${first} ${firstOn} (b ${second} ${secondOn} c)`),
          tables,
        );
        for (const [index, name] of NAMES.entries()) {
          tables.get(name)?.makeRoom();
          tables.get(name)?.write(
            MINUTE,
            (given[index] ?? []).map(({ value }) => value ?? Number.NaN),
          );
        }
        const values = at(MINUTE);
        const found = labels.flatMap(({ x, y }, place): [string, number][] => {
          const value = values[place] ?? Number.NaN;
          return Number.isNaN(value) ? [] : [[`${x} ${y}`, value]];
        });
        const [a = new Map(), b = new Map(), c = new Map()] = given.map(
          (elements) =>
            new Map(
              elements.flatMap(({ labels: { x, y }, value }) =>
                value === undefined ? [] : [[`${x} ${y}`, value] as const],
              ),
            ),
        );
        expect(new Map(found)).toEqual(defined(first, firstOn, a, defined(second, secondOn, b, c)));
        expect(found).toHaveLength(new Map(found).size);
      },
    ),
  );
});
