import { expect, it } from 'vitest';
import { COLLECTORS } from '../../src/exporter/collectors.ts';
import { CHECKS } from '../sandbox/conformance.ts';
import { simulate } from './simulation.ts';

it('test/sandbox/conformance.md names labels that a scrape shows', async () => {
  const settings = Object.fromEntries(Object.keys(COLLECTORS).map((name) => [name, {}]));
  const simulation = await simulate({ account: { collectors: { metrics: {}, ...settings } } });
  try {
    await simulation.minutes(3);
    const series = [...(await simulation.scrape()).samples.keys()].map(
      (key) => JSON.parse(key) as [family: string, labels: [name: string, value: string][]],
    );
    const shown = new Set(
      series.flatMap(([family, labels]) => labels.map(([label]) => `${family}{${label}}`)),
    );
    const labelled = CHECKS.flatMap(({ families }) => families.filter((family) => family.includes('{')));
    expect(labelled.length).toBeGreaterThan(20);
    expect(labelled.filter((each) => !shown.has(each))).toEqual([]);
  } finally {
    await simulation.close();
  }
});
