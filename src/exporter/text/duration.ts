const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** Seconds as an operator says them, in their one or two largest units: `45 s`, `2 min 30 s`, `2 h 5 min`, `4 d`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const largest = UNITS.findIndex(([size]) => whole >= size);
  if (largest < 0) return '0 s';
  let rest = whole;
  const words: string[] = [];
  for (const [size, name] of UNITS.slice(largest, largest + 2)) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) words.push(`${amount} ${name}`);
  }
  return words.join(' ');
}
