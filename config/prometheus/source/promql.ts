const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/** Milliseconds as PromQL writes them: 5_400_000 is `1h30m`. */
export function duration(ms: number): string {
  let rest = Math.round(ms);
  let text = '';
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text === '' ? '0s' : text;
}

/**
 * A range that holds exactly the samples of `span` that a rule of this interval recorded. Prometheus 2 includes the
 * sample at the far end of a range, Prometheus 3 does not: ending it between two samples makes both take the same.
 */
export function range(series: string, span: number, interval: number): string {
  return `${series}[${duration(span - interval / 2)}]`;
}

/** A series of some time ago. */
export function ago(series: string, ms: number): string {
  return `${series} offset ${duration(ms)}`;
}

/** An aggregation of several vectors, element by element, over those that are there. */
export function across(
  aggregation: string,
  vectors: Readonly<Record<string, string>>,
  parameter?: number,
): string {
  const parts = Object.entries(vectors).map(
    ([part, vector]) => `label_replace(${vector}, "part", "${part}", "", "")`,
  );
  const first = parameter === undefined ? '' : `${parameter},`;
  return `${aggregation} without (part) (${first}\n  ${parts.join('\n  or\n  ')}\n)`;
}
