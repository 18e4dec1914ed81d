/**
 * A quantile of values, as Prometheus takes it: between two of them in proportion. It changes their order, no more than
 * it must: rules take quantiles of hundreds of samples, over and over.
 */
export function quantile(values: Float64Array, share: number): number {
  if (values.length === 0) return Number.NaN;
  const rank = share * (values.length - 1);
  const below = Math.floor(rank);
  const low = select(values, below);
  if (below === rank) return low;
  // What is right of the place is not smaller: the next one is the least of it.
  let high = values[below + 1] as number;
  for (let at = below + 2; at < values.length; at++) high = Math.min(high, values[at] as number);
  return low + (high - low) * (rank - below);
}

/** Brings the value to its place that it has in sorted order, smaller ones to the left of it (Hoare's selection). */
function select(values: Float64Array, place: number): number {
  let [left, right] = [0, values.length - 1];
  while (left < right) {
    const pivot = values[(left + right) >> 1] as number;
    let [low, high] = [left, right];
    while (low <= high) {
      while ((values[low] as number) < pivot) low += 1;
      while ((values[high] as number) > pivot) high -= 1;
      if (low > high) break;
      const swapped = values[low] as number;
      values[low] = values[high] as number;
      values[high] = swapped;
      low += 1;
      high -= 1;
    }
    if (place <= high) right = high;
    else if (place >= low) left = low;
    else break;
  }
  return values[place] as number;
}
