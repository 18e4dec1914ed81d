import type { Decoded } from '../decode/decode.ts';
import { NONE_YOUNG } from '../settling/completeness.ts';
import { bucketsIn, type Counter } from './counter.ts';
import { type HasCounter, NO_CHECKPOINTS, recordOf, type SeriesMemory } from './series-memory.ts';
import { without } from './spans.ts';

/** Whether the metric was broken down by other values when the answer was taken: some would be counted twice. */
export function isOutdated({ record }: SeriesMemory, { insteadOf }: Decoded): boolean {
  if (insteadOf === undefined) return false;
  const names = new Set(record?.counters.keys());
  return insteadOf.length !== names.size || !insteadOf.every((name) => names.has(name));
}

/**
 * The memory with exactly the counters of an answer that breaks the metric down completely. Counters whose series are gone
 * end, and new ones begin at zero. All get the same watermark, so that each bucket is counted by one of them. Values seen
 * before are dropped, since they cannot be compared; buckets that only some counters had counted are left out.
 */
export function withCountersOf(
  memory: SeriesMemory,
  { series, insteadOf }: Decoded,
  counts: HasCounter,
): { readonly memory: SeriesMemory; readonly leftOut: number } {
  const { record } = memory;
  const asBefore = { memory, leftOut: 0 };
  if (record === undefined || insteadOf === undefined || record.counters.size === 0) return asBefore;
  const names = [...series.keys()].filter(counts);
  if (insteadOf.length === names.length && insteadOf.every((name) => series.has(name))) return asBefore;
  const { leftOut, ...stand } = standOfAll(
    [...record.counters].map(([, counter]) => counter),
    record.width,
  );
  const counters = new Map(
    names.map((name) => [name, { ...stand, total: record.counters.get(name)?.total ?? 0 }]),
  );
  const { since, width } = record;
  const nothing = { seen: undefined, young: NONE_YOUNG, checkpoints: NO_CHECKPOINTS };
  return { memory: { ...memory, ...nothing, record: recordOf(since, width, counters, counts) }, leftOut };
}

/** How far all counters have come together. They seldom differ; if they do, what any has counted is not counted again. */
function standOfAll(
  counters: readonly Counter[],
  width: number,
): Pick<Counter, 'watermark' | 'missing'> & { readonly leftOut: number } {
  const watermark = Math.max(...counters.map((counter) => counter.watermark));
  const lacking = counters.map(({ watermark: from, missing }) =>
    from === watermark ? missing : [...missing, { ...NEVER_ASKED, from, to: watermark }],
  );
  const [first = [], ...others] = lacking;
  const missing = others.reduce((lacked, other) => without(lacked, without(lacked, other)), first);
  const spans = lacking.flatMap((lacked) => without(lacked, missing));
  return { watermark, missing, leftOut: spans.reduce((sum, span) => sum + bucketsIn(span, width), 0) };
}

const NEVER_ASKED = { since: 0, until: 0, asked: 0, whole: 0 };

/** The series to be counted. In a complete breakdown, a bucket that one series lacks counts as missing in all. */
export function countable({ series, insteadOf }: Decoded, counts: HasCounter): Decoded['series'] {
  if (insteadOf === undefined) return series;
  const counted = [...series].filter(([name]) => counts(name));
  const times = new Map<number, number>();
  for (const [, { timestamps }] of counted)
    for (const time of timestamps) times.set(time, (times.get(time) ?? 0) + 1);
  if (counted.every(([, { timestamps }]) => timestamps.length === times.size)) return series;
  const isInAll = (time: number) => times.get(time) === counted.length;
  return new Map(
    counted.map(([name, { timestamps, values }]) => [
      name,
      {
        timestamps: timestamps.filter(isInAll),
        values: values.filter((_, index) => isInAll(Number(timestamps[index]))),
      },
    ]),
  );
}
