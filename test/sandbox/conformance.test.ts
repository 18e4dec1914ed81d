import { describe, expect, it } from 'vitest';
import { knownMetrics } from '../dashboards/known-metrics.ts';
import { CHECKS, checksOf, run } from './conformance.ts';

const ALL = [...CHECKS, ...checksOf('behaviour.md')].filter(({ steps }) => steps.length > 0);
const sections = [...new Set(ALL.map(({ section }) => section))];

describe.each(sections)('section %s', (section) => {
  const checked = ALL.filter((check) => check.section === section);
  for (const check of checked) it([check.quotes[0], check.variant].join(' ').trim(), () => run(check));
});

it('names metrics that the exporter has', async () => {
  expect(CHECKS.length).toBeGreaterThan(300);
  const known = await knownMetrics();
  const named = CHECKS.flatMap(({ families }) => families.map((family) => family.replace(/\{.*/, '')));
  expect(named.filter((family) => !known.has(family))).toEqual([]);
});
