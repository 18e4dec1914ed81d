/** The CRC-32 polynomial, bits reversed. */
const POLYNOMIAL = 0xedb88320;
/** x^0, bits reversed: the highest bit stands for the lowest power. */
const ONE = 0x80000000;

/** a(x) * b(x) modulo the polynomial, bits reversed. Of signed integers, which is several times as fast. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b | 0;
  for (let rest = a | 0; rest !== 0; rest <<= 1) {
    product ^= shifted & (rest >> 31);
    shifted = (shifted >>> 1) ^ (POLYNOMIAL & -(shifted & 1));
  }
  return product >>> 0;
}

/** x^(8 * 2^n) for n = 0, 1, 2, ...: the effect of 2^n bytes. */
const BYTE_POWERS = Array.from({ length: 48 }).reduce<number[]>((powers) => {
  const last = powers.at(-1);
  // x^8 is the ninth bit from the top.
  return [...powers, last === undefined ? ONE >>> 8 : multiply(last, last)];
}, []);

/**
 * What appending `length` bytes does to the CRC-32 of what stands before them, for `combineCrc`. A body is put
 * together anew more often than its parts change, and a part's shift depends on its length only.
 */
export function crcShift(length: number): number {
  let shift = ONE;
  let rest = length;
  for (const power of BYTE_POWERS) {
    if (rest === 0) break;
    if (rest % 2 === 1) shift = multiply(shift, power);
    rest = Math.floor(rest / 2);
  }
  return shift;
}

/** The CRC-32 of two pieces of data in a row, from the CRC-32 of each and the shift of the second one's length. */
export function combineCrc(first: number, second: number, secondShift: number): number {
  return (multiply(secondShift, first) ^ second) >>> 0;
}

/** The shift of nothing at all. */
export const EMPTY_SHIFT = ONE;

/** The shift of two pieces of data in a row, from that of each. */
export function combineShifts(first: number, second: number): number {
  return multiply(first, second);
}
