import { type Grid, gridOf, mostFrequent } from './bucket-width.ts';
import { type Points, type Rejections, reject } from './points.ts';
import { bucketsOf } from './rows.ts';
import { type Asked, shapeOf } from './shape.ts';

export type { Asked } from './shape.ts';

/** What an answer holds. */
export interface Decoded {
  /** By dimension; '' for a series that the answer does not name. */
  readonly series: ReadonlyMap<string, Points>;
  /** Width of the buckets in ms, or undefined when the answer does not show it (a single bucket, an unclear grid). */
  readonly width: number | undefined;
  readonly rejected: Rejections;
  /** Starts of the buckets that are in the answer without a usable value, by dimension; left out where there are none. */
  readonly valueless?: ReadonlyMap<string, Float64Array>;
  /** Rows in the answer, the dropped ones included. */
  readonly rows: number;
}

/**
 * The series in the answer to a read of a metric (sections 2.12, 4.12, 4.13), tolerantly: bad rows and dimensions are
 * dropped and counted, the others live.
 * @param now the platform's time, to know buckets of the future
 * @throws PlatformFailure undecodable when the answer as a whole is not usable
 */
export function decodeSeries(body: unknown, asked: Asked, now: number): Decoded {
  const { series: shapes, misshapen, overLimit } = shapeOf(body, asked);
  const rejected: Rejections = new Map();
  reject(rejected, 'not_a_series', misshapen);
  reject(rejected, 'over_limit', overLimit);
  const buckets = new Map<string, Points>();
  let rows = 0;
  for (const [dimension, given] of shapes) {
    rows += given.length;
    buckets.set(dimension, bucketsOf(given, now, rejected));
  }
  const { series, grid } = onGrid(buckets, rejected);
  return { series, width: grid?.width, rejected, ...valuelessIn(buckets), rows };
}

/** Whether an answer holds no point at all. */
export function isEmpty({ series }: Decoded): boolean {
  return [...series.values()].every(({ timestamps }) => timestamps.length === 0);
}

/** The answers to the reads of a metric's single dimensions over one window, as if one read had brought all. */
export function mergeDecoded(answers: readonly Decoded[]): Decoded {
  const rejected: Rejections = new Map();
  const widths = new Map<number, number>();
  for (const answer of answers) {
    for (const [reason, rows] of answer.rejected) reject(rejected, reason, rows);
    if (answer.width !== undefined) widths.set(answer.width, (widths.get(answer.width) ?? 0) + 1);
  }
  return {
    series: new Map(answers.flatMap(({ series }) => [...series])),
    width: mostFrequent(widths),
    rejected,
    valueless: new Map(answers.flatMap(({ valueless = [] }) => [...valueless])),
    rows: answers.reduce((sum, { rows }) => sum + rows, 0),
  };
}

type Series = ReadonlyMap<string, Points>;

/** The points with a value, without those beside the grid. */
function onGrid(buckets: Series, rejected: Rejections): { series: Series; grid: Grid | undefined } {
  const valued = eachSeries(buckets, (points) => keep(points, (_, value) => !Number.isNaN(value)));
  const grid = gridOfBuckets(buckets, valued);
  if (grid === undefined || grid.complete) return { series: valued, grid };
  const { width, phase } = grid;
  const series = eachSeries(valued, (points) => {
    const aligned = keep(points, (timestamp) => timestamp % width === phase);
    reject(rejected, 'misaligned', points.timestamps.length - aligned.timestamps.length);
    return aligned;
  });
  return { series, grid };
}

function valuelessIn(buckets: Series): Pick<Decoded, 'valueless'> {
  const valueless = new Map<string, Float64Array>();
  for (const [dimension, { timestamps, values }] of buckets) {
    const starts = timestamps.filter((_, index) => Number.isNaN(values[index]));
    if (starts.length > 0) valueless.set(dimension, starts);
  }
  return valueless.size === 0 ? {} : { valueless };
}

/** Buckets without a value show the grid where they complete it; where they do not, they may be junk altogether. */
function gridOfBuckets(buckets: Series, valued: Series): Grid | undefined {
  const grid = gridOf([...buckets.values()]);
  return grid?.complete ? grid : gridOf([...valued.values()]);
}

function eachSeries(series: Series, change: (points: Points) => Points): Series {
  return new Map([...series].map(([dimension, points]) => [dimension, change(points)]));
}

/** The points that pass; the same object when all do. */
function keep(points: Points, passes: (timestamp: number, value: number) => boolean): Points {
  const { timestamps, values } = points;
  let size = 0;
  for (let index = 0; index < values.length; index += 1) {
    if (passes(Number(timestamps[index]), Number(values[index]))) size += 1;
  }
  if (size === values.length) return points;
  const passing = (_: number, index: number) => passes(Number(timestamps[index]), Number(values[index]));
  return { timestamps: timestamps.filter(passing), values: values.filter(passing) };
}
