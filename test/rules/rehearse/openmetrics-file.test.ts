import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LineProblem, readOpenMetrics } from '../../../src/rules/rehearse/file-history.ts';

async function read(text: string, ...names: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'rehearse-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'history.om');
  await writeFile(file, text);
  return readOpenMetrics(file, new Set(names));
}

it('reads the series it is asked for, with labels as they were before they were escaped', async () => {
  const found = await read(
    '# TYPE a gauge\na{x="1",y="a\\"b\\\\n\\n{}"} 5 60\nb{x="1"} 7 60\na{x="2"} NaN 120\n# EOF\n',
    'a',
  );
  expect(found.map(({ name, labels }) => [name, labels])).toEqual([
    ['a', { x: '1', y: 'a"b\\n\n{}' }],
    ['a', { x: '2' }],
  ]);
});

it('a sample is seen until the next one, and for five minutes where none follows', async () => {
  const [series] = await read('a{x="1"} 5 60\na{x="1"} 6 180\na{x="1"} 7 1200\n# EOF\n', 'a');
  const minutes = [...(series?.times ?? [])].map((at) => at / 60_000);
  expect(minutes).toEqual([1, 2, 3, 4, 5, 6, 7, 20, 21, 22, 23, 24]);
  expect([...(series?.values ?? [])]).toEqual([5, 5, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7]);
});

it('a sample within a minute is seen at the next', async () => {
  const [series] = await read('a{x="1"} 5 60.001\n# EOF', 'a');
  expect(series?.times[0]).toBe(120_000);
});

it('a line without a time is named', async () => {
  await expect(read('a{x="1"} 5 60\na{x="1"} 5\n', 'a')).rejects.toThrow(LineProblem);
  await expect(read('a{x="1"} 5 60\na{x="1"} 5\n', 'a')).rejects.toThrow(
    /history\.om:2: expected a value and a time/,
  );
});

it.each([
  ['in a line', 'a{x="1"} 5 60\na{x="1"} 5 1'],
  ['after a line', 'a{x="1"} 5 60\n'],
  ['before the first', ''],
])(
  'a file that was cut off %s is refused: in the rest nothing would seem to have happened',
  async (_, text) => {
    await expect(read(text, 'a')).rejects.toThrow(/history\.om is cut off: it does not end with # EOF/);
  },
);

it.each([
  ['samples in another order', 'a{x="1"} 5 120\na{x="1"} 6 60\n# EOF\n', /:2: the sample is older/],
  ['a series twice', 'a{x="1"} 5 60\na{x="2"} 6 60\na{x="1"} 5 120\n# EOF\n', /:3: the series was there/],
])('%s are refused rather than dropped, or counted twice', async (_, text, words) => {
  await expect(read(text, 'a')).rejects.toThrow(words);
});
