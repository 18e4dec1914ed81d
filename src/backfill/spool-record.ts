import { z } from 'zod';
import type { Points } from '../decode/points.ts';
import type { HistoryWindow } from './history-range.ts';

const spoolRecord = z.strictObject({
  window: z.int().nonnegative(),
  /** Of the buckets, in ms; null when the answer did not show it. */
  width: z.number().positive().nullable(),
  /** Starts of the buckets, ascending. */
  times: z.array(z.number()),
  /** A value for each of the times, by dimension; null where the platform has none. */
  series: z.record(z.string(), z.array(z.number().nullable())),
});

const vanished = z.strictObject({ vanished: z.literal(true) });

/** The buckets that start within one window, of all dimensions of a metric. */
export type SpoolRecord = z.output<typeof spoolRecord>;

/** A line of a spool: a window, or that the platform does not know the metric or its configuration. */
export type SpoolLine = SpoolRecord | z.output<typeof vanished>;

const spoolLine = z.union([spoolRecord, vanished]);

/** The line of a text, or undefined when it was not written to its end. */
export function parseSpoolLine(text: string): SpoolLine | undefined {
  try {
    return spoolLine.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Of an answer what belongs to a window. */
export function recordOf(
  { index, from, to }: HistoryWindow,
  series: ReadonlyMap<string, Points>,
  width: number | undefined,
): SpoolRecord {
  const starts = new Set<number>();
  for (const { timestamps } of series.values()) {
    for (const time of timestamps) if (time >= from && time < to) starts.add(time);
  }
  const times = [...starts].sort((a, b) => a - b);
  const places = new Map(times.map((time, place) => [time, place]));
  const columns = [...series].map(([dimension, points]) => [dimension, column(points, places)] as const);
  return { window: index, width: width ?? null, times, series: Object.fromEntries(columns) };
}

function column({ timestamps, values }: Points, places: ReadonlyMap<number, number>): (number | null)[] {
  const filled = new Array<number | null>(places.size).fill(null);
  for (let index = 0; index < timestamps.length; index += 1) {
    const place = places.get(Number(timestamps[index]));
    if (place !== undefined) filled[place] = values[index] ?? null;
  }
  return filled;
}

/** What two answers to a window have brought; where both have a bucket, or their widths differ, the later one holds. */
export function together(earlier: SpoolRecord | undefined, later: SpoolRecord): SpoolRecord {
  if (earlier === undefined || earlier.width !== later.width) return later;
  const times = [...new Set([...earlier.times, ...later.times])].sort((a, b) => a - b);
  const names = [...new Set([...Object.keys(earlier.series), ...Object.keys(later.series)])];
  const columns = names.map((name) => {
    const values = new Map([...valuesOf(earlier, name), ...valuesOf(later, name)]);
    return [name, times.map((time) => values.get(time) ?? null)] as const;
  });
  return { ...later, times, series: Object.fromEntries(columns) };
}

function valuesOf({ times, series }: SpoolRecord, name: string): [time: number, value: number][] {
  return (series[name] ?? []).flatMap((value, index) => {
    return value === null ? [] : [[Number(times[index]), value] as [number, number]];
  });
}

/** Whether every dimension has every bucket that starts in the window and ends by `end`. */
export function isWhole(
  { width, times, series }: SpoolRecord,
  { from, to }: HistoryWindow,
  end: number,
): boolean {
  const [first] = times;
  const columns = Object.values(series);
  if (first === undefined || columns.length === 0) return false;
  if (columns.some((values) => values.includes(null))) return false;
  // A bucket as long as the window: its width shows only beside its neighbours.
  if (width === null) return true;
  const start = from + ((((first - from) % width) + width) % width);
  const expected = Math.min(Math.ceil((to - start) / width), Math.floor((end - start) / width));
  return times.filter((time) => time + width <= end).length === expected;
}
