import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { combineCrc, crcShift } from '../../src/exposition/crc-combine.ts';

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
