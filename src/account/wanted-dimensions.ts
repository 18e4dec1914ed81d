import picomatch from 'picomatch';

/** More dimensions than the platform documents may come, and each takes memory. */
const MOST_KNOWN = 1_000;

/**
 * Whether a dimension matches any of the patterns. What was said of a dimension is remembered: all targets of a product
 * have the same few, and every poll asks for each of them several times.
 */
export function wantedDimensions(patterns: readonly string[]): (dimension: string) => boolean {
  const matches = picomatch([...patterns]);
  const known = new Map<string, boolean>();
  return (dimension) => {
    const before = known.get(dimension);
    if (before !== undefined) return before;
    const isWanted = matches(dimension);
    if (known.size < MOST_KNOWN) known.set(dimension, isWanted);
    return isWanted;
  };
}
