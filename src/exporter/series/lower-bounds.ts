import type { EarlyFaces, Faces } from '../catalogue/catalogue.ts';
import type { Sample } from '../catalogue/family.ts';
import type { Points } from '../decode/points.ts';
import type { Exposure } from '../poll/job.ts';
import { completeAt } from '../settling/completeness.ts';
import { learn, type MetricEvidence, type MetricMemory, onlyGrow } from '../settling/learned.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { gaugeValue, newestBucket, type SeriesSamples } from './samples.ts';
import { valueAt } from './spans.ts';

/** Completeness below which no estimate is exposed, since it would be too inaccurate. */
const LEAST_COMPLETE = 0.2;

/** Answer whose newest bucket may be exposed early, with the knowledge before it. */
export interface EarlyAnswer {
  readonly usable: ReadonlyMap<string, Points>;
  /** Platform's time of the answer (ms). */
  readonly now: number;
  /** Bucket width (ms). */
  readonly width: number;
  /** End of the platform's data (platform ms). */
  readonly reached: number;
  /** Age (ms) from which buckets are complete. */
  readonly publishDelay: number;
  readonly metric: MetricMemory;
  /** Evidence of the answer about the metric. */
  readonly evidence: MetricEvidence;
  /** End of the exposed bucket; undefined while none is exposed. */
  readonly boundUntil: number | undefined;
}

/** Exposure of the newest bucket, and its end; no exposure if nothing changes. */
export interface EarlyExposure {
  readonly exposures: readonly Exposure[];
  readonly boundUntil: number | undefined;
}

/**
 * Returns the exposure of the newest bucket before it is complete. It is a lower bound if buckets only grow, and an estimate from
 * the usual completeness at its age.
 */
export function earlyExposure(
  shown: SeriesSamples,
  { usable, now, width, reached, publishDelay, metric, evidence, boundUntil }: EarlyAnswer,
): EarlyExposure {
  const dimensions = [...usable].filter(([name]) => shown.facesOf(name).early !== undefined);
  if (dimensions.length === 0) return { exposures: [], boundUntil };
  // The evidence of this answer counts, so that a lower bound is withdrawn as soon as the platform lowers a bucket.
  const learned = learn(metric, evidence);
  if (!onlyGrow(learned, now)) {
    const withdrawn = { part: 'early', samples: [] };
    return { exposures: boundUntil === undefined ? [] : [withdrawn], boundUntil: undefined };
  }
  const bucket = Math.max(
    newestWithData(usable, now - width),
    newestBucket(usable.values(), width, reached - publishDelay) ?? Number.NEGATIVE_INFINITY,
  );
  // An exposed bucket in the future predates a step back of the platform's clock.
  const before = boundUntil ?? Number.NEGATIVE_INFINITY;
  const until = bucket + width;
  if (bucket === Number.NEGATIVE_INFINITY || (until < before && before <= now))
    return { exposures: [], boundUntil };
  const age = Math.floor((reached - bucket - width) / MINUTE_MS);
  const complete = completeAt(learned.completeness, age) ?? 0;
  const samples = [...boundsOf(shown, dimensions, bucket, { width, complete })];
  samples.push(shown.moment('seenUntil', until));
  return { exposures: [{ part: 'early', samples, dataUntil: until }], boundUntil: until };
}

/** Yields the lower bounds of one bucket, and estimates if its completeness is known. */
function* boundsOf(
  shown: SeriesSamples,
  dimensions: readonly (readonly [string, Points])[],
  bucket: number,
  { width, complete }: { readonly width: number; readonly complete: number },
): Generator<Sample> {
  const sums = new Map<EarlyFaces, { sum: number; readonly gauge: Faces['gauge'] }>();
  for (const [name, points] of dimensions) {
    const { early, gauge } = shown.facesOf(name);
    const value = valueAt(points, bucket);
    if (early === undefined || value === undefined) continue;
    const bound = sums.get(early) ?? { sum: 0, gauge };
    bound.sum += value;
    sums.set(early, bound);
  }
  for (const [early, { sum, gauge }] of sums) {
    const labels = shown.earlyLabels(early);
    yield { family: early.atLeast, labels, value: gaugeValue(sum, gauge, width) };
    if (complete < LEAST_COMPLETE) continue;
    yield { family: early.expected, labels, value: gaugeValue(Math.round(sum / complete), gauge, width) };
  }
}

/** Returns the start of the newest bucket with a positive value in any series that began by `until`; -Infinity for none. */
function newestWithData(series: ReadonlyMap<string, Points>, until: number): number {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { timestamps, values } of series.values()) {
    for (let index = timestamps.length - 1; index >= 0; index -= 1) {
      const start = Number(timestamps[index]);
      if (start <= newest) break;
      if (start <= until && Number(values[index]) > 0) newest = start;
    }
  }
  return newest;
}
