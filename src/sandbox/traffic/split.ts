import { fraction } from '../hash.ts';

/**
 * Divides a cumulative integer into a part and a rest that are both cumulative integers: the part is
 * `share` of the whole on average, swinging slowly around it, and grows by 0 or 1 for each 1 of the whole.
 */
export type Split = (whole: number) => number;

/** @param wavelength after how much of the whole the share has swung once to and fro */
export function split(key: number, share: number, wavelength: number): Split {
  const swing = (0.5 * Math.min(share, 1 - share) * wavelength) / (2 * Math.PI);
  const turn = (2 * Math.PI) / wavelength;
  const phase = 2 * Math.PI * fraction(key, 0);
  return (whole) => Math.floor(share * whole + swing * Math.sin((whole % wavelength) * turn + phase));
}

/** Divides a whole into as many parts as there are shares, written one after another; they add up to the whole. */
export type Partition = (whole: number, into: Float64Array, at: number) => void;

/** The last part takes what the others leave, so its share is not used. */
export function partition(key: number, shares: readonly number[], wavelength: number): Partition {
  let left = 1;
  const splits = shares.slice(0, -1).map((share, index) => {
    const cut = split(key + index + 1, Math.min(1, share / left), wavelength * left);
    left = Math.max(left - share, 1e-9);
    return cut;
  });
  return (whole, into, at) => {
    let rest = whole;
    let position = at;
    for (const cut of splits) {
      const part = cut(rest);
      into[position++] = part;
      rest -= part;
    }
    into[position] = rest;
  };
}
