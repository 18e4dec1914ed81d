import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COLLECTORS } from '../../../src/exporter/collectors.ts';
import { type CollectorRow, describeCollectors } from '../../reference/collectors-table.ts';
import { unitOf } from '../../reference/exported-families.ts';
import { replaceBlock } from '../../reference/markdown.ts';
import { simulate } from '../../simulation/simulation.ts';

const PAGE = join(import.meta.dirname, '../../../docs/settings.md');

function collectorLine(row: CollectorRow): string {
  const { section, part, collector, exported, permission, version, operations, schedule } = row;
  const code = (text: string | undefined) => (text === undefined ? '' : `\`${text}\``);
  const cells = [section, part, code(collector), exported, permission, version, operations, code(schedule)];
  return `| ${cells.map((cell) => cell ?? '').join(' | ')} |`;
}

async function labelsSeen(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const simulation = await simulate({
    sandbox: { laterFields: 'present' },
    account: { collectors: Object.fromEntries(Object.keys(COLLECTORS).map((name) => [name, {}])) },
  });
  try {
    await simulation.minutes(5);
    const seen = new Map<string, Set<string>>();
    for (const key of (await simulation.scrape()).samples.keys()) {
      const [family, labels] = JSON.parse(key) as [string, [string, string][]];
      const names = seen.get(family) ?? new Set();
      for (const [label] of labels) names.add(label);
      seen.set(family, names);
    }
    return seen;
  } finally {
    await simulation.close();
  }
}

it('says of all sixteen sections what is exported, in their order', () => {
  const sections = describeCollectors().map(({ section }) => section);
  expect(sections).toEqual(Array.from({ length: 16 }, (_, index) => `4.${index + 1}`));
});

it('is what the code says (npx vitest run test/exporter/collectors/settings-page.test.ts -u brings it up to date)', async () => {
  const seen = await labelsSeen();
  const families = Object.values(COLLECTORS).flatMap((collector) => {
    return collector.families.map((family) => {
      const { name, help } = family;
      const labels = [...(seen.get(name) ?? collector.labels)].filter((label) => label !== 'account').sort();
      const meaning = help.replace(/ API: .*$/, '');
      return `| \`${name}\` | ${unitOf(family)} | ${labels.map((label) => `\`${label}\``).join(' ')} | ${meaning} |`;
    });
  });
  const unseen = Object.values(COLLECTORS)
    .flatMap((collector) => collector.families.map(({ name }) => name))
    .filter((name) => !seen.has(name) && !name.endsWith('_changed_timestamp_seconds'));
  expect(unseen).toEqual([]);
  const table = [
    '| section | part | collector | what is shown | permission | version | operations | schedule |',
    '|---|---|---|---|---|---|---|---|',
    ...describeCollectors().map(collectorLine),
  ];
  const page = await readFile(PAGE, 'utf8');
  const written = replaceBlock(replaceBlock(page, 'collectors', table), 'families', [
    '| metric | unit | labels | meaning |',
    '|---|---|---|---|',
    ...families,
  ]);
  await expect(written).toMatchFileSnapshot(PAGE);
});
