import { expect, it } from 'vitest';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { parseInSteps } from '../../../src/exporter/configuration/yaml-steps.ts';
import { toTheEnd } from '../../../src/exporter/slices.ts';

const OPTIONS = { prettyErrors: false, keepSourceTokens: true } as const;

const account = (name: string) =>
  `  - name: ${name}\n    api_url: https://api.example.net # a comment\n    collectors: { metrics: { schedule: "* * * * *" } }\n`;

/** Longer than a key may be: what follows them must not be taken for their continuation. */
const MANY = Array.from({ length: 60 }, (_, index) => account(`site-${index}`)).join('');

it.each([
  ['one account', `accounts:\n${account('a')}`],
  ['many accounts, and keys after them', `accounts:\n${MANY}limits: { series: 1 }\nlog: debug\n`],
  ['keys before them', `limits:\n  series: 1\naccounts:\n${MANY}`],
  ['accounts that are not indented', `accounts:\n${MANY.replaceAll(/^ {2}/gm, '')}limits: { series: 1 }\n`],
  ['accounts in brackets', 'accounts: [{ name: a }, { name: b }]\nlimits: { series: 1 }\n'],
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
