import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownMetrics } from '../dashboards/known-metrics.ts';
import { conforms } from './conformance/row.ts';
import { ROWS } from './conformance/rows.ts';
import { tableOf } from './conformance/table.ts';

for (const [about, rows] of Object.entries(ROWS)) describe(about, () => conforms(rows));

describe('test/sandbox/conformance.md', () => {
  const PAGE = join(import.meta.dirname, 'conformance.md');
  const all = Object.values(ROWS).flat();

  it('holds every sentence that a test quotes (-u behind the path writes it anew)', async () => {
    const page = await readFile(PAGE, 'utf8');
    const [intro = ''] = page.split('<!-- conformance -->');
    const text = `${intro}<!-- conformance -->\n${tableOf(all).join('\n')}\n`;
    await expect(text).toMatchFileSnapshot(PAGE);
  });

  const named = all.flatMap(({ families = [] }) => families.map((family) => family.replace(/\{.*/, '')));

  it('names metrics that the exporter has', async () => {
    const known = await knownMetrics();
    expect(named.filter((family) => !known.has(family))).toEqual([]);
  });
});
