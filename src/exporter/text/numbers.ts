/** A number with at most one decimal below 100, none above, and groups of three set apart; nothing but 0 is said to be 0. */
export function plainNumber(value: number): string {
  if (value > 0 && value < 0.05) return '<0.1';
  if (Math.abs(value) < 100) return String(Math.round(value * 10) / 10);
  return apartBy(' ', String(Math.round(value)));
}

/** A share (1 is all) in percent. */
export function plainShare(share: number): string {
  const percent = share * 100;
  return percent > 0 && percent < 1 ? '<1%' : `${plainNumber(Math.round(percent))}%`;
}

/** A number with its thousands apart, and at most one decimal. Without Intl, whose first use takes 10 ms and 8 MB. */
export function grouped(value: number): string {
  const [whole = '', decimal] = String(Math.round(value * 10) / 10).split('.');
  const apart = apartBy(',', whole);
  return decimal === undefined ? apart : `${apart}.${decimal}`;
}

function apartBy(separator: string, digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, separator);
}
