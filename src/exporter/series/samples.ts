import { type EarlyFaces, type FaceContext, type Faces, facesOf } from '../catalogue/catalogue.ts';
import type { Labels, Sample, TimedSample } from '../catalogue/family.ts';
import { DATA_MOMENTS } from '../catalogue/platform-families.ts';
import type { UnitOverrides } from '../catalogue/units.ts';
import { MOST_DIMENSIONS } from '../decode/decode.ts';
import type { Points } from '../decode/points.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { labelsIn, type Target } from '../targets/target.ts';
import { decimal } from './counter.ts';
import { type CountersByDimension, type DimensionPlaces, placesOf } from './packed-series.ts';
import { everyDimension } from './series-source.ts';
import { firstAtOrAfter } from './spans.ts';

/** Beyond this many some must be out of use: only the current answer's are kept, and labels are made anew. */
const MOST_PLACES = 2 * MOST_DIMENSIONS;

/** Turns the dimensions of one metric of one target into samples. */
export class SeriesSamples {
  /** The place of each dimension that was seen. */
  #places: DimensionPlaces = new Map();
  /** By place: they stay the same object, so that their text is rendered once. */
  readonly #labels: Labels[] = [];
  /** What the catalogue says of each. */
  #known: PlacesTable = { faces: [], counts: [] };
  readonly #target: Target;
  readonly #metric: string;
  readonly #units: UnitOverrides;
  readonly #wants: (dimension: string) => boolean;

  /** @param wants which dimensions are to be shown; those that are not may still have been counted before */
  constructor(
    target: Target,
    metric: string,
    units: UnitOverrides,
    wants: (dimension: string) => boolean = everyDimension,
  ) {
    this.#wants = wants;
    this.#target = target;
    this.#metric = metric;
    this.#units = units;
  }

  /**
   * Gives the dimensions of an answer their places, all at once: thousands of targets then have the same places and share
   * one table.
   */
  meet(dimensions: Iterable<string>): void {
    const all = [...dimensions];
    const added = all.filter((dimension) => !this.#places.has(dimension));
    if (added.length === 0) return;
    const isTooMany = this.#places.size + added.length > MOST_PLACES;
    if (isTooMany) this.#labels.length = 0;
    this.#places = placesOf(isTooMany ? all : [...this.#places.keys(), ...added]);
    this.#known = tableOf(this.#places, {
      metric: this.#metric,
      scope: this.#target.by,
      units: this.#units,
      wants: this.#wants,
    });
  }

  /** The gauges of one bucket: a dimension without a point at its start is absent, not zero. */
  gauges(series: ReadonlyMap<string, Points>, bucketStart: number, width: number): Sample[] {
    const samples: Sample[] = [];
    this.meet(series.keys());
    for (const [dimension, points] of series) {
      const value = valueAt(points, bucketStart);
      if (value === undefined) continue;
      const { gauge } = this.facesOf(dimension);
      const labels = this.#labelsOf(dimension);
      samples.push({ family: gauge.family, labels, value: gaugeValue(value, gauge, width) });
    }
    return samples;
  }

  /** Whether a dimension has a counter. */
  counts(dimension: string): boolean {
    const known = this.#known.counts[this.#places.get(dimension) ?? -1];
    return known ?? (this.#wants(dimension) && this.facesOf(dimension).counter !== undefined);
  }

  counters(counters: CountersByDimension): Sample[] {
    const samples: Sample[] = [];
    this.meet(counters.keys());
    for (const [dimension, { total }] of counters) {
      const { counter } = this.facesOf(dimension);
      if (counter === undefined || !this.counts(dimension)) continue;
      const labels = this.#labelsOf(dimension);
      samples.push({ family: counter.family, labels, value: counterValue(total, counter) });
    }
    return samples;
  }

  /** Sums of counters at times of their own (ms since the epoch). @param since when the counters were at zero */
  totals(
    moments: readonly { readonly dimension: string; readonly at: number; readonly total: number }[],
    since: number,
  ): TimedSample[] {
    this.meet(new Set(moments.map(({ dimension }) => dimension)));
    return moments.flatMap(({ dimension, total, at }) => {
      const { counter } = this.facesOf(dimension);
      if (counter === undefined || !this.counts(dimension)) return [];
      const labels = this.#labelsOf(dimension);
      return [{ family: counter.family, labels, value: counterValue(total, counter), at, since }];
    });
  }

  /** The gauges of a dimension's buckets that start after `from` and have ended by `until`, each at its bucket's end. */
  gaugesOf(
    dimension: string,
    { timestamps, values }: Points,
    { from, until, width }: { readonly from: number; readonly until: number; readonly width: number },
  ): TimedSample[] {
    const { gauge } = this.facesOf(dimension);
    const labels = this.#labelsOf(dimension);
    const samples: TimedSample[] = [];
    for (let index = firstAtOrAfter(timestamps, from + 1); index < timestamps.length; index++) {
      const end = (timestamps[index] ?? Number.NaN) + width;
      if (!(end <= until)) break;
      const value = gaugeValue(values[index] ?? Number.NaN, gauge, width);
      samples.push({ family: gauge.family, labels, value, at: end });
    }
    return samples;
  }

  /** Dimensions among these that the catalogue does not know. */
  unknown(dimensions: Iterable<string>): string[] {
    return [...dimensions].filter((dimension) => !this.facesOf(dimension).known);
  }

  /** A moment (ms since the epoch) that the data of the metric has. */
  moment(name: keyof typeof DATA_MOMENTS.product, at: number): Sample {
    this.#momentLabels ??= labelsIn(this.#target, { metric: this.#metric });
    return { family: DATA_MOMENTS[this.#target.by][name], labels: this.#momentLabels, value: at / 1_000 };
  }

  #momentLabels: Labels | undefined;

  /** The labels of a lower bound, to which several dimensions may be summed up, such as all responses of a class. */
  earlyLabels(early: EarlyFaces): Labels {
    const labels = this.#earlyLabels.get(early) ?? labelsIn(this.#target, early.labels);
    this.#earlyLabels.set(early, labels);
    return labels;
  }

  readonly #earlyLabels = new Map<EarlyFaces, Labels>();

  /** What the catalogue says of a dimension. */
  facesOf(dimension: string): Faces {
    const known = this.#known.faces[this.#places.get(dimension) ?? -1];
    return known ?? facesOf(this.#metric, dimension, { scope: this.#target.by, units: this.#units });
  }

  #labelsOf(dimension: string): Labels {
    if (!this.#places.has(dimension)) this.meet([dimension]);
    const place = this.#places.get(dimension) ?? 0;
    this.#labels[place] ??= labelsIn(this.#target, this.facesOf(dimension).labels);
    return this.#labels[place];
  }
}

/** What is known of dimensions by their place. */
interface PlacesTable {
  /** What the catalogue says. */
  readonly faces: readonly Faces[];
  /** Whether there is a counter. */
  readonly counts: readonly boolean[];
}

/** Which samples are made of dimensions: the same for all targets of a metric. */
interface SampleKind extends Required<FaceContext> {
  readonly units: UnitOverrides;
  readonly metric: string;
  readonly wants: (dimension: string) => boolean;
}

/**
 * The tables, which all targets of a metric in an account share. They go with what the account wants and its units: both are
 * made anew when it starts, while places stay.
 */
const tables = new WeakMap<SampleKind['wants'], WeakMap<SampleKind['units'], Map<string, TablesByPlaces>>>();
type TablesByPlaces = WeakMap<DimensionPlaces, PlacesTable>;

function tableOf(places: DimensionPlaces, { metric, scope, units, wants }: SampleKind): PlacesTable {
  const byUnits = tables.get(wants) ?? new WeakMap<SampleKind['units'], Map<string, TablesByPlaces>>();
  const byMetric = byUnits.get(units) ?? new Map<string, TablesByPlaces>();
  const key = `${scope} ${metric}`;
  const byPlaces: TablesByPlaces = byMetric.get(key) ?? new WeakMap();
  const known = byPlaces.get(places);
  if (known !== undefined) return known;
  const dimensions = [...places.keys()];
  const faces = dimensions.map((dimension) => facesOf(metric, dimension, { scope, units }));
  const counts = dimensions.map((name, place) => wants(name) && faces[place]?.counter !== undefined);
  const table = { faces, counts };
  tables.set(wants, byUnits.set(units, byMetric.set(key, byPlaces.set(places, table))));
  return table;
}

/** The start of the newest bucket that closed at or before `until` in any series, or undefined when there is none. */
export function newestBucket(
  series: ReadonlyMap<string, Points>,
  width: number,
  until: number,
): number | undefined {
  let newest: number | undefined;
  for (const { timestamps } of series.values()) {
    const index = firstAtOrAfter(timestamps, until - width + 1) - 1;
    const candidate = timestamps[index];
    if (candidate !== undefined && (newest === undefined || candidate > newest)) newest = candidate;
  }
  return newest;
}

/** The value of the bucket that starts at a time; undefined where there is none. */
export function valueAt(points: Points, time: number): number | undefined {
  const index = firstAtOrAfter(points.timestamps, time);
  return points.timestamps[index] === time ? points.values[index] : undefined;
}

/** A bucket's value as its gauge shows it. @param width of the bucket, in ms */
export function gaugeValue(value: number, { scale, perMinute }: Faces['gauge'], width: number): number {
  return decimal(perMinute ? (value * scale * MINUTE_MS) / width : value * scale);
}

/** A sum of buckets as its counter shows it. */
export function counterValue(total: number, { scale }: NonNullable<Faces['counter']>): number {
  return decimal(total * scale);
}
