import { type Html, html } from './html.ts';

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** A span as a glance needs it, in its one or two largest units: `45 s`, `3 min`, `2 h 05 min`, `4 d 03 h`. */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const at = UNITS.findIndex(([size]) => whole >= size);
  const [size, name] = UNITS[at] ?? [1, 's'];
  const [nextSize, nextName] = UNITS[at + 1] ?? [1, 's'];
  const rest = Math.floor((whole % size) / nextSize);
  const head = `${Math.floor(whole / size)} ${name}`;
  return rest > 0 && size > 60 ? `${head} ${String(rest).padStart(2, '0')} ${nextName}` : head;
}

/** `iso` relative to `now` (milliseconds), with the absolute time for machines and on hover; a dash where there is none. */
export function moment(iso: string | null, now: number): Html {
  if (iso === null) return html`<span class="none">–</span>`;
  const seconds = (Date.parse(iso) - now) / 1000;
  if (Number.isNaN(seconds)) return html`${iso}`;
  const words = seconds > 0.5 ? `in ${span(seconds)}` : `${span(-seconds)} ago`;
  return html`<time datetime="${iso}" title="${iso}">${words}</time>`;
}

const GROUPED = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** A number with its thousands apart. */
export function grouped(value: number): string {
  return GROUPED.format(value);
}
