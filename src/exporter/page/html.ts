/** A piece of markup that is safe to insert as it is. Only `html` and `trusted` make one. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }

  toString(): string {
    return this.markup;
  }
}

/** What a template may hold: text (escaped), numbers, markup, lists of these; `null` and `undefined` show nothing. */
export type HtmlValue = string | number | Html | null | undefined | readonly HtmlValue[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup from a template literal; every value that is not markup itself is escaped, for text and quoted attributes. */
export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const rest = values.map((value, i) => render(value) + (literals[i + 1] ?? ''));
  return new Html((literals[0] ?? '') + rest.join(''));
}

/** Markup from text of the program itself, such as its style sheet. Never for text that comes from elsewhere. */
export function trusted(markup: string): Html {
  return new Html(markup);
}

function render(value: HtmlValue): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(render).join('');
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
