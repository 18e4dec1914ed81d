import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  combineCrc,
  crcShift,
  gzipMember,
  joinSegments,
  makeSegment,
  type Segment,
} from '../../../src/exporter/exposition/segment.ts';
import { ANY_CHARACTER } from '../../any-character.ts';

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

describe('the CRC-32 of data in a row', () => {
  it('comes from the CRC-32 of each piece', () => {
    const bytes = fc.uint8Array({ maxLength: 3000 });
    fc.assert(
      fc.property(bytes, bytes, (first, second) => {
        const combined = combineCrc(crc32(first), crc32(second), crcShift(second.length));
        expect(combined).toBe(crc32(Buffer.concat([first, second])));
      }),
    );
  });

  it('holds for pieces of many megabytes', () => {
    const first = Buffer.alloc(9_000_001, 'edge');
    const second = Buffer.alloc(17_000_003, 'exporter');
    const combined = combineCrc(crc32(first), crc32(second), crcShift(second.length));
    expect(combined).toBe(crc32(second, crc32(first)));
  });

  it('shifts beyond 32 bits of length as it does in two steps', () => {
    const length = 2 ** 32 + 5;
    const inSteps = combineCrc(combineCrc(0x1234_5678, 0, crcShift(2 ** 32)), 0, crcShift(5));
    expect(combineCrc(0x1234_5678, 0, crcShift(length))).toBe(inSteps);
  });
});
