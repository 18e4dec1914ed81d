import { inspect } from 'node:util';

/** What stands in place of a secret. */
export const MASK = '[secret]';

/** A credential that cannot be printed by accident; only `reveal()` gives the value, to the code that sends it. */
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

/** How long (ms) a secret that nobody guards anew is kept out of texts: replaced tokens add up, and live for a day. */
const KEPT_MS = 366 * 86_400_000;

/** Of more beginnings, texts hold one by chance, and the search for all of them is as long to make as it saves. */
const MOST_SEARCHED = 200;

interface Guarded {
  readonly forms: readonly string[];
  lastAt: number;
}

/** Masks secrets in texts, in any encoding and letter case. What it costs does not grow with their number. */
export class Scrubber {
  readonly #now: () => number;
  /** By value, the one guarded longest ago first. */
  readonly #guarded = new Map<string, Guarded>();
  /** The forms that begin alike, the longest first: of two that begin alike, the whole of the longer one must go. */
  readonly #byBeginning = new Map<string, string[]>();
  /** Finds any of these beginnings; made anew once they have changed. */
  #anyBeginning: RegExp | undefined;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  guard(secret: Secret): void {
    const value = secret.reveal();
    const known = this.#guarded.get(value);
    this.#guarded.delete(value);
    const guarded = known ?? { forms: formsOf(value), lastAt: 0 };
    guarded.lastAt = this.#now();
    this.#guarded.set(value, guarded);
    if (known === undefined) this.#add(guarded);
    this.#forgetTheOldest();
  }

  scrub(text: string): string {
    const folded = inOneCase(text);
    if (this.#byBeginning.size <= MOST_SEARCHED && !this.#holdsBeginning(folded)) return text;
    let scrubbed = '';
    let copied = 0;
    let maskedTo = 0;
    for (let at = 0; at + SHORTEST_FORM <= folded.length; at += 1) {
      const forms = this.#byBeginning.get(folded.slice(at, at + SHORTEST_FORM));
      const found = forms?.find((form) => folded.startsWith(form, at));
      if (found === undefined) continue;
      // What overlaps goes as one, so that no part of either stays.
      if (at >= maskedTo) scrubbed += text.slice(copied, at) + MASK;
      maskedTo = Math.max(maskedTo, at + found.length);
      copied = maskedTo;
    }
    return scrubbed + text.slice(copied);
  }

  /** Few texts hold any, and one search takes a sixth of the time that looking up every place does. */
  #holdsBeginning(folded: string): boolean {
    this.#anyBeginning ??= new RegExp([...this.#byBeginning.keys()].map(literally).join('|'));
    return this.#anyBeginning.test(folded);
  }

  #add({ forms }: Guarded): void {
    this.#anyBeginning = undefined;
    for (const form of forms) {
      const beginning = form.slice(0, SHORTEST_FORM);
      const alike = this.#byBeginning.get(beginning) ?? [];
      const shorter = alike.findIndex(({ length }) => length < form.length);
      alike.splice(shorter < 0 ? alike.length : shorter, 0, form);
      this.#byBeginning.set(beginning, alike);
    }
  }

  #forgetTheOldest(): void {
    for (const [value, { forms, lastAt }] of this.#guarded) {
      if (this.#now() - lastAt < KEPT_MS) return;
      this.#guarded.delete(value);
      for (const form of forms) this.#remove(form);
    }
  }

  /** One of its occurrences: another secret may have the same form. */
  #remove(form: string): void {
    this.#anyBeginning = undefined;
    const beginning = form.slice(0, SHORTEST_FORM);
    const alike = this.#byBeginning.get(beginning) ?? [];
    const rest = alike.toSpliced(alike.indexOf(form), 1);
    if (rest.length === 0) this.#byBeginning.delete(beginning);
    else this.#byBeginning.set(beginning, rest);
  }
}

/** A pattern that only this text matches. */
function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** `text` with every occurrence of these secrets masked. */
export function scrub(text: string, secrets: readonly Secret[]): string {
  const scrubber = new Scrubber();
  for (const secret of secrets) scrubber.guard(secret);
  return scrubber.scrub(text);
}

/** A shorter text would be found, and masked, in innocent places; nothing that short protects an account. */
export const SHORTEST_FORM = 4;

/** A shorter piece of base64 would also be found in ordinary words. */
const SHORTEST_FRAGMENT = 6;

/** How a secret can stand in a text: as it is, in JSON, in an address, in a form, and inside base64; all in one case. */
function formsOf(value: string): readonly string[] {
  // Half a surrogate pair cannot be encoded: it travels as U+FFFD.
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

/** The text in lower case, as long as it was, so that places in one are places in the other. */
export function inOneCase(text: string): string {
  if (!/[\u0080-\uffff]/.test(text)) return text.toLowerCase();
  return text.replace(/\p{Uppercase}/gu, (letter) => {
    const lower = letter.toLowerCase();
    return lower.length === letter.length ? lower : letter;
  });
}

/**
 * What every base64 text that contains the value has in common, for the three ways in which its bytes can fall on the
 * groups of three: so `user:password` of basic authentication is found without knowing the user. The characters at the
 * ends also depend on the neighbours and are left off.
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
