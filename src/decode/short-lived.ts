/** Numbers in a block. */
const BLOCK = 4_096;

/** From this length on an array has a block of its own. */
const LONG = BLOCK / 8;

let block = new Float64Array(BLOCK);
let used = 0;

/**
 * An array of zeros for numbers that are needed only while an answer is dealt with. Short ones share a block, which
 * lives as long as any of them: an array with a buffer of its own is freed by itself, and a garbage collection that
 * freed those of 2,000 answers at once held up the event loop for 34 ms.
 */
export function shortLivedArray(length: number): Float64Array {
  if (length >= LONG) return new Float64Array(length);
  if (used + length > BLOCK) {
    block = new Float64Array(BLOCK);
    used = 0;
  }
  const array = new Float64Array(block.buffer, used * block.BYTES_PER_ELEMENT, length);
  used += length;
  return array;
}
