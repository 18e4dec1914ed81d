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

/** Number of label sets at which the cache is cleared, since most of them must be unused. */
const MOST_LABELS = 2 * MOST_DIMENSIONS;

/** Creates the samples of one metric of one target. */
export class SeriesSamples {
  readonly #target: Target;
  readonly #metric: string;
  readonly #context: FaceContext;
  readonly #wants: (dimension: string) => boolean;
  /** Labels by dimension, and by lower bound. The objects are reused, so that their text is rendered once. */
  readonly #labels = new Map<string | EarlyFaces, Labels>();

  /** @param wants returns true for dimensions to expose; others may have been counted before */
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

  /** Returns gauges of the bucket that ended at a time. A dimension without that bucket is absent, not zero. */
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

  /** Returns true if a dimension has a counter. */
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

  /** Returns samples of counters, each with its time (ms since the epoch). @param since time at which the counters were zero */
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

  /** Returns gauges of a dimension's buckets that start after `from` and end by `until`, each at the end of its bucket. */
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

  /** Returns the dimensions that the catalogue does not know. */
  unknown(dimensions: Iterable<string>): string[] {
    return [...dimensions].filter((dimension) => !this.facesOf(dimension).known);
  }

  /** Returns the sample of a time (ms since the epoch) in the metric's data, such as the end of its newest bucket. */
  moment(name: keyof typeof DATA_MOMENTS.product, at: number): Sample {
    this.#momentLabels ??= labelsIn(this.#target, { metric: this.#metric });
    return { family: DATA_MOMENTS[this.#target.by][name], labels: this.#momentLabels, value: at / 1_000 };
  }

  #momentLabels: Labels | undefined;

  /** Returns the labels of a lower bound, which may sum several dimensions, such as all responses of a class. */
  earlyLabels(early: EarlyFaces): Labels {
    return this.#labelsFor(early, early.labels);
  }

  /** Returns the catalogue's families for a dimension. */
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

/** Returns the start of the newest bucket that closed by `until` in any series; undefined if there is none. */
export function newestBucket(series: Iterable<Points>, width: number, until: number): number | undefined {
  let newest: number | undefined;
  for (const { timestamps } of series) {
    const index = firstAtOrAfter(timestamps, until - width + 1) - 1;
    const candidate = timestamps[index];
    if (candidate !== undefined && (newest === undefined || candidate > newest)) newest = candidate;
  }
  return newest;
}

/** Returns the gauge value of a bucket. @param width bucket width (ms) */
export function gaugeValue(value: number, { scale, perMinute }: Faces['gauge'], width: number): number {
  return decimal(perMinute ? (value * scale * MINUTE_MS) / width : value * scale);
}

/** Returns the counter value of a sum of buckets. */
export function counterValue(total: number, { scale }: NonNullable<Faces['counter']>): number {
  return decimal(total * scale);
}
