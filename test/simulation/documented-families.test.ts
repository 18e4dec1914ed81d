import { expect, it } from 'vitest';
import { ProcessMetrics } from '../../src/self/process-metrics.ts';
import { accountFamilies, ownFamilies, trafficFamilies } from '../reference/exported-families.ts';
import { simulate } from './simulation.ts';

it('what a running exporter exposes has the labels that docs/metrics.md says', async () => {
  const process = new Set(new ProcessMetrics().names);
  const documented = new Map(
    [...trafficFamilies(), ...accountFamilies(), ...ownFamilies()].map(
      (family) => [family.name, family] as const,
    ),
  );
  const simulation = await simulate({ sandbox: {}, account: { collectors: { metrics: {}, analytics: {} } } });
  try {
    await simulation.minutes(20);
    const wrong = new Set<string>();
    let compared = 0;
    for (const key of (await simulation.scrape()).samples.keys()) {
      const [sample, labels] = JSON.parse(key) as [string, [string, string][]];
      const family = documented.get(sample) ?? documented.get(sample.replace(/_(bucket|sum|count)$/, ''));
      if (family === undefined) {
        if (!process.has(sample)) wrong.add(`${sample} is not documented`);
        continue;
      }
      compared += 1;
      for (const [label] of labels) {
        if (!family.labels.includes(label) && label !== 'le' && label !== 'quantile')
          wrong.add(`${sample} has the label ${label}`);
      }
    }
    expect([...wrong]).toEqual([]);
    expect(compared).toBeGreaterThan(100);
  } finally {
    await simulation.close();
  }
});
