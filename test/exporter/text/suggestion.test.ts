import { expect, test } from 'vitest';
import { didYouMean, suggest } from '../../../src/exporter/text/suggestion.ts';

const PRODUCTS = ['edge_applications', 'edge_functions', 'waf', 'l2_caching'];

test.each([
  ['edge_aplications', 'edge_applications'],
  ['edge-functions', 'edge_functions'],
  ['wfa', 'waf'],
  ['WAF', 'waf'],
  ['l2_cache', 'l2_caching'],
])('for %s suggests %s', (given, meant) => {
  expect(suggest(given, PRODUCTS)).toBe(meant);
});

test('suggests nothing that is far from what was given', () => {
  expect(suggest('bandwidth', PRODUCTS)).toBeUndefined();
  expect(suggest('x', PRODUCTS)).toBeUndefined();
  expect(didYouMean('bandwidth', PRODUCTS)).toBe('');
});

test('asks whether the nearest was meant', () => {
  expect(didYouMean('wavf', PRODUCTS)).toBe('; did you mean "waf"?');
});
