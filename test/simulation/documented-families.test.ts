import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  accountFamilies,
  ownFamilies,
  processFamilies,
  settingsFamilies,
  trafficFamilies,
} from '../reference/exported-families.ts';
import { ALL_SELDOM, simulate } from './simulation.ts';

it('what a running exporter exposes has the labels that the reference says', async () => {
  const process = new Set(processFamilies());
  const documented = new Map(
    [...trafficFamilies(), ...accountFamilies(), ...ownFamilies()].map(
      (family) => [family.name, family] as const,
    ),
  );
  const docs = join(import.meta.dirname, '../../docs');
  const pages = await Promise.all(
    ['metrics.md', 'settings.md'].map((name) => readFile(join(docs, name), 'utf8')),
  );
  const page = pages.join('\n');
  const settings = new Set(settingsFamilies().map(({ name }) => name));
  // The exporter collects everything, and pushes to a receiver that is down.
  const push = [{ name: 'away', kind: 'remote_write', url: 'http://127.0.0.1:9/api/v1/write' }];
  const simulation = await simulate({
    push,
    sandbox: { configurations: 1 },
    account: { collectors: ALL_SELDOM },
  });
  try {
    await simulation.minutes(20);
    const wrong = new Set<string>();
    let compared = 0;
    for (const key of (await simulation.scrape()).samples.keys()) {
      // The reference names families of whole products by this rule.
      const name = key.slice(2, key.indexOf('"', 2)).replace(/_(bucket|sum|count)$/, '');
      if (!page.includes(`\`${name.replace(/^edge_product_/, 'edge_')}\``))
        wrong.add(`${name} is neither in docs/metrics.md nor in docs/settings.md`);
      const [sample, labels] = JSON.parse(key) as [string, [string, string][]];
      const family = documented.get(sample) ?? documented.get(sample.replace(/_(bucket|sum|count)$/, ''));
      if (family === undefined) {
        if (!process.has(sample) && !settings.has(sample)) wrong.add(`${sample} is not documented`);
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
