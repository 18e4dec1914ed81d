import { expect, it } from 'vitest';
import { PageReader } from '../../src/push/page-reader.ts';

const PAGE = [
  '# HELP edge_a Of "a":\\\\ and\\na line.\n# TYPE edge_a gauge\n',
  'edge_a{name="with \\"quotes\\", a \\\\ and\\na line",x="}"} 1.5\nedge_a{name="{"} -Inf\n',
  'edge_a{name="a#b"} NaN\n',
  '# HELP edge_b_total Not wanted.\n# TYPE edge_b_total counter\n',
  'edge_b_total 2\n',
  '# HELP edge_c Times.\n# TYPE edge_c histogram\nedge_c_bucket{le="+Inf"} 3\nedge_c_sum 0.5\n# HELP d D.\n# TYPE d counter\nd 4\n',
];

const read = (reader: PageReader, page: readonly string[]) =>
  reader.read(page.map((piece) => Buffer.from(piece)));

it('reads every sample of the wanted families with its labels, its help and the name on its line', async () => {
  const shown = await read(new PageReader((name) => name !== 'edge_b_total'), PAGE);
  const [a, c, d] = [
    { name: 'edge_a', type: 'gauge', help: 'Of "a":\\ and\na line.' },
    { name: 'edge_c', type: 'histogram', help: 'Times.' },
    { name: 'd', type: 'counter', help: 'D.' },
  ];
  expect([...shown.values()]).toEqual([
    { family: a, labels: { name: 'with "quotes", a \\ and\na line', x: '}' }, value: 1.5 },
    { family: a, labels: { name: '{' }, value: Number.NEGATIVE_INFINITY },
    { family: a, labels: { name: 'a#b' }, value: Number.NaN },
    { family: { ...c, name: 'edge_c_bucket' }, labels: { le: '+Inf' }, value: 3 },
    { family: { ...c, name: 'edge_c_sum' }, labels: {}, value: 0.5 },
    { family: d, labels: {}, value: 4 },
  ]);
});

it('keeps the labels of a series from page to page', async () => {
  const reader = new PageReader(() => true);
  const [first, second] = [await read(reader, PAGE), await read(reader, PAGE)];
  expect(first.size).toBe(7);
  for (const [key, { labels }] of first) expect(second.get(key)?.labels).toBe(labels);
});
