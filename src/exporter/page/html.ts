import { duration, timeOfDay } from '../text/figures.ts';

/** Markup that is safe to insert unescaped. Only `html` and `trusted` create it. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** Value in a template: text (escaped), numbers, markup, or lists of these; `null` and `undefined` render nothing. */
type HtmlValue = string | number | Html | null | undefined | readonly HtmlValue[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns markup from a template literal. Values other than markup are escaped, for text and quoted attributes. */
export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const rest = values.map((value, i) => render(value) + (literals[i + 1] ?? ''));
  return new Html((literals[0] ?? '') + rest.join(''));
}

/** Returns markup from text of the program itself, such as its style sheet. It must not be called with other text. */
export function trusted(markup: string): Html {
  return new Html(markup);
}

function render(value: HtmlValue): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(render).join('');
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Renders the ISO time relative to `now` (ms), with the absolute time for machines and on hover; a dash for null. */
export function moment(iso: string | null, now: number): Html {
  if (iso === null) return html`<span class="none">–</span>`;
  const seconds = (Date.parse(iso) - now) / 1000;
  if (Number.isNaN(seconds)) return html`${iso}`;
  const words = seconds > 0.5 ? `in ${duration(seconds)}` : `${duration(-seconds)} ago`;
  return html`<time datetime="${iso}" title="${iso}">${words}</time>`;
}

/** Renders an ISO time as a time of day. */
export function clockTime(iso: string, now: number): Html {
  return html`<time datetime="${iso}" title="${iso}">${timeOfDay(iso, now)}</time>`;
}

/** Renders the age of data, with its time on hover. */
export function age(seconds: number, iso: string): Html {
  return html`<time datetime="${iso}" title="${iso}">${duration(seconds)} ago</time>`;
}
