/** Seconds as an operator says them: `45s`, `1m`, `2m 30s`, `3h 20m`, `2d 4h`: the two greatest units. */
export function plainDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor((whole % 86_400) / 3_600), 'h'],
    [Math.floor((whole % 3_600) / 60), 'm'],
    [whole % 60, 's'],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return '0s';
  const told = parts.slice(first, first + 2).filter(([amount]) => amount > 0);
  return told.map(([amount, unit]) => `${amount}${unit}`).join(' ');
}

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
