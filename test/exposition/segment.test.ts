import { spawnSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { append, type Body, EMPTY_BODY, gzipMember, makeSegment } from '../../src/exposition/segment.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;

function bodyOf(texts: readonly string[]): Body {
  return append(EMPTY_BODY, texts.map(makeSegment));
}

describe('segments in a row', () => {
  it('are one gzip member of the same text, whatever the texts', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 200 })), (texts) => {
        const body = bodyOf(texts);
        const gzip = Buffer.concat(gzipMember(body));
        expect(gunzipSync(gzip).toString()).toBe(texts.join(''));
        expect(Buffer.concat(body.identity).toString()).toBe(texts.join(''));
        expect(body.length).toBe(Buffer.concat(body.identity).length);
      }),
    );
  });

  it('can be appended to without touching what they were', () => {
    const first = bodyOf(['a\n', 'b\n']);
    const second = append(first, [makeSegment('c\n')]);
    expect(gunzipSync(Buffer.concat(gzipMember(first))).toString()).toBe('a\nb\n');
    expect(gunzipSync(Buffer.concat(gzipMember(second))).toString()).toBe('a\nb\nc\n');
  });

  it('leave nothing behind the first member, for readers that stop there', () => {
    const gzip = Buffer.concat(gzipMember(bodyOf(['first ', 'second ', 'third'])));
    const magic = gzip.subarray(0, 3);
    expect(gzip.indexOf(magic, 1)).toBe(-1);
  });

  it.runIf(hasPython)("are read by Python's gzip, sums and length checked", () => {
    const texts = Array.from({ length: 200 }, (_, index) => `line ${index} ${'x'.repeat(index * 10)}\n`);
    const script = 'import gzip, sys; sys.stdout.buffer.write(gzip.decompress(sys.stdin.buffer.read()))';
    const result = spawnSync('python3', ['-c', script], { input: Buffer.concat(gzipMember(bodyOf(texts))) });
    expect(result.stderr.toString()).toBe('');
    expect(result.stdout.toString()).toBe(texts.join(''));
  });
});
