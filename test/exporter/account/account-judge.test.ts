import { expect, it } from 'vitest';
import { AccountJudge } from '../../../src/exporter/account/account-judge.ts';
import { ObservedPlatform } from '../../../src/exporter/poll/observed-platform.ts';
import { type JobState, ScheduledJob } from '../../../src/exporter/poll/schedule.ts';
import type { JobStatus } from '../../../src/exporter/status.ts';
import { allStepsOf } from '../../in-steps.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { madeUpAccount, madeUpJob } from '../page/made-up-status.ts';
import { jobOf } from '../poll/polling.ts';

/** Of no product, and without data of its own. */
const RECONCILIATION = madeUpJob({
  collector: 'reconciliation',
  product: undefined,
  metric: undefined,
  data_age_seconds: null,
  last_bucket_at: null,
});

/** The newest bucket that a poll has exposed. */
const NEWER = Date.UTC(2018, 5, 7, 1, 20);

/** Of a product that has brought no bucket yet. */
const NO_DATA = madeUpJob({ product: 'dns', data_age_seconds: null, last_bucket_at: null });

/** When an account with these jobs is judged, as its judgements are exposed. */
function judgedAccount(jobs: readonly JobStatus[], states: readonly JobState[] = []) {
  const clock = new SimulatedClock();
  const judgedAt: number[] = [];
  const platform = new ObservedPlatform({ clock, basePath: '', reserve: () => 0.2, assumedLimit: 60 });
  const judge = new AccountJudge(
    { name: 'a', platform, jobs: () => states },
    { clock, status: () => madeUpAccount({ jobs }), expose: () => judgedAt.push(clock.now()) },
  );
  return { clock, judge, judgedAt };
}

it('a poll that ends while the account is judged is judged soon, too', async () => {
  const { clock, judge, judgedAt } = judgedAccount(Array.from({ length: 5 }, () => madeUpJob()));
  const start = clock.now();
  const judging = judge.judge();
  judging.next();
  judge.polled({ outcome: 'ok', before: undefined, result: undefined });
  while (judging.next().done !== true);
  await clock.advance(5_000);
  expect(judgedAt).toHaveLength(2);
  expect(Number(judgedAt[1]) - start).toBeLessThanOrEqual(1_000);
});

it('judges once at a time, however many ask, and no more once it is stopped', async () => {
  const clock = new SimulatedClock();
  let judging = 0;
  let steps = 0;
  let most = 0;
  function* looked() {
    judging += 1;
    most = Math.max(most, judging);
    for (let step = 0; step < 5; step += 1) {
      steps += 1;
      yield madeUpJob();
    }
    judging -= 1;
  }
  const jobs = { length: 5, slice: () => [], [Symbol.iterator]: looked };
  const platform = new ObservedPlatform({ clock, basePath: '', reserve: () => 0.2, assumedLimit: 60 });
  const judge = new AccountJudge(
    { name: 'a', platform, jobs: () => [] },
    { clock, status: () => madeUpAccount({ jobs }), expose: () => undefined },
  );
  const first = judge.judge();
  first.next();
  for (let other = 0; other < 3; other += 1) {
    await clock.advance(5_000);
    judge.polled({ outcome: 'ok', before: undefined, result: undefined });
  }
  expect([most, steps]).toEqual([1, 1]);
  judge.stop();
  while (first.next().done !== true);
  expect(steps).toBe(1);
});

it.each([
  [10_000, false],
  [10_001, true],
])('what was said of %i jobs is said again whenever somebody asks: %s', (count, isKept) => {
  const state = new ScheduledJob(jobOf('a'), 0);
  const { judge } = judgedAccount([madeUpJob()], Array(count).fill(state));
  expect(judge.judged()).toBeUndefined();
  allStepsOf(judge.judge());
  expect(judge.judged()?.state).toBe(isKept ? 'well' : undefined);
});

it.each([
  ['is not judged while all is well', [madeUpJob(), RECONCILIATION], 'ok', 'ok', NEWER, 0],
  ['is judged where it ends otherwise', [madeUpJob()], 'forbidden', 'ok', NEWER, 1],
  [
    'is judged while something fails',
    [madeUpJob(), madeUpJob({ last_outcome: 'timeout' })],
    'ok',
    'ok',
    NEWER,
    1,
  ],
  ['is judged while a product has no data', [madeUpJob(), NO_DATA], 'ok', 'ok', NEWER, 1],
  ['is judged where it shows nothing newer', [madeUpJob()], 'ok', 'ok', undefined, 1],
] as const)('a poll %s', async (_, jobs, outcome, before, newestExposed, judgements) => {
  const { clock, judge, judgedAt } = judgedAccount(jobs);
  allStepsOf(judge.judge());
  await clock.advance(5_000);
  const already = judgedAt.length;
  const buckets = { dimensions: 1, rows: 1, width: 60_000, newestExposed };
  judge.polled({ outcome, before, result: { outcome: 'ok', buckets, exposures: () => [] } });
  await clock.advance(2_000);
  expect(judgedAt).toHaveLength(already + judgements);
});
