/**
 * How fresh the data is that the quota allows, beside the best possible and a naive design. Compile with
 * `tsc -p test/bench`, then run `node .cache/bench/test/bench/schedule.js [hours [part of a line's start [seed]]]`.
 */
import { Ages } from './schedule/ages.ts';
import { availableIn, bestPossible } from './schedule/best-possible.ts';
import { alone, CountedPlatform, FRAME_MS, seeded, unsteadyUser } from './schedule/counted-platform.ts';
import type { Design } from './schedule/design.ts';
import { EventClock } from './schedule/event-clock.ts';
import { naiveDesign } from './schedule/naive-design.ts';
import { ourDesign } from './schedule/our-design.ts';

const START = Date.UTC(2026, 0, 5) + 17_300;
const HOUR_MS = 3_600_000;
const RESERVE = 0.2;
const WARM_UP_ROUNDS = 3;

const hours = Number(process.argv[2] ?? 24);
const only = process.argv[3] ?? '';
const seed = Number(process.argv[4] ?? 0);

interface Case {
  readonly design: 'ours' | 'naive';
  readonly jobs: number;
  readonly limit: number;
  readonly company: 'alone' | 'shared';
}

/** Each way 25 ms, and an exponential 15 ms on top: 80 ms for the round trip on average. */
function latencyOf(random: () => number): () => number {
  return () => 25 - 15 * Math.log(1 - random());
}

async function measure({ design, jobs, limit, company }: Case) {
  const random = seeded(seed + jobs * 7 + limit);
  const quota = limit - Math.ceil(limit * RESERVE);
  const from = START + Math.ceil((WARM_UP_ROUNDS * jobs) / quota + 10) * FRAME_MS;
  const until = from + hours * HOUR_MS;
  const clock = new EventClock(START);
  const otherUser = company === 'alone' ? alone : unsteadyUser(limit, seeded(seed + limit + jobs), START);
  const platform = new CountedPlatform(limit, otherUser, START);
  const ages = new Ages(jobs, from, START);
  const run: Design = design === 'ours' ? ourDesign : naiveDesign;
  await run({ clock, platform, latency: latencyOf(random), ages, jobs, reserve: RESERVE, until });
  platform.letOthersCome(until);
  const frames = platform.frames;
  const best = bestPossible({ jobs, frames, limit, reserve: RESERVE, start: START, from, until });
  const { mean, worst, worstByJob } = ages.figures(until);
  const inSpan = frames.filter(({ openedAt }) => openedAt >= from && openedAt + FRAME_MS <= until);
  const wanted = inSpan.map((frame) => Math.min(jobs, availableIn(frame, limit, RESERVE)));
  const used = inSpan.reduce(
    (sum, frame) => sum + Math.min(frame.ours, availableIn(frame, limit, RESERVE)),
    0,
  );
  const span = (inSpan.at(-1)?.openedAt ?? until) + FRAME_MS - (inSpan[0]?.openedAt ?? from);
  const available = (wanted.reduce((sum, count) => sum + count, 0) * span) / (inSpan.length * FRAME_MS);
  const others = inSpan.reduce((sum, frame) => sum + frame.others + frame.refusedOthers, 0);
  const refusedOthers = inSpan.reduce((sum, frame) => sum + frame.refusedOthers, 0);
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

function row(...cells: readonly (string | number)[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

row(
  'design',
  'limit',
  'token',
  'jobs',
  '429s',
  'quota used',
  'mean age, s',
  'ratio',
  'worst age, s',
  'ratio',
  'starved',
  "others' 429s",
);
row(...'---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:'.split('|'));
for (const design of ['ours', 'naive'] as const) {
  for (const limit of [80, 200]) {
    for (const company of ['alone', 'shared'] as const) {
      for (const jobs of [50, 200, 1_000, 5_000]) {
        if (!`${design} ${limit} ${company} ${jobs}`.includes(only)) continue;
        const began = performance.now();
        const found = await measure({ design, jobs, limit, company });
        row(
          design,
          limit,
          company,
          jobs,
          found.refusals,
          `${(100 * found.used).toFixed(1)} %`,
          found.mean.toFixed(1),
          found.meanRatio.toFixed(3),
          found.worst.toFixed(0),
          found.worstRatio.toFixed(3),
          found.starved,
          `${(100 * found.refusedOthers).toFixed(1)} %`,
        );
        process.stderr.write(`${((performance.now() - began) / 1_000).toFixed(1)} s\n`);
      }
    }
  }
}
