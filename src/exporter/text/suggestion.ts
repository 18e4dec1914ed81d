/** Words that are looked at: each takes some 10 µs. */
const MOST_KNOWN = 1_000;

/** The word of `known`, of the first thousand, that `given` most likely means: the nearest, when few letters are added, lost, replaced or swapped. */
export function suggest(given: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  let looked = 0;
  for (const candidate of known) {
    looked += 1;
    if (looked > MOST_KNOWN) break;
    const tolerance = Math.floor(Math.max(3, given.length, candidate.length) / 3);
    // No fewer edits than it is longer or shorter: what was given may have any length.
    if (Math.abs(given.length - candidate.length) > tolerance) continue;
    const edits = distance(given.toLowerCase(), candidate.toLowerCase());
    if (edits <= tolerance && edits < fewest) [nearest, fewest] = [candidate, edits];
  }
  return nearest;
}

/** `; did you mean "…"?`, or nothing. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const suggestion = suggest(given, known);
  return suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
}

/** The optimal string alignment distance, over three rolling rows. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const at = (cells: readonly number[], column: number) => cells[column] ?? Number.POSITIVE_INFINITY;
      let edits = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + cost);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) edits = Math.min(edits, at(beforeLast, j - 2) + 1);
      row.push(edits);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
