import type { Secret } from '../secret.ts';

/** A shorter base64 fragment would also match ordinary words. */
const SHORTEST_FRAGMENT = 6;

/**
 * `text` with every occurrence of the secrets masked, as they are, URI-encoded, or inside base64, in any
 * letter case. One pass over all of them, so that no mask is masked again.
 */
export function scrub(text: string, secrets: readonly Secret[]): string {
  const forms = [...new Set(secrets.flatMap((secret) => formsOf(secret.reveal())))];
  if (forms.length === 0) return text;
  // Longest first: of two secrets that begin alike, the whole of the longer one must go.
  const pattern = forms
    .sort((a, b) => b.length - a.length)
    .map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
    .join('|');
  return text.replace(new RegExp(pattern, 'gi'), '[secret]');
}

function formsOf(value: string): string[] {
  // A lone surrogate, which cannot be URI-encoded, goes over the wire as a replacement character.
  const sent = Buffer.from(value).toString();
  const uri = [encodeURIComponent(sent), new URLSearchParams({ '': sent }).toString().slice(1)];
  return [value, ...uri, ...base64Fragments(value)].filter((form) => form !== '');
}

/**
 * What `value` looks like inside the base64 of a longer text, for each of the three positions it can begin
 * at; the characters at the ends also depend on the neighbours and are left off.
 */
function base64Fragments(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((lead) => {
    const first = Math.ceil((lead * 8) / 6);
    const last = Math.floor(((lead + bytes.length) * 8) / 6);
    const padded = Buffer.concat([Buffer.alloc(lead), bytes]);
    const forms = (['base64', 'base64url'] as const).map((form) => padded.toString(form).slice(first, last));
    return forms.filter((form) => form.length >= SHORTEST_FRAGMENT);
  });
}
