import { expect, it } from 'vitest';
import { type Document, Lexer, LineCounter, parseDocument } from 'yaml';
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
