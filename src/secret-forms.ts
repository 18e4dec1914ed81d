/** A shorter text would be found, and masked, in innocent places; nothing that short protects an account. */
export const SHORTEST_FORM = 4;

/** A shorter piece of base64 would also be found in ordinary words. */
const SHORTEST_FRAGMENT = 6;

/** How a secret can stand in a text: as it is, in JSON, in an address, in a form, and inside base64; all in one case. */
export function formsOf(value: string): readonly string[] {
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
