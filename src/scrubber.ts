import { MASK, type Secret } from './secret.ts';
import { formsOf, inOneCase, SHORTEST_FORM } from './secret-forms.ts';

/**
 * How long (ms) a secret that nobody guards anew is still kept out of texts: tokens that were replaced add up, and live
 * for a day, as far as is known (section 5). What is in use is guarded with every request.
 */
const KEPT_MS = 366 * 86_400_000;

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

  #add({ forms }: Guarded): void {
    for (const form of forms) {
      const beginning = form.slice(0, SHORTEST_FORM);
      const alike = [...(this.#byBeginning.get(beginning) ?? []), form];
      this.#byBeginning.set(
        beginning,
        alike.sort((a, b) => b.length - a.length),
      );
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
    const beginning = form.slice(0, SHORTEST_FORM);
    const alike = this.#byBeginning.get(beginning) ?? [];
    const rest = alike.toSpliced(alike.indexOf(form), 1);
    if (rest.length === 0) this.#byBeginning.delete(beginning);
    else this.#byBeginning.set(beginning, rest);
  }
}

/** `text` with every occurrence of these secrets masked. */
export function scrub(text: string, secrets: readonly Secret[]): string {
  const scrubber = new Scrubber();
  for (const secret of secrets) scrubber.guard(secret);
  return scrubber.scrub(text);
}
