import type { Sample } from '../catalogue/family.ts';
import { COUNTERS_CATCHING_UP } from '../catalogue/platform-families.ts';
import type { Series } from '../series/metric-series.ts';
import { labelsIn, targetName } from '../targets/target.ts';

/** Counters that are further behind than usual by this much (ms) will jump when they catch up. */
const BEHIND_MS = 5 * 60_000;

/** They count as catching up for this time (ms) after they were last behind, so that a scrape shows it with the jump. */
const SAID_MS = 5 * 60_000;

/** Latest time (platform ms) at which counters were behind, by the id of their series. */
export type BehindAt = ReadonlyMap<string, number>;

/** Which counters catch up now, and a sample for each configuration that has counters. */
export interface CatchingUp {
  readonly behind: BehindAt;
  readonly samples: readonly Sample[];
}

/** A job with the series that it counts. */
export interface CountingJob {
  readonly series: Iterable<Pick<Series, 'id' | 'target' | 'counted'>>;
}

/**
 * Returns which counters catch up: meanwhile `rate()` is too high, since many minutes are counted within few. In steps, a job each.
 * @param intervalOf returns how often (ms) a job is polled when all is well
 */
export function* catchingUp<Work extends CountingJob>(
  jobs: Iterable<Work>,
  before: BehindAt,
  now: number,
  intervalOf: (job: Work) => number,
): Generator<undefined, CatchingUp> {
  const behind = new Map<string, number>();
  const samples = new Map<string, Sample>();
  for (const job of jobs) {
    yield;
    const interval = intervalOf(job);
    for (const series of job.series) {
      const counted = series.counted(interval, now);
      if (counted === undefined) continue;
      const isBehind = now - counted.until > counted.expectedAge + BEHIND_MS;
      const last = isBehind ? now : before.get(series.id);
      const catches = last !== undefined && now - last <= SAID_MS;
      if (catches) behind.set(series.id, last);
      const { target } = series;
      const key = `${target.product.slug}/${targetName(target)}`;
      const value = Math.max(catches ? 1 : 0, samples.get(key)?.value ?? 0);
      samples.set(key, { family: COUNTERS_CATCHING_UP[target.by], labels: labelsIn(target, {}), value });
    }
  }
  return { behind, samples: [...samples.values()] };
}
