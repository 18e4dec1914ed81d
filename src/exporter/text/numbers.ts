/** A number with at most one decimal below 100, none above, and groups of three set apart; nothing but 0 is said to be 0. */
export function plainNumber(value: number): string {
  if (value > 0 && value < 0.05) return '<0.1';
  if (Math.abs(value) < 100) return String(Math.round(value * 10) / 10);
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ' ');
}

/** A share (1 is all) in percent. */
export function plainShare(share: number): string {
  const percent = share * 100;
  return percent > 0 && percent < 1 ? '<1%' : `${plainNumber(Math.round(percent))}%`;
}

/** Made when it is first used: it takes 10 ms, and only pages need it. */
let english: Intl.NumberFormat | undefined;

/** A number with its thousands apart. */
export function grouped(value: number): string {
  english ??= new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
  return english.format(value);
}
