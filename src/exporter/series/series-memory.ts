import { z } from 'zod';
import type { Refusal } from '../poll/job.ts';
import { NONE_YOUNG, rowsOf, type YoungBuckets, youngOf } from '../settling/completeness.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import type { StateKey } from '../state/state.ts';
import type { Target } from '../targets/target.ts';
import type { Counter, MissingSpan } from './counter.ts';
import { type CountersByDimension, PackedCounters } from './packed-series.ts';
import type { SeenBuckets } from './seen-buckets.ts';
import type { WidthDoubt } from './width-doubt.ts';

/** What is remembered of one metric of one target from one poll to the next. A poll replaces it as a whole. */
export interface SeriesMemory {
  /** Undefined before anything was counted. */
  readonly record: CountersRecord | undefined;
  readonly seen: SeenBuckets | undefined;
  readonly doubt: WidthDoubt | undefined;
  /** The end of the newest bucket that any answer had (platform ms). */
  readonly reached: number | undefined;
  /** The start of the newest bucket, as of the latest answer that reached the present; undefined if it had none. */
  readonly newest: number | undefined;
  readonly young: YoungBuckets;
  readonly checkpoints: Checkpoints;
  /** Bucket width (ms) of the newest answer that showed one: counters that are withheld have none. */
  readonly width: number | undefined;
  /** End of the bucket that the gauges show (platform ms); undefined while they show none. */
  readonly shownUntil: number | undefined;
  /** How late (ms) the platform was when it gave the bucket that the gauges show. */
  readonly shownLag: number;
  /** End of the bucket that the lower bounds show (platform ms); undefined while none is shown. */
  readonly boundUntil: number | undefined;
  /** Until when (platform ms) catching up rests, after a read that brought nothing. */
  readonly restsUntil: number;
  /** Set while the platform refuses to read it, as missing or forbidden. */
  readonly refusal: Refusal | undefined;
}

/** Where all counters stood together, ascending: at which watermark, and their sum. */
export interface Checkpoints {
  readonly watermarks: readonly number[];
  readonly sums: readonly number[];
}

/** Counters are compared with the platform over spans of about an hour. */
const SPAN_MS = 60 * MINUTE_MS;

/** Checkpoints are at least so far apart (ms). */
export const SPACING_MS = 5 * MINUTE_MS;

/** How long checkpoints are kept. */
const CHECKPOINTS_KEPT_MS = 4 * SPAN_MS;

/** What was counted over a past span, to be compared with what the platform says of it now. */
export interface CountedSpan {
  readonly window: Window;
  /** The sum of all its buckets, over all counted dimensions. */
  readonly counted: number;
}

/** With where the counters stand now, if all have the same watermark and lack nothing before it. */
export function withCheckpoint(known: Checkpoints, counters: Iterable<Counter>): Checkpoints {
  const point = checkpoint(counters);
  const last = known.watermarks.at(-1);
  if (point === undefined || point.watermark % MINUTE_MS !== 0) return known;
  if (last !== undefined && point.watermark < last + SPACING_MS) return known;
  const first = known.watermarks.findIndex((watermark) => watermark >= point.watermark - CHECKPOINTS_KEPT_MS);
  const kept = (column: readonly number[]) => (first < 0 ? [] : column.slice(first));
  return {
    watermarks: [...kept(known.watermarks), point.watermark],
    sums: [...kept(known.sums), point.sum],
  };
}

/** The newest span of at most an hour that ended at or before `until`, if there is one of half an hour at least. */
export function spanBefore({ watermarks, sums }: Checkpoints, until: number): CountedSpan | undefined {
  const end = watermarks.findLastIndex((watermark) => watermark <= until);
  if (end < 0) return undefined;
  const to = Number(watermarks[end]);
  const start = watermarks.findIndex((watermark) => watermark >= to - SPAN_MS);
  const from = Number(watermarks[start]);
  if (to - from < SPAN_MS / 2) return undefined;
  return { window: { from, to }, counted: Number(sums[end]) - Number(sums[start]) };
}

function checkpoint(
  counters: Iterable<Counter>,
): { readonly watermark: number; readonly sum: number } | undefined {
  let watermark: number | undefined;
  let sum = 0;
  for (const counter of counters) {
    if (counter.missing.length > 0) return undefined;
    if (watermark !== undefined && counter.watermark !== watermark) return undefined;
    watermark = counter.watermark;
    sum += counter.total;
  }
  return watermark === undefined ? undefined : { watermark, sum };
}

/** What the counters keep across restarts. */
export interface CountersRecord {
  /** From where on the counters count (ms since the epoch). */
  readonly since: number;
  /** The width of the buckets seen last (ms). */
  readonly width: number;
  readonly counters: CountersByDimension;
  readonly progress: Progress;
}

/** How far the counters of a record have come, all together. Times are in ms since the epoch; undefined where there are none. */
export interface Progress {
  /** The oldest watermark: everything before it is counted, skipped or missing in every series. */
  readonly watermark: number | undefined;
  /** Up to where every bucket is counted or skipped. */
  readonly countedUntil: number | undefined;
  /** Where missing spans and unread time begin, each time once, since most counters have come equally far. */
  readonly lacking: readonly number[];
}

/** Whether a dimension has a counter; the others are only watched for restatements. */
export type HasCounter = (dimension: string) => boolean;

/** A record of counters, packed to be kept. */
export function recordOf(
  since: number,
  width: number,
  counters: ReadonlyMap<string, Counter>,
  counts: HasCounter,
): CountersRecord {
  return { since, width, counters: new PackedCounters(counters), progress: progressOf(counters, counts) };
}

function progressOf(counters: ReadonlyMap<string, Counter>, counts: HasCounter): Progress {
  let watermark: number | undefined;
  let countedUntil: number | undefined;
  const lacking = new Set<number>();
  for (const [dimension, counter] of counters) {
    if (!counts(dimension)) continue;
    watermark = Math.min(watermark ?? counter.watermark, counter.watermark);
    const until = counter.missing[0]?.from ?? counter.watermark;
    countedUntil = Math.min(countedUntil ?? until, until);
    lacking.add(counter.watermark);
    for (const { from } of counter.missing) lacking.add(from);
  }
  return { watermark, countedUntil, lacking: [...lacking] };
}

/** `[from, to, since, until, asked, whole]`. */
const storedSpan = z.tuple([
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.int().nonnegative(),
  z.int().nonnegative(),
]);

/** What of the memory survives a restart: `[total, watermark, missing]` by dimension, and how far the platform had come. */
const storedSeries = z.strictObject({
  version: z.literal(2),
  since: z.number(),
  width: z.number().positive(),
  counters: z.record(z.string(), z.tuple([z.number().nonnegative(), z.number(), z.array(storedSpan)])),
  platform: z
    .strictObject({
      reached: z.number().nullable(),
      newest: z.number().nullable(),
      /** `[start, series, shown]`; -1 where a bucket was not read at that age, and where its sums cannot be compared. */
      young: z.array(z.tuple([z.number(), z.number(), z.array(z.number())])),
    })
    .optional(),
});

/** Key of the counters of one metric of one target. The name is not part of it, so a renamed configuration counts on. */
export function seriesKey({ account, product, by, id }: Target, metric: string): StateKey {
  return ['series', account, product.api, product.slug, by, id, metric];
}

/** Keys of the records of what was pushed of a series' counters and gauges. */
export function pushedKeys(series: StateKey): Readonly<Record<'counters' | 'gauges', StateKey>> {
  const [, ...rest] = series;
  return { counters: ['pushed', ...rest, 'counters'], gauges: ['pushed', ...rest, 'gauges'] };
}

/** Marks a stored name that would otherwise clash with a property of every object, or with a method that packing calls. */
const ESCAPE = '\0';

/** A name from outside, made safe as a property name: a visitor may call a host `__proto__`. */
function storedName(name: string): string {
  return name in {} || name === 'toJSON' || name.startsWith(ESCAPE) ? `${ESCAPE}${name}` : name;
}

function nameOfStored(stored: string): string {
  return stored.startsWith(ESCAPE) ? stored.slice(ESCAPE.length) : stored;
}

/** Values by names from outside, as an object that can be stored. */
export function storedByName<T>(values: Iterable<readonly [string, T]>): Record<string, T> {
  return Object.fromEntries([...values].map(([name, value]) => [storedName(name), value]));
}

/** The values of an object that `storedByName` made, by name. */
export function byStoredName<T>(stored: Readonly<Record<string, T>>): Map<string, T> {
  return new Map(Object.entries(stored).map(([name, value]) => [nameOfStored(name), value]));
}

/** The stored form of the memory of a series; undefined before anything was counted. */
export function storeSeries(memory: SeriesMemory): z.input<typeof storedSeries> | undefined {
  if (memory.record === undefined) return undefined;
  const { since, width, counters } = memory.record;
  const stored: z.input<typeof storedSeries>['counters'] = {};
  for (const [dimension, { total, watermark, missing }] of counters) {
    stored[storedName(dimension)] = [total, watermark, missing.map(storeSpan)];
  }
  const platform = {
    reached: memory.reached ?? null,
    newest: memory.newest ?? null,
    young: rowsOf(memory.young).map(({ start, series, shown }): [number, number, number[]] => [
      start,
      Number.isNaN(series) ? -1 : series,
      storable(shown),
    ]),
  };
  return { version: 2, since, width, counters: stored, platform };
}

function storable(values: readonly number[]): number[] {
  const stored = [...values];
  for (const [index, value] of stored.entries()) if (Number.isNaN(value)) stored[index] = -1;
  return stored;
}

function orNaN(value: number): number {
  return value < 0 ? Number.NaN : value;
}

/** Read for so long (ms), it is there; a single answer may have been that of another source. */
const USUALLY_READ_MS = 30 * MINUTE_MS;

/** After so long (ms) without an answer it is gone rather than away. */
const LONGEST_OUTAGE_MS = 6 * 60 * MINUTE_MS;

/** Whether the platform has been answering it for a while, and not long ago (platform ms). */
export function isUsuallyRead({ record, reached }: SeriesMemory, now: number): boolean {
  if (record === undefined || reached === undefined) return false;
  return reached - record.since >= USUALLY_READ_MS && now - reached < LONGEST_OUTAGE_MS;
}

export const NO_CHECKPOINTS: Checkpoints = { watermarks: [], sums: [] };

/** What is remembered of a series before its first answer. */
export const BEGINNING: SeriesMemory = {
  record: undefined,
  seen: undefined,
  doubt: undefined,
  reached: undefined,
  newest: undefined,
  young: NONE_YOUNG,
  checkpoints: NO_CHECKPOINTS,
  width: undefined,
  shownUntil: undefined,
  shownLag: 0,
  boundUntil: undefined,
  restsUntil: 0,
  refusal: undefined,
};

/** What is remembered of a series by what the state holds of it: nothing where it holds none, or something else. */
export function restoreSeries(stored: unknown, counts: HasCounter): SeriesMemory {
  const data = stored === undefined ? undefined : storedSeries.safeParse(stored).data;
  if (data === undefined) return BEGINNING;
  const counters = new Map<string, Counter>();
  for (const [dimension, [total, watermark, spans]] of byStoredName(data.counters)) {
    counters.set(dimension, { total, watermark, missing: spans.map(restoreSpan) });
  }
  const record = recordOf(data.since, data.width, counters, counts);
  const { reached, newest, young = [] } = data.platform ?? {};
  return {
    ...BEGINNING,
    record,
    reached: reached ?? undefined,
    newest: newest ?? undefined,
    young: youngOf(
      young.map(([start, series, shown]) => ({ start, series: orNaN(series), shown: shown.map(orNaN) })),
    ),
  };
}

function storeSpan({ from, to, since, until, asked, whole }: MissingSpan): z.input<typeof storedSpan> {
  return [from, to, since, until, asked, whole];
}

function restoreSpan([from, to, since, until, asked, whole]: z.output<typeof storedSpan>): MissingSpan {
  return { from, to, since, until, asked, whole };
}
