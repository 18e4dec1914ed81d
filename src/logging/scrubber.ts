import type { Secret } from '../secret.ts';

const MASK = '[secret]';

/** A shorter text would be found, and masked, in innocent places; nothing that short protects an account. */
const SHORTEST = 4;

/** Removes secrets from text, also where they are part of something encoded. */
export class Scrubber {
  readonly #forms = new Set<string>();
  #longestFirst: readonly string[] = [];

  guard(secret: Secret): void {
    const value = secret.reveal();
    for (const form of [
      value,
      JSON.stringify(value).slice(1, -1),
      ...percentEncoded(value),
      ...inBase64(value),
    ]) {
      if (form.length >= SHORTEST) this.#forms.add(form);
    }
    this.#longestFirst = [...this.#forms].sort((a, b) => b.length - a.length);
  }

  scrub(text: string): string {
    let scrubbed = text;
    for (const form of this.#longestFirst) scrubbed = scrubbed.replaceAll(form, MASK);
    return scrubbed;
  }
}

function percentEncoded(value: string): string[] {
  // Half a surrogate pair cannot be encoded: it travels as U+FFFD.
  const whole = Buffer.from(value).toString();
  const component = encodeURIComponent(whole);
  return [
    component,
    encodeURI(whole),
    component.replaceAll('%20', '+'),
    new URLSearchParams({ '': whole }).toString().slice(1),
  ];
}

/**
 * What every base64 text that contains the value has in common, for the three ways in which its bytes can fall on the
 * groups of three: so `user:password` of basic authentication is found without knowing the user.
 */
function inBase64(value: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    const whole = Math.floor((bytes.length * 8) / 6);
    const own = bytes.toString('base64').slice(Math.ceil((before * 8) / 6), whole);
    return own.length < 2 * SHORTEST ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
