import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { matchesAny } from '../../src/exporter/text/glob.ts';
import { ALL_SELDOM, type Simulation, simulate } from './simulation.ts';

async function lines({
  scrape,
}: Simulation): Promise<readonly (readonly [string, ReadonlyMap<string, string>])[]> {
  return [...(await scrape()).samples.keys()].map((key) => {
    const [name, labels] = JSON.parse(key) as [string, [string, string][]];
    return [name, new Map(labels)];
  });
}

const account = { labels: { team: 'web', domain_name: 'live' }, collectors: ALL_SELDOM };
const sandbox = { configurations: 1, domainsPerConfiguration: 2 };

it('gives everything of an account its labels, and what a family says itself stays', async () => {
  const simulation = await simulate({ account, sandbox });
  await simulation.minutes(15);
  const shown = await lines(simulation);
  const ofAccount = shown.filter(([, labels]) => labels.has('account'));
  expect(ofAccount.length).toBeGreaterThan(300);
  expect(ofAccount.filter(([, labels]) => labels.get('team') !== 'web')).toEqual([]);
  const names = ofAccount.filter(([, labels]) => labels.get('domain_name') !== 'live');
  expect(new Set(names.map(([name]) => name))).toEqual(new Set(['edge_domain_info']));
  expect(shown.some(([name, labels]) => name === 'edge_exporter_polls_total' && labels.has('team'))).toBe(
    true,
  );

  await simulation.reload([], { labels: { team: 'shop' } });
  await simulation.minutes(15);
  const after = (await lines(simulation)).filter(([, labels]) => labels.has('account'));
  expect(new Set(after.map(([, labels]) => labels.get('team')))).toEqual(new Set(['shop']));
});

it('leaves families out, from the start and from a reload on, and lets them in again', async () => {
  const has = async (pattern: RegExp) => (await lines(simulation)).some(([name]) => pattern.test(name));
  const simulation = await simulate({
    sandbox,
    account: { collectors: ALL_SELDOM },
    metrics: { exclude: ['edge_exporter_*', 'edge_*_total'] },
  });
  await simulation.minutes(15);
  expect(await has(/^edge_exporter_|_total$/)).toBe(false);
  expect(await has(/^edge_requests_per_minute$/)).toBe(true);

  await simulation.reload([], {}, { exclude: ['edge_*_per_minute'] });
  expect(await has(/^edge_.*_per_minute$/)).toBe(false);
  await simulation.minutes(6);
  expect(await has(/^edge_.*_per_minute$/)).toBe(false);
  expect(await has(/^edge_exporter_polls_total$/)).toBe(true);
  expect(await has(/^edge_requests_total$/)).toBe(true);

  await simulation.reload([], {}, { exclude: [] });
  await simulation.minutes(6);
  expect(await has(/^edge_requests_per_minute$/)).toBe(true);
});

async function namesOf(metrics?: readonly string[]): Promise<readonly string[]> {
  const edge_applications = metrics === undefined ? {} : { metrics };
  const simulation = await simulate({
    sandbox,
    account: { collectors: { metrics: { products: { edge_applications } } } },
  });
  await simulation.minutes(40);
  return (await lines(simulation)).map(([name]) => name);
}

it('leaves as many series as docs/metrics.md says of what it advises to leave out', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/metrics.md'), 'utf8');
  const rows = [...page.matchAll(/^\| ((?:`\S+` ?)*)\| (\d+) \| (\d+) \|/gm)];
  expect(rows.length).toBeGreaterThan(3);
  const shown = [await namesOf(), await namesOf(['cdn_requests', 'status_code', 'waf'])] as const;
  const leftOut: string[] = [];
  for (const [row, patterns = '', ...counts] of rows) {
    leftOut.push(...[...patterns.matchAll(/`(\S+)`/g)].map(([, pattern = '']) => pattern));
    const isExcluded = matchesAny(leftOut);
    for (const [index, names] of shown.entries()) {
      const left = names.filter((name) => !isExcluded(name)).length;
      const said = Number(counts[index]);
      // The tolerance allows one or two new families that the page does not count yet.
      expect([row, left, Math.abs(left - said) <= 0.05 * said]).toEqual([row, left, true]);
    }
  }
});
