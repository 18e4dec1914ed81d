/** Returns a well-mixed 32-bit hash of a number with a key: the only source of randomness, so that the seed decides. */
export function hash(key: number, value: number): number {
  let mixed = (key + Math.imul(value, 0x9e3779b1)) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Returns the hash as a fraction, 0 <= fraction < 1. */
export function fraction(key: number, value: number): number {
  return hash(key, value) / 2 ** 32;
}

/** Returns a separate key for a purpose described in a text, such as one kind of fault. */
export function keyOf(key: number, text: string): number {
  let mixed = key;
  for (let index = 0; index < text.length; index++) mixed = hash(mixed, text.charCodeAt(index));
  return mixed;
}

/** Returns `length` hexadecimal digits, as in tokens and origin ids. */
export function hexDigits(key: number, length: number): string {
  let digits = '';
  for (let index = 0; digits.length < length; index++) {
    digits += hash(key, index).toString(16).padStart(8, '0');
  }
  return digits.slice(0, length);
}
