import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isGlob, matchesAny } from '../../../src/exporter/text/glob.ts';

it.each([
  ['shop-*', 'shop-api', 'my-shop-api'],
  ['*-staging', 'shop-staging', 'shop-staging-2'],
  ['*', '', undefined],
  ['*', 'a/b.c\n', undefined],
  ['*a*b*', 'xaxxb', 'b a'],
  ['shop-?', 'shop-1', 'shop-12'],
  ['?', '😀', ''],
  ['shop-[0-9a]', 'shop-a', 'shop-b'],
  ['shop-[!0-9]', 'shop-x', 'shop-1'],
  ['{shop,blog}-{eu,us}', 'blog-eu', 'blog-asia'],
  ['shop{,-api}', 'shop', 'shop-web'],
  ['a.c', 'a.c', 'abc'],
  ['.*', '.hidden', 'hidden'],
  ['\\*', '*', 'x'],
  ['[unclosed', '[unclosed', 'u'],
])('"%s" matches "%s" and not "%s"', (pattern, right, wrong) => {
  const matches = matchesAny([pattern]);
  expect(matches(right)).toBe(true);
  if (wrong !== undefined) expect(matches(wrong)).toBe(false);
});

it('matches where any of several patterns does, and never where there is none', () => {
  const matches = matchesAny(['a*', '*z']);
  expect(['ab', 'yz', 'bc'].map(matches)).toEqual([true, true, false]);
  expect(matchesAny([])('a')).toBe(false);
});

it('is no pattern with brackets that are not balanced, or with too many alternatives', () => {
  expect(['a[', 'a]', '{a', 'a}', 'a\\', '{a,b}'.repeat(20)].map(isGlob)).toEqual(Array(6).fill(false));
  expect(['a', '[a]', '{a,{b}', '{a,b}'.repeat(6)].map(isGlob)).toEqual([true, true, false, true]);
});

it('agrees with a regular expression of the same pattern', () => {
  const letters = fc.constantFrom('a', 'b', '-');
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '-', '*', '?'), maxLength: 8 });
  fc.assert(
    fc.property(pattern, fc.string({ unit: letters, maxLength: 12 }), (glob, text) => {
      const regex = new RegExp(`^${glob.replaceAll('*', '.*').replaceAll('?', '.')}$`);
      expect(matchesAny([glob])(text)).toBe(regex.test(text));
    }),
    { numRuns: 2_000 },
  );
});

it('ends for a long text, whatever the pattern', () => {
  expect(matchesAny(['*-L*-prod'])('-L'.repeat(500_000))).toBe(false);
  expect(matchesAny(['*a'.repeat(20)])('a'.repeat(10_000).concat('b'))).toBe(false);
});
