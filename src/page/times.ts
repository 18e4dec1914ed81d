import { duration } from '../text/duration.ts';
import { type Html, html } from './html.ts';

/** `iso` relative to `now` (milliseconds), with the absolute time for machines and on hover; a dash where there is none. */
export function moment(iso: string | null, now: number): Html {
  if (iso === null) return html`<span class="none">–</span>`;
  const seconds = (Date.parse(iso) - now) / 1000;
  if (Number.isNaN(seconds)) return html`${iso}`;
  const words = seconds > 0.5 ? `in ${duration(seconds)}` : `${duration(-seconds)} ago`;
  return html`<time datetime="${iso}" title="${iso}">${words}</time>`;
}

const GROUPED = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** A number with its thousands apart. */
export function grouped(value: number): string {
  return GROUPED.format(value);
}
