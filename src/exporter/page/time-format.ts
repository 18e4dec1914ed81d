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

/**
 * A moment as a time of day in UTC, `22:41 UTC`, with the date where that is not the day of `now`. For what lasts, so
 * that it can be found in logs and graphs.
 */
export function clockTime(iso: string, now: number): Html {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return html`${iso}`;
  const text = new Date(at).toISOString();
  const sameDay = text.slice(0, 10) === new Date(now).toISOString().slice(0, 10);
  const words = sameDay ? text.slice(11, 16) : `${text.slice(0, 10)} ${text.slice(11, 16)}`;
  return html`<time datetime="${iso}" title="${iso}">${words} UTC</time>`;
}

/** How old data is, by seconds, with the moment that it is from on hover. */
export function age(seconds: number, iso: string): Html {
  return html`<time datetime="${iso}" title="${iso}">${duration(seconds)} ago</time>`;
}
