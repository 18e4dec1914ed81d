import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { gzipMember, makeSegment } from '../../src/exporter/exposition/segment.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;

it.runIf(hasPython)("segments in a row are read by Python's gzip, sums and length checked", () => {
  const texts = Array.from({ length: 200 }, (_, index) => `line ${index} ${'x'.repeat(index * 10)}\n`);
  const script = 'import gzip, sys; sys.stdout.buffer.write(gzip.decompress(sys.stdin.buffer.read()))';
  const input = Buffer.concat(gzipMember(texts.map(makeSegment)));
  const result = spawnSync('python3', ['-c', script], { input });
  expect(result.stderr.toString()).toBe('');
  expect(result.stdout.toString()).toBe(texts.join(''));
});
