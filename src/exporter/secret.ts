import { inspect } from 'node:util';

/** Text that replaces a secret. */
export const MASK = '[secret]';

/** Credential that cannot be printed by accident. Only `reveal()` returns the value, for the code that sends it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}

/** Maximum number of guarded secrets, after which the oldest are dropped. Replaced tokens accumulate, and are valid for a day. */
const MOST_SECRETS = 100_000;

/** Masks secrets in texts, in any encoding and letter case. Its cost does not grow with the number of secrets. */
export class Scrubber {
  readonly #most: number;
  /** Guarded values, the oldest first. */
  readonly #guarded = new Set<string>();
  /** Encoded forms of all values, by their beginning. A form that two secrets share is listed twice. */
  readonly #byBeginning = new Map<string, string[]>();

  constructor(most = MOST_SECRETS) {
    this.#most = most;
  }

  guard(secret: Secret): void {
    const value = secret.reveal();
    const isKnown = this.#guarded.delete(value);
    this.#guarded.add(value);
    if (isKnown) return;
    for (const form of formsOf(value)) this.#formsLike(form).push(form);
    const [oldest = ''] = this.#guarded;
    if (this.#guarded.size <= this.#most) return;
    this.#guarded.delete(oldest);
    for (const form of formsOf(oldest)) {
      const alike = this.#formsLike(form);
      alike.splice(alike.indexOf(form), 1);
      if (alike.length === 0) this.#byBeginning.delete(form.slice(0, SHORTEST_FORM));
    }
  }

  scrub(text: string): string {
    const folded = inOneCase(text);
    let scrubbed = '';
    let copied = 0;
    for (let at = 0; at + SHORTEST_FORM <= folded.length; at += 1) {
      const forms = this.#byBeginning.get(folded.slice(at, at + SHORTEST_FORM)) ?? [];
      const lengths = forms.filter((form) => folded.startsWith(form, at)).map(({ length }) => length);
      if (lengths.length === 0) continue;
      // Overlapping secrets are masked together, and the longer one of two with the same beginning, so that no part remains.
      if (at >= copied) scrubbed += text.slice(copied, at) + MASK;
      copied = Math.max(copied, at + Math.max(...lengths));
    }
    return scrubbed + text.slice(copied);
  }

  #formsLike(form: string): string[] {
    const beginning = form.slice(0, SHORTEST_FORM);
    const alike = this.#byBeginning.get(beginning) ?? [];
    this.#byBeginning.set(beginning, alike);
    return alike;
  }
}

/** Returns `text` with every occurrence of these secrets masked. */
export function scrub(text: string, secrets: readonly Secret[]): string {
  const scrubber = new Scrubber();
  for (const secret of secrets) scrubber.guard(secret);
  return scrubber.scrub(text);
}

/** Least length of a masked form. A shorter one would be masked in innocent text, and protects no account. */
export const SHORTEST_FORM = 4;

/** Least length of a base64 fragment. A shorter one would also match ordinary words. */
const SHORTEST_FRAGMENT = 6;

/** Returns the forms of a secret in a text: plain, in JSON, URL-encoded, and in base64; all in lower case. */
function formsOf(value: string): readonly string[] {
  // Half a surrogate pair cannot be encoded, and is sent as U+FFFD.
  const sent = Buffer.from(value).toString();
  const component = encodeURIComponent(sent);
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    component,
    encodeURI(sent),
    component.replaceAll('%20', '+'),
    new URLSearchParams({ '': sent }).toString().slice(1),
  ].filter((form) => form.length >= SHORTEST_FORM);
  return [...new Set([...forms, ...inBase64(value)].map(inOneCase))];
}

/** Returns the text in lower case with its length unchanged, so that offsets are the same in both. */
export function inOneCase(text: string): string {
  if (!/[\u0080-\uffff]/.test(text)) return text.toLowerCase();
  return text.replace(/\p{Uppercase}/gu, (letter) => {
    const lower = letter.toLowerCase();
    return lower.length === letter.length ? lower : letter;
  });
}

/**
 * Returns the common fragments of every base64 text that contains the value, for its three alignments. So `user:password` of basic
 * auth is found without the user. Characters at the ends depend on their neighbours, and are left out.
 */
function inBase64(value: string): string[] {
  return [0, 1, 2].flatMap((lead) => {
    const bytes = Buffer.concat([Buffer.alloc(lead), Buffer.from(value)]);
    const first = Math.ceil((lead * 8) / 6);
    const last = Math.floor((bytes.length * 8) / 6);
    const fragments = (['base64', 'base64url'] as const).map((kind) =>
      bytes.toString(kind).slice(first, last),
    );
    return fragments.filter((fragment) => fragment.length >= SHORTEST_FRAGMENT);
  });
}
