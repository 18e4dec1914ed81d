import type { TimedSample } from '../catalogue/family.ts';

/** More samples than this are not kept in one entry, since an entry is sent whole. */
const ENTRY_SAMPLES = 2_000;

/** Samples of one time together, the earliest first, in parts that are not too large for an entry. */
export function byTime(samples: readonly TimedSample[]): TimedSample[][] {
  const groups = new Map<number, TimedSample[]>();
  for (const sample of samples) {
    const group = groups.get(sample.at) ?? [];
    groups.set(sample.at, group);
    group.push(sample);
  }
  return [...groups]
    .sort(([a], [b]) => a - b)
    .flatMap(([, group]) =>
      Array.from({ length: Math.ceil(group.length / ENTRY_SAMPLES) }, (_, part) =>
        group.slice(part * ENTRY_SAMPLES, (part + 1) * ENTRY_SAMPLES),
      ),
    );
}
