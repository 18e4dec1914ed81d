/** A line of JSON as a line of logfmt: `key=value` pairs, with whatever is not a plain word in quotes. */
export function logfmt(json: string): string {
  const { ts, level, msg, ...fields }: Record<string, unknown> = JSON.parse(json);
  const pairs = Object.entries({ ts, level, msg, ...fields }).filter(([, value]) => value !== undefined);
  return pairs.map(([key, value]) => `${plainKey(key)}=${plainValue(value)}`).join(' ');
}

function plainKey(key: string): string {
  return key.replaceAll(/[^\w.\-/]/g, '_') || '_';
}

function plainValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[\w.\-+:/@*,;%]+$/.test(text) ? text : quoted(text);
}

/** JSON's quotes, with the control characters escaped that JSON leaves as they are: a terminal would obey them. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
