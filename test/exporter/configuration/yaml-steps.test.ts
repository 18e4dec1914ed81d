import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Document, Lexer, LineCounter, parseDocument, visit } from 'yaml';
import { readConfigInSteps } from '../../../src/exporter/configuration/document.ts';
import { parseInSteps } from '../../../src/exporter/configuration/yaml-steps.ts';
import { toTheEnd } from '../../../src/exporter/slices.ts';

const OPTIONS = { prettyErrors: false, keepSourceTokens: true } as const;

const account = (name: string) =>
  `  - name: ${name}\n    api_url: https://api.example.net # a comment\n    collectors: { metrics: { schedule: "* * * * *" } }\n`;

/** Longer than a key may be: what follows them must not be taken for their continuation. */
const MANY = Array.from({ length: 60 }, (_, index) => account(`site-${index}`)).join('');

const IN_BRACKETS = Array.from({ length: 60 }, (_, index) => `{ name: site-${index} }`).join(', ');

it.each([
  ['one account', `accounts:\n${account('a')}`],
  ['many accounts, and keys after them', `accounts:\n${MANY}limits: { series: 1 }\nlog: debug\n`],
  ['keys before them', `limits:\n  series: 1\naccounts:\n${MANY}`],
  ['accounts that are not indented', `accounts:\n${MANY.replaceAll(/^ {2}/gm, '')}limits: { series: 1 }\n`],
  ['accounts in brackets', 'accounts: [{ name: a }, { name: b }]\nlimits: { series: 1 }\n'],
  ['many in brackets, and keys after them', `accounts: [${IN_BRACKETS}] # all\nlimits: { series: 1 }\n`],
  [
    'brackets over lines, a comma at the end',
    `accounts: [\n${IN_BRACKETS.replaceAll('},', '},\n  ')},\n]\nlog: debug\n`,
  ],
  ['JSON', JSON.stringify({ limits: { series: 1 }, accounts: [{ name: 'a' }, { name: 'b' }], push: [] })],
  ['JSON over lines', JSON.stringify({ accounts: [{ name: 'a' }, { name: 'b' }], push: [] }, null, 2)],
  ['comments between brackets', 'accounts: [ # one\n  { name: a }, # two\n  # three\n  { name: b }\n]\n'],
  ['no comma between two in brackets', 'accounts: [{ name: a } { name: b }, { name: c }]\n'],
  ['two commas in brackets', 'accounts: [{ name: a },, { name: b }]\n'],
  ['a comma first in brackets', 'accounts: [, { name: a }]\n'],
  ['pairs in brackets', 'accounts: [name: a, name: b]\n'],
  ['brackets that are not closed', 'accounts: [{ name: a }, { name: b }\nlimits: { series: 1 }\n'],
  ['an alias in brackets', 'accounts: [&a { name: a }, *a, { <<: *a, name: b }]\n'],
  ['a comment without a space in brackets', 'accounts: [{ name: a },# b\n { name: b }]\n'],
  ['a mistake in one in brackets', `accounts: [${IN_BRACKETS}, { name: "a" "b" }]\nlimits: { series: 1 }\n`],
  ['a mistake in JSON', '{"accounts": [{"name": "a"}, {"name" "b"}], "push": []}'],
  ['no account', 'accounts: []\nlimits: { series: 1 }\n'],
  ['nothing under the key', 'accounts:\nlimits: { series: 1 }\n'],
  ['an anchor and its alias', 'accounts:\n  - &a { name: a }\n  - *a\nlimits: { series: 1 }\n'],
  ['the key twice', `accounts:\n${account('a')}accounts:\n${account('b')}`],
  ['a mistake in one of them', `accounts:\n${MANY}  - name: [\nlimits: { series: 1 }\n`],
  ['nothing', ''],
])('%s: a document read in steps is the one that the library reads at once', (_, text) => {
  const inSteps: Document = toTheEnd(parseInSteps(text, new LineCounter(), OPTIONS));
  const atOnce = parseDocument(text, OPTIONS);
  const mistakes = ({ errors }: Document) => errors.map(({ code, pos }) => [code, pos[0]]).sort();
  expect(mistakes(inSteps)).toEqual(mistakes(atOnce));
  if (atOnce.errors.length === 0) expect(inSteps.toJS()).toEqual(atOnce.toJS());
});

it.each([
  ['in lines', `accounts:\n${MANY}`],
  ['in brackets', `accounts: [${IN_BRACKETS}]\n`],
  ['in JSON', JSON.stringify({ accounts: Array.from({ length: 60 }, () => ({ name: 'a' })) })],
])('accounts %s take a step each to be composed', (_, text) => {
  const lexemes = [...new Lexer().lex(text)].length;
  const steps = [...parseInSteps(text, new LineCounter(), OPTIONS)].length;
  expect(steps).toBe(60 + Math.floor(lexemes / 64));
});

const read = (text: string) => toTheEnd(readConfigInSteps(text, 'file', {}));

it.each([
  ['of a name each', (index: number) => `  - &a${index} ${index}\n  - *a${index}\n`],
  ['of one name', (index: number) => `  - &a ${index}\n  - *a\n`],
])('20,000 anchors %s, each repeated, are read in a moment, as the library reads them', (_, two) => {
  const text = (count: number) => `x:\n${Array.from({ length: count }, (_, index) => two(index)).join('')}`;
  expect(read(text(100)).value).toEqual(parseDocument(text(100)).toJS());
  const before = process.cpuUsage();
  const { x } = read(text(20_000)).value as { x: number[] };
  expect(x.slice(-4)).toEqual([19_998, 19_998, 19_999, 19_999]);
  // Looked for from the beginning each time, they took over ten times as long.
  expect(process.cpuUsage(before).user).toBeLessThan(8_000_000);
});

it('an alias repeats what has its anchor last before it, also around the long list', () => {
  const text = 'a: &x 1\naccounts:\n  - *x\n  - &x 2\n  - *x\nb: &x 3\nc: *x\n';
  expect(read(text).value).toEqual({ a: 1, accounts: [1, 2, 2], b: 3, c: 3 });
});

it('aliases that make a small file a large one are refused', () => {
  const bomb = Array.from(
    { length: 9 },
    (_, level) => `a${level + 1}: &a${level + 1} [${`*a${level}, `.repeat(9)}]\n`,
  );
  const { value, issues } = read(`a0: &a0 [1]\n${bomb.join('')}`);
  expect(value).toBeUndefined();
  expect(issues.map(({ message }) => message)).toEqual(['has too many aliases']);
});

/** A mapping of scalars, lists, mappings and merges, with anchors and aliases of few names, in brackets. */
const { node } = fc.letrec<{ node: string; map: string; mergeable: string }>((tie) => {
  const anchor = fc.constantFrom('', '', '&a ', '&b ');
  const alias = fc.constantFrom('*a', '*b');
  const entry = fc.oneof(
    fc
      .tuple(fc.constantFrom('p', 'q', '&a r', '&b s'), tie('node'))
      .map(([key, value]) => `${key}: ${value}`),
    tie('mergeable').map((value) => `<<: ${value}`),
  );
  const joined = (entries: string[]) => entries.join(', ');
  const list = (items: fc.Arbitrary<string>) =>
    fc.tuple(anchor, fc.array(items, { maxLength: 3 }).map(joined)).map(([name, all]) => `${name}[${all}]`);
  const byKey = { maxLength: 3, selector: (text: string) => text.split(': ')[0]?.split(' ').at(-1) };
  return {
    map: fc.tuple(anchor, fc.uniqueArray(entry, byKey).map(joined)).map(([name, all]) => `${name}{ ${all} }`),
    mergeable: fc.oneof({ depthSize: 'small' }, alias, tie('map'), list(fc.oneof(alias, tie('map')))),
    node: fc.oneof(
      { depthSize: 'small' },
      fc.tuple(anchor, fc.nat(9)).map(([name, value]) => `${name}${value}`),
      alias,
      tie('map'),
      list(tie('node')),
    ),
  };
});

/** What the library makes of a text: nothing where it fails, or where an alias stands inside what it repeats. */
function byTheLibrary(text: string): unknown {
  const document = parseDocument(text, { merge: true });
  let isEndless = false;
  visit(document, {
    Alias: (_key, alias, ancestors) => {
      isEndless ||= ancestors.some((node) => node === alias.resolve(document));
    },
  });
  try {
    return isEndless ? undefined : document.toJS({ maxAliasCount: -1 });
  } catch {
    return undefined;
  }
}

it('anchors, aliases and merge keys are read as the library reads them, also around the long list', () => {
  const keys = fc.shuffledSubarray(['w', 'x', 'accounts', 'y', 'z'], { minLength: 2 });
  fc.assert(
    fc.property(keys, fc.array(node, { minLength: 8, maxLength: 8 }), (names, nodes) => {
      const lines = names.map((name, index) =>
        name === 'accounts'
          ? `accounts:\n  - ${nodes[index]}\n  - ${nodes[6]}\n`
          : `${name}: ${nodes[index]}\n`,
      );
      expect(read(lines.join('')).value, lines.join('')).toEqual(byTheLibrary(lines.join('')));
    }),
    { numRuns: 400 },
  );
});

it.each([
  [
    'an anchor in the long list is that of what follows',
    'x: &a 1\naccounts: [&a { name: a }]\nother: *a\n',
    { name: 'a' },
  ],
  ['the first anchor is in the long list', 'accounts: [&a { name: a }]\nother: *a\n', { name: 'a' }],
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
  const half = 'this text has an escape sequence that is half of a character';
  const { issues } = read(
    'accounts:\n  - name: "a\\ud800"\nlimits: { "\\udc00b": 1 }\nnames: ["\\ud83d\\ude00", 😀]\n',
  );
  expect(issues.map(({ line, column, message }) => [line, column, message])).toEqual([
    [2, 11, half],
    [3, 11, half],
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
