import { type EarlyFaces, type FaceContext, type Faces, facesOf } from '../catalogue/catalogue.ts';
import type { Labels, Sample, TimedSample } from '../catalogue/family.ts';
import { DATA_MOMENTS } from '../catalogue/platform-families.ts';
import type { UnitOverrides } from '../catalogue/units.ts';
import { MOST_DIMENSIONS } from '../decode/decode.ts';
import type { Points } from '../decode/points.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { labelsIn, type Target } from '../targets/target.ts';
import { decimal } from './decimals.ts';
import type { Ledger } from './ledger.ts';
import { everyDimension } from './series-source.ts';
import { firstAtOrAfter, valueAt } from './spans.ts';

/** Beyond this many labels most must be out of use: they are made anew. */
const MOST_LABELS = 2 * MOST_DIMENSIONS;

/** Turns the dimensions of one metric of one target into samples. */
export class SeriesSamples {
  readonly #target: Target;
  readonly #metric: string;
  readonly #context: FaceContext;
  readonly #wants: (dimension: string) => boolean;
  /** By dimension, and by lower bound. The objects stay the same, so that their text is rendered once. */
  readonly #labels = new Map<string | EarlyFaces, Labels>();

  /** @param wants which dimensions are shown; others may have been counted before */
  constructor(
    target: Target,
    metric: string,
    units: UnitOverrides,
    wants: (dimension: string) => boolean = everyDimension,
  ) {
    this.#target = target;
    this.#metric = metric;
    this.#context = { scope: target.by, units };
    this.#wants = wants;
  }

  /** Gauges of the bucket that ended at a time: a dimension without it is absent, not zero. */
  gauges(usable: ReadonlyMap<string, Points>, end: number, { dimensions }: Ledger): Sample[] {
    const samples: Sample[] = [];
    for (const [dimension, points] of usable) {
      const width = dimensions.get(dimension)?.width ?? MINUTE_MS;
      const start = newestBucket([points], width, end);
      if (start === undefined || start + width <= end - width) continue;
      const value = valueAt(points, start) ?? Number.NaN;
      const { gauge } = this.facesOf(dimension);
      samples.push({
        family: gauge.family,
        labels: this.#labelsOf(dimension),
        value: gaugeValue(value, gauge, width),
      });
    }
    return samples;
  }

  /** True if a dimension has a counter. */
  counts(dimension: string): boolean {
    return this.#wants(dimension) && this.facesOf(dimension).counter !== undefined;
  }

  counters({ dimensions }: Ledger): Sample[] {
    const samples: Sample[] = [];
    for (const [dimension, { counter: counted }] of dimensions) {
      const { counter } = this.facesOf(dimension);
      if (counted === undefined || counter === undefined || !this.counts(dimension)) continue;
      const value = counterValue(counted.total, counter);
      samples.push({ family: counter.family, labels: this.#labelsOf(dimension), value });
    }
    return samples;
  }

  /** Sums of counters at times of their own (ms since the epoch). @param since when the counters were at zero */
  totals(
    moments: readonly { readonly dimension: string; readonly at: number; readonly total: number }[],
    since: number,
  ): TimedSample[] {
    return moments.flatMap(({ dimension, total, at }) => {
      const { counter } = this.facesOf(dimension);
      if (counter === undefined || !this.counts(dimension)) return [];
      const value = counterValue(total, counter);
      return [{ family: counter.family, labels: this.#labelsOf(dimension), value, at, since }];
    });
  }

  /** Gauges of a dimension's buckets that start after `from` and have ended by `until`, each at its bucket's end. */
  gaugesOf(
    dimension: string,
    { timestamps, values }: Points,
    { from, until, width }: { readonly from: number; readonly until: number; readonly width: number },
  ): TimedSample[] {
    const { gauge } = this.facesOf(dimension);
    const samples: TimedSample[] = [];
    for (let index = firstAtOrAfter(timestamps, from + 1); index < timestamps.length; index++) {
      const end = (timestamps[index] ?? Number.NaN) + width;
      if (!(end <= until)) break;
      const value = gaugeValue(values[index] ?? Number.NaN, gauge, width);
      samples.push({ family: gauge.family, labels: this.#labelsOf(dimension), value, at: end });
    }
    return samples;
  }

  /** Dimensions among these that the catalogue does not know. */
  unknown(dimensions: Iterable<string>): string[] {
    return [...dimensions].filter((dimension) => !this.facesOf(dimension).known);
  }

  /** A time (ms since the epoch) that the data of the metric has. */
  moment(name: keyof typeof DATA_MOMENTS.product, at: number): Sample {
    this.#momentLabels ??= labelsIn(this.#target, { metric: this.#metric });
    return { family: DATA_MOMENTS[this.#target.by][name], labels: this.#momentLabels, value: at / 1_000 };
  }

  #momentLabels: Labels | undefined;

  /** Labels of a lower bound, to which several dimensions may be summed up, such as all responses of a class. */
  earlyLabels(early: EarlyFaces): Labels {
    return this.#labelsFor(early, early.labels);
  }

  /** Returns the catalogue's families of a dimension. */
  facesOf(dimension: string): Faces {
    return facesOf(this.#metric, dimension, this.#context);
  }

  #labelsOf(dimension: string): Labels {
    return this.#labelsFor(dimension, this.facesOf(dimension).labels);
  }

  #labelsFor(key: string | EarlyFaces, own: Labels): Labels {
    let labels = this.#labels.get(key);
    if (labels === undefined) {
      if (this.#labels.size >= MOST_LABELS) this.#labels.clear();
      labels = labelsIn(this.#target, own);
      this.#labels.set(key, labels);
    }
    return labels;
  }
}

/** Start of the newest bucket that closed at or before `until` in any series; undefined if there is none. */
export function newestBucket(series: Iterable<Points>, width: number, until: number): number | undefined {
  let newest: number | undefined;
  for (const { timestamps } of series) {
    const index = firstAtOrAfter(timestamps, until - width + 1) - 1;
    const candidate = timestamps[index];
    if (candidate !== undefined && (newest === undefined || candidate > newest)) newest = candidate;
  }
  return newest;
}

/** A bucket's value as its gauge shows it. @param width of the bucket, in ms */
export function gaugeValue(value: number, { scale, perMinute }: Faces['gauge'], width: number): number {
  return decimal(perMinute ? (value * scale * MINUTE_MS) / width : value * scale);
}

/** A sum of buckets as its counter shows it. */
export function counterValue(total: number, { scale }: NonNullable<Faces['counter']>): number {
  return decimal(total * scale);
}
