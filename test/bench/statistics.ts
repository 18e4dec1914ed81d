/** The number below which a share (0 to 1) of the numbers lies; NaN of none. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The slope of the line fitted through the logarithms of points: 1 is linear; NaN of fewer than two. */
export function exponent(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.filter(([, y]) => y > 0).map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  if (logs.length < 2) return Number.NaN;
  const x = sum(logs.map(([each]) => each)) / logs.length;
  const y = sum(logs.map(([, each]) => each)) / logs.length;
  const above = sum(logs.map((point) => (point[0] - x) * (point[1] - y)));
  return above / sum(logs.map((point) => (point[0] - x) ** 2));
}

/** Milliseconds of a clock that all processes of this machine share, and nobody sets. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
