import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gzipMember, joinSegments, makeSegment, type Segment } from '../../src/exposition/segment.ts';
import { ANY_CHARACTER } from '../any-character.ts';

function gzipOf(segments: readonly Segment[]): Buffer {
  return Buffer.concat(gzipMember(segments));
}

describe('segments in a row', () => {
  it('are one gzip member of the same text, whatever the texts', () => {
    const texts = fc.array(fc.string({ unit: ANY_CHARACTER, maxLength: 200 }));
    fc.assert(
      fc.property(texts, texts, (first, second) => {
        const pages = [first, second].map((part) => joinSegments(part.map(makeSegment)));
        const all = [...first, ...second].join('');
        const { identity, length } = joinSegments(pages);
        expect(gunzipSync(gzipOf(pages)).toString()).toBe(all);
        expect(Buffer.concat(identity).toString()).toBe(all);
        expect(length).toBe(Buffer.concat(identity).length);
      }),
    );
  });

  it('leave nothing behind the first member, for readers that stop there', () => {
    const gzip = gzipOf(['first ', 'second ', 'third'].map(makeSegment));
    const magic = gzip.subarray(0, 3);
    expect(gzip.indexOf(magic, 1)).toBe(-1);
  });
});
