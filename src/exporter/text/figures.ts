/** Returns a number with at most one decimal below 100, none above, and digits in groups of three. Only 0 is displayed as 0. */
export function plainNumber(value: number): string {
  if (value > 0 && value < 0.05) return '<0.1';
  if (Math.abs(value) < 100) return String(Math.round(value * 10) / 10);
  return apartBy(' ', String(Math.round(value)));
}

/** Returns a ratio (0 to 1) in percent. */
export function plainShare(share: number): string {
  const percent = share * 100;
  return percent > 0 && percent < 1 ? '<1%' : `${plainNumber(Math.round(percent))}%`;
}

/** Returns a number with digits in groups of three and at most one decimal. Loading Intl instead takes 10 ms and 8 MB. */
export function grouped(value: number): string {
  const [whole = '', decimal] = String(Math.round(value * 10) / 10).split('.');
  const apart = apartBy(',', whole);
  return decimal === undefined ? apart : `${apart}.${decimal}`;
}

function apartBy(separator: string, digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, separator);
}

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** Returns seconds in their one or two largest units: `45 s`, `2 min 30 s`, `2 h 5 min`, `4 d`. */
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

/** Returns an ISO time as `22:41 UTC`, with the date if it is not the day of `now` (ms). */
export function timeOfDay(iso: string, now: number): string {
  const today = new Date(now).toISOString().slice(0, 10);
  return `${iso.slice(0, 10) === today ? iso.slice(11, 16) : iso.slice(0, 16).replace('T', ' ')} UTC`;
}

/** Units of a duration in Prometheus' form, largest first. */
const PROMETHEUS_UNITS = [
  ['y', 365 * 86_400_000],
  ['w', 7 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/** Pattern of a duration that is not empty; only `0` needs no unit. Without lookahead, because Helm evaluates it in Go. */
export const DURATION_PATTERN = /^(0|(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?)$/;

/** Returns the milliseconds of a duration in Prometheus' form, such as "90s" or "1h30m"; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  if (text === '' || !DURATION_PATTERN.test(text)) return undefined;
  const factors = new Map<string, number>(PROMETHEUS_UNITS);
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)(y|w|d|h|ms|m|s)/g)) {
    total += Number(amount) * (factors.get(unit ?? '') ?? 0);
  }
  return Number.isSafeInteger(total) ? total : undefined;
}

/** Returns the shortest text that `parseDuration` parses as `ms`, a whole number from 0. */
export function formatDuration(ms: number): string {
  let rest = ms;
  let text = '';
  for (const [unit, factor] of PROMETHEUS_UNITS) {
    const amount = Math.floor(rest / factor);
    if (amount > 0) text += `${amount}${unit}`;
    rest -= amount * factor;
  }
  return text === '' ? '0s' : text;
}
