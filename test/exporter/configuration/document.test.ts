import { expect, it } from 'vitest';
import { readYaml } from '../../../src/exporter/configuration/document.ts';

const read = (text: string) => readYaml(text, 'file', { env: {} });

it('aliases that make a small file a large one are refused', () => {
  const bomb = Array.from(
    { length: 9 },
    (_, level) => `a${level + 1}: &a${level + 1} [${`*a${level}, `.repeat(9)}]\n`,
  );
  const { value, issues } = read(`a0: &a0 [1]\n${bomb.join('')}`);
  expect(value).toBeUndefined();
  expect(issues.map(({ message }) => message)).toEqual(['has too many aliases']);
});

it.each([
  [
    'the last anchor of a name before it counts',
    'x: &a 1\naccounts: [&a { name: a }]\nother: *a\n',
    { name: 'a' },
  ],
  ['an anchor may be in a list', 'accounts: [&a { name: a }]\nother: *a\n', { name: 'a' }],
  ['what is merged has its anchor beside it', 'other:\n  <<: [&b { p: 1 }, *b]\n', { p: 1 }],
  [
    'what is merged by a list has lost its anchor since',
    'x: &b { p: 1 }\nz: &l [*b]\nw: &b 5\nother: { <<: *l }\n',
    { p: 1 },
  ],
])('%s', (_, text, other) => {
  const { value, issues } = read(text);
  expect(issues).toEqual([]);
  expect(value).toMatchObject({ other });
});

it.each([
  [
    'x: &b 5\nz: &l [*b]\nw: &b { p: 1 }\ny: { <<: *l }\n',
    ['a merge key takes a mapping, or a list of mappings'],
  ],
  ['y: { <<: *b }\n', ['no anchor of this name comes before']],
  ['y: &b { <<: *b }\n', ['an alias cannot stand inside what it repeats']],
])('%j is refused, once', (text, messages) => {
  const { value, issues } = read(text);
  expect(value).toBeUndefined();
  expect(issues.map(({ message }) => message)).toEqual(messages);
});

it('half of a character, as only an escape can write it, is refused where it stands, and a whole one is not', () => {
  const half = 'has an escape sequence that is half of a character';
  const { issues } = read(
    'accounts:\n  - name: "a\\ud800"\nlimits: { b: "\\udc00b" }\nnames: ["\\ud83d\\ude00", 😀]\n',
  );
  expect(issues.map(({ line, column, message }) => [line, column, message])).toEqual([
    [2, 11, half],
    [3, 14, half],
  ]);
});

it('ten thousand accounts may repeat the same', () => {
  const shared = 'shared: &shared { push: &push { a: 1 }, collectors: [b, c] }\n';
  const one = (index: number) => `  - { <<: *shared, name: site-${index}, again: *push }\n`;
  const { value, issues } = read(
    `${shared}accounts:\n${Array.from({ length: 10_000 }, (_, i) => one(i)).join('')}`,
  );
  expect(issues).toEqual([]);
  const { accounts } = value as { accounts: unknown[] };
  expect(accounts[9999]).toEqual({
    push: { a: 1 },
    collectors: ['b', 'c'],
    name: 'site-9999',
    again: { a: 1 },
  });
});
