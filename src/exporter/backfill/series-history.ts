import { type Faces, facesOf } from '../catalogue/catalogue.ts';
import type { Family, Labels } from '../catalogue/family.ts';
import type { UnitOverrides } from '../catalogue/units.ts';
import { mostFrequent } from '../decode/decode.ts';
import { LabelTexts } from '../exposition/label-text.ts';
import { familyHeader, formatValue } from '../exposition/text-format.ts';
import { addedUp } from '../series/decimals.ts';
import { counterValue, gaugeValue } from '../series/samples.ts';
import { targetLabels } from '../targets/target.ts';
import { type PlannedSeries, targetOf } from './history-plan.ts';
import type { Spool, SpoolRecord } from './work-folder.ts';

/** The buckets of one metric of one target over the whole range. Flat arrays, since 30 days have 43,200 minutes. */
export interface SeriesHistory {
  /** Start of each bucket (ms since the epoch), ascending. */
  readonly starts: Float64Array;
  /** Width of each bucket (ms). */
  readonly widths: Float64Array;
  /** A value for each bucket, by dimension; NaN where the platform has none. */
  readonly values: ReadonlyMap<string, Float64Array>;
}

/** Puts the windows of a metric together, in their order; buckets that end later than `end` are left out. */
export function assemble(records: readonly SpoolRecord[], end: number): SeriesHistory {
  const usual = usualWidth(records);
  const kept = records.map((record) => {
    const width = record.width ?? usual;
    const size = width === undefined ? 0 : record.times.filter((time) => time + width <= end).length;
    return { record, width: width ?? Number.NaN, size };
  });
  const count = kept.reduce((sum, { size }) => sum + size, 0);
  const starts = new Float64Array(count);
  const widths = new Float64Array(count);
  const values = new Map<string, Float64Array>();
  let at = 0;
  for (const { record, width, size } of kept) {
    starts.set(record.times.slice(0, size), at);
    widths.fill(width, at, at + size);
    for (const [dimension, column] of Object.entries(record.series)) {
      const all = values.get(dimension) ?? new Float64Array(count).fill(Number.NaN);
      for (let index = 0; index < size; index += 1) all[at + index] = column[index] ?? Number.NaN;
      values.set(dimension, all);
    }
    at += size;
  }
  return { starts, widths, values };
}

/** The width of buckets that came alone in their answers, by the distance of neighbours. */
function usualWidth(records: readonly SpoolRecord[]): number | undefined {
  const differences = new Map<number, number>();
  let before: number | undefined;
  for (const { width, times } of records) {
    if (width !== null) continue;
    for (const time of times) {
      if (before !== undefined) differences.set(time - before, (differences.get(time - before) ?? 0) + 1);
      before = time;
    }
  }
  return mostFrequent(differences);
}

interface DimensionHistory extends Pick<SeriesHistory, 'starts' | 'widths'> {
  readonly values: Float64Array;
}

interface HistoryPoint {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly value: number;
  /** When the counter was at zero (ms since the epoch); undefined for a gauge. */
  readonly since: number | undefined;
}

/** The samples that a bucket adds to a series, by the bucket's index; each bucket is to be asked for once, in order. */
type PointsOfBucket = (index: number) => readonly HistoryPoint[];

/** The gauge of every bucket, stamped at its end: up to there it tells what was, as `rate` looks back from its moment. */
export function gaugePoints(
  { starts, widths, values }: DimensionHistory,
  gauge: Faces['gauge'],
): PointsOfBucket {
  return (index) => {
    const value = Number(values[index]);
    if (Number.isNaN(value)) return [];
    const width = Number(widths[index]);
    return [{ at: Number(starts[index]) + width, value: gaugeValue(value, gauge, width), since: undefined }];
  };
}

/**
 * The counter after every bucket, stamped at the bucket's end. It counts from 0 at the start of the history, said by
 * a sample a millisecond after it: so `increase` sees the first bucket too, and the sample does not meet that of a
 * history which ends there.
 */
export function counterPoints(
  { starts, widths, values }: DimensionHistory,
  counter: NonNullable<Faces['counter']>,
): PointsOfBucket {
  let total = 0;
  let since: number | undefined;
  return (index) => {
    const value = Number(values[index]);
    if (Number.isNaN(value)) return [];
    const start = Number(starts[index]);
    const zero = since === undefined ? [{ at: start + 1, value: 0, since: start }] : [];
    since ??= start;
    total = addedUp(total, value);
    return [...zero, { at: start + Number(widths[index]), value: counterValue(total, counter), since }];
  };
}

export interface HistoryFamiliesOptions {
  /** In the order in which they are written, with what was read of each. */
  readonly series: readonly { readonly planned: PlannedSeries; readonly spool: Spool }[];
  readonly labels: Labels;
  readonly unitsOf: (account: string) => UnitOverrides;
  /** The names of those that are wanted; all where it is left out. */
  readonly families?: ReadonlySet<string> | undefined;
}

/** A series of the history: a dimension as one family shows it. */
export interface HistorySeries {
  readonly family: Family;
  readonly labels: Labels;
  /** Name and labels. */
  readonly text: string;
  readonly spool: Spool;
  /** Its samples in what was read of the spool; undefined where it has none. */
  readonly pointsIn: (history: SeriesHistory) => PointsOfBucket | undefined;
}

/** The series of each family, by its name; a series that two metrics bring is taken from the first. */
export function historyFamilies({
  series,
  labels,
  unitsOf,
  families: wanted,
}: HistoryFamiliesOptions): [Family, HistorySeries[]][] {
  const families = new Map<Family, Map<string, HistorySeries>>();
  const texts = new LabelTexts();
  for (const { planned, spool } of series) {
    const target = targetOf(planned);
    const context = { scope: target.by, units: unitsOf(target.account) };
    for (const dimension of [...spool.dimensions].sort()) {
      const { gauge, counter, labels: own } = facesOf(planned.metric, dimension, context);
      const all = { ...labels, ...targetLabels(target), ...own };
      const labelText = texts.of(all);
      const add = (family: Family, points: (history: DimensionHistory) => PointsOfBucket) => {
        if (wanted?.has(family.name) === false) return;
        const text = family.name + labelText;
        const known = families.get(family) ?? new Map<string, HistorySeries>();
        families.set(family, known);
        if (known.has(text)) return;
        known.set(text, { family, labels: all, text, spool, pointsIn: inDimension(dimension, points) });
      };
      add(gauge.family, (history) => gaugePoints(history, gauge));
      if (counter !== undefined) add(counter.family, (history) => counterPoints(history, counter));
    }
  }
  const byName = [...families].sort(([a], [b]) => (a.name < b.name ? -1 : 1));
  return byName.map(([family, known]) => [family, [...known.values()]]);
}

function inDimension(
  dimension: string,
  points: (history: DimensionHistory) => PointsOfBucket,
): HistorySeries['pointsIn'] {
  return ({ starts, widths, values: all }) => {
    const values = all.get(dimension);
    return values === undefined ? undefined : points({ starts, widths, values });
  };
}

/** The history as OpenMetrics 1.0, in pieces, in the order of the format; one metric of one target is in memory at a time. */
export async function* historyText(
  options: HistoryFamiliesOptions & { readonly end: number },
): AsyncGenerator<string> {
  for (const [family, all] of historyFamilies(options)) {
    yield familyHeader(family, 'openmetrics');
    let read: { readonly spool: Spool; readonly history: SeriesHistory } | undefined;
    for (const { spool, text, pointsIn } of all) {
      if (read?.spool !== spool) read = { spool, history: assemble(await spool.records(), options.end) };
      const points = pointsIn(read.history);
      if (points !== undefined) yield* seriesLines(text, read.history.starts.length, points);
    }
  }
  yield '# EOF\n';
}

/** So many buckets are handed on at once: enough to be worth a write, little to hold. */
const BUCKETS_AT_ONCE = 1_000;

/** The sample lines of a series of so many buckets, in pieces. OpenMetrics has its timestamps in seconds. */
export function* seriesLines(series: string, buckets: number, pointsOf: PointsOfBucket): Generator<string> {
  for (let from = 0; from < buckets; from += BUCKETS_AT_ONCE) {
    let piece = '';
    const to = Math.min(buckets, from + BUCKETS_AT_ONCE);
    for (let index = from; index < to; index += 1) {
      for (const { at, value } of pointsOf(index)) {
        piece += `${series} ${formatValue(value)} ${at / 1_000}\n`;
      }
    }
    if (piece !== '') yield piece;
  }
}
