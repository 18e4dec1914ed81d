import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PRODUCTS } from '../../../src/exporter/catalogue/products.ts';
import { fieldsOf } from '../../../src/exporter/graphql/fields.ts';
import { groupedBy } from '../../../src/exporter/grouped-by.ts';
import { replaceBlock } from '../../reference/markdown.ts';

const PAGE = join(import.meta.dirname, '../../../docs/graphql-fields.md');

/** Returns a row for each metric: its dimensions, each with its field unless all have the same field. */
function lines(): string[] {
  const seen = new Set<string>();
  return PRODUCTS.flatMap((product) =>
    [...product.metrics, ...(product.onlyElsewhere ?? [])].flatMap((metric) => {
      if (seen.has(metric)) return [];
      seen.add(metric);
      const all = fieldsOf(product, metric).flatMap(({ dataset, summed, split, dimensions }) =>
        [...dimensions].map(([dimension, { fields, unit, note = '' }]) => {
          const by = split === undefined ? '' : ` by ${split.by}`;
          const from = summed === undefined ? fields.join(' + ') : `sum of ${summed}${by}`;
          return { dimension, dataset, from, unit, note };
        }),
      );
      if (all.length === 0) return [];
      const units = [...new Set(all.map(({ unit }) => unit))].join(', ');
      const notes = [...new Set(all.map(({ note }) => note).filter(Boolean))].join('; ');
      const dimensionsOf = groupedBy(all, ({ from }) => from);
      const fields = [...dimensionsOf].map(([from, dimensions]) => {
        const names = dimensions.map(({ dimension }) => dimension).join(', ');
        return `${names}: \`${from}\``;
      });
      return [`| \`${metric}\` | \`${all[0]?.dataset}\` | ${fields.join('; ')} | ${units} | ${notes} |`];
    }),
  );
}

it('is what the code says (npx vitest run test/exporter/graphql/fields-page.test.ts -u brings it up to date)', async () => {
  const page = await readFile(PAGE, 'utf8');
  const table = [
    '| metric | dataset | fields by dimension | unit | note |',
    '|---|---|---|---|---|',
    ...lines(),
  ];
  await expect(replaceBlock(page, 'fields', table)).toMatchFileSnapshot(PAGE);
});

it('adds up detections of the WAF from what was blocked and what was only noticed', () => {
  const [product] = PRODUCTS.filter(({ api, slug }) => api === 'metrics' && slug === 'edge_applications');
  if (product === undefined) throw new Error('there is no such product');
  expect(fieldsOf(product, 'waf')[0]?.dimensions.get('threats')?.fields).toEqual([
    'wafRequestsBlocked',
    'wafRequestsThreat',
  ]);
});
