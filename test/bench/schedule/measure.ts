import { PROMISES_ONLY, SimulatedClock } from '../../simulated-clock.ts';
import { Ages } from './ages.ts';
import { availableIn, bestPossible } from './best-possible.ts';
import { alone, burstyUser, CountedPlatform, seeded, unsteadyUser, WINDOW_MS } from './counted-platform.ts';
import { ourDesign } from './our-design.ts';

const START = Date.UTC(2026, 0, 5) + 17_300;
const HOUR_MS = 3_600_000;
const RESERVE = 0.2;
const WARM_UP_ROUNDS = 3;

export interface Case {
  readonly jobs: number;
  /** Operations per window. */
  readonly limit: number;
  readonly company: 'alone' | 'shared' | 'bursty';
  readonly hours: number;
  readonly seed: number;
}

/**
 * Returns a generator of the latency (ms) of one way: 25 ms, plus an exponential part of 15 ms. The mean
 * round trip is 80 ms.
 */
function latencyOf(random: () => number): () => number {
  return () => 25 - 15 * Math.log(1 - random());
}

/**
 * Runs the schedule for simulated hours. Returns its 429 responses, its use of the quota, and the ages of its
 * data beside the lowest possible ones.
 */
export async function measure({ jobs, limit, company, hours, seed }: Case) {
  const random = seeded(seed + jobs * 7 + limit);
  const quota = limit - Math.ceil(limit * RESERVE);
  const from = START + Math.ceil((WARM_UP_ROUNDS * jobs) / quota + 10) * WINDOW_MS;
  const until = from + hours * HOUR_MS;
  const clock = new SimulatedClock(START, PROMISES_ONLY);
  const otherRandom = seeded(seed + limit + jobs);
  const otherUser = {
    alone,
    shared: unsteadyUser(limit, otherRandom, START),
    bursty: burstyUser(limit, otherRandom, START),
  }[company];
  const platform = new CountedPlatform(limit, otherUser, START);
  const ages = new Ages(jobs, from, START);
  await ourDesign({ clock, platform, latency: latencyOf(random), ages, jobs, reserve: RESERVE, until });
  platform.letOthersCome(until);
  const windows = platform.windows;
  const best = bestPossible({ jobs, windows, limit, reserve: RESERVE, start: START, from, until });
  const { mean, worst, worstByJob } = ages.figures(until);
  const inSpan = windows.filter(({ openedAt }) => openedAt >= from && openedAt + WINDOW_MS <= until);
  const wanted = inSpan.map((window) => Math.min(jobs, availableIn(window, limit, RESERVE)));
  const used = inSpan.reduce(
    (sum, window) => sum + Math.min(window.ours, availableIn(window, limit, RESERVE)),
    0,
  );
  const span = (inSpan.at(-1)?.openedAt ?? until) + WINDOW_MS - (inSpan[0]?.openedAt ?? from);
  const available = (wanted.reduce((sum, count) => sum + count, 0) * span) / (inSpan.length * WINDOW_MS);
  const others = inSpan.reduce((sum, window) => sum + window.others + window.refusedOthers, 0);
  const refusedOthers = inSpan.reduce((sum, window) => sum + window.refusedOthers, 0);
  return {
    refusals: platform.refusals,
    used: used / available,
    mean: mean / 1_000,
    meanRatio: mean / best.mean,
    worst: worst / 1_000,
    worstRatio: worst / best.worst,
    starved: worstByJob.filter((age) => age > 2 * best.worst).length,
    refusedOthers: others === 0 ? 0 : refusedOthers / others,
  };
}
