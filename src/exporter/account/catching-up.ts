import type { Sample } from '../catalogue/family.ts';
import { COUNTERS_CATCHING_UP } from '../catalogue/platform-families.ts';
import type { SeriesJob } from '../series/series-job.ts';
import { labelsIn, targetName } from '../targets/target.ts';

/** Counters that are further behind (ms) than this, beyond what is usual, jump when they catch up. */
const BEHIND_MS = 5 * 60_000;

/** How long (ms) after they were last behind they are said to catch up, so that a scrape sees it together with the jump. */
const SAID_MS = 5 * 60_000;

/** By the id of a job whose counters are behind, or were a moment ago: when that was so last (platform ms). */
export type BehindAt = ReadonlyMap<string, number>;

/** Which counters catch up now, and a sample for each configuration that has counters. */
export interface CatchingUp {
  readonly behind: BehindAt;
  readonly samples: readonly Sample[];
}

type CountingJob = Pick<SeriesJob, 'id' | 'target' | 'counted'>;

/**
 * Which counters catch up: `rate()` over the moment when they do shows what many minutes brought as if it were of few.
 * In steps, a job each.
 * @param intervalOf how often (ms) a job is polled when all is well
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
    const counted = job.counted(intervalOf(job));
    if (counted === undefined) continue;
    const isBehind = now - counted.until > counted.expectedAge + BEHIND_MS;
    const last = isBehind ? now : before.get(job.id);
    const catches = last !== undefined && now - last <= SAID_MS;
    if (catches) behind.set(job.id, last);
    const { target } = job;
    const key = `${target.product.slug}/${targetName(target)}`;
    const value = Math.max(catches ? 1 : 0, samples.get(key)?.value ?? 0);
    samples.set(key, { family: COUNTERS_CATCHING_UP[target.by], labels: labelsIn(target, {}), value });
  }
  return { behind, samples: [...samples.values()] };
}
