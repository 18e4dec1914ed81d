/** Returns the JSON document in a text; undefined if there is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Maximum length of the platform's texts when read: more than a label's, so that truncation is visible and counted. */
const LONGEST_TEXT = 1_026;

/** Returns the beginning of a text without half a surrogate pair. Copies it, because a slice keeps the whole in memory. */
export function beginningOf(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  const beginning = text.slice(0, LONGEST_TEXT).replace(/[\ud800-\udbff]$/, '');
  return Buffer.from(beginning, 'utf16le').toString('utf16le');
}
