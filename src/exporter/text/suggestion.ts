import leven from 'leven';

/** Maximum number of words that are compared: of ten thousand accounts, the first are enough for a hint. */
const MOST_KNOWN = 1_000;

/** Returns the word of `known` that is most similar to `given`; undefined if all differ in too many letters. */
export function suggest(given: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of [...known].slice(0, MOST_KNOWN)) {
    const shorter = Math.min(given.length, candidate.length);
    const tolerance = Math.min(Math.max(2, Math.floor(candidate.length / 3)), shorter - 1);
    const edits = leven(given.toLowerCase(), candidate.toLowerCase(), { maxDistance: tolerance + 1 });
    if (edits <= tolerance && edits < fewest) [nearest, fewest] = [candidate, edits];
  }
  return nearest;
}

/** Returns `; did you mean "…"?`, or an empty text without a similar word. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const suggestion = suggest(given, known);
  return suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
}
