import leven from 'leven';

/** Words that are compared: of ten thousand accounts the first are enough for a hint. */
const MOST_KNOWN = 1_000;

/** The word of `known` that `given` most likely means: the nearest, when few of its letters differ. */
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

/** `; did you mean "…"?`, or nothing. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const suggestion = suggest(given, known);
  return suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
}
