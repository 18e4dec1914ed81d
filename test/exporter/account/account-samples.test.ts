import { describe, expect, it } from 'vitest';
import { AccountSamples } from '../../../src/exporter/account/account-samples.ts';
import type { Sample } from '../../../src/exporter/catalogue/family.ts';
import { EDGE_RATELIMIT_RESET_TIMESTAMP } from '../../../src/exporter/catalogue/platform-families.ts';
import { ObservedPlatform } from '../../../src/exporter/poll/observed-platform.ts';
import { type JobState, ScheduledJob } from '../../../src/exporter/poll/schedule.ts';
import { PollIntervals } from '../../../src/exporter/rate-limit/poll-intervals.ts';
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

const HOUR = 3_600_000;
const PLATFORM_TIME = Date.UTC(2018, 5, 7, 1, 22, 0);
const RESET_AT = PLATFORM_TIME + 42_811;

/** What is shown of an account that has one platform. */
function viewOf(platform: ObservedPlatform) {
  return {
    name: 'a',
    platform,
    intervals: new PollIntervals(platform.scopes),
    id: () => undefined,
    tokenExpiresAt: () => undefined,
    jobs: () => [],
    listings: () => [],
    sources: () => [],
  };
}

/** The ends of the rate-limit window that are exposed after each of three answers, of which each names the same. */
function exposedResets(resetAt: number): readonly number[] {
  const clock = new SimulatedClock(PLATFORM_TIME + 5_300);
  const platform = new ObservedPlatform({ clock, basePath: '', reserve: () => 0.2, assumedLimit: 60 });
  const resets: number[] = [];
  const store = {
    publish: (_owner: string, published: readonly Sample[]) => {
      const reset = published.find(({ family }) => family === EDGE_RATELIMIT_RESET_TIMESTAMP);
      resets.push(Number(reset?.value) * 1_000);
    },
    withdrawPart: () => undefined,
  };
  const samples = new AccountSamples(viewOf(platform), {
    clock,
    store,
    staleAfter: 60_000,
    status: () => madeUpAccount(),
    delays: { publish_delay: 'auto', settle_delay: 'auto' },
  });
  for (const [after, remaining] of [
    [200, 79],
    [730, 78],
    [1_610, 77],
  ] as const) {
    const now = PLATFORM_TIME + 5_300 + after;
    clock.suspend(now - clock.now());
    platform.observe({
      method: 'GET',
      path: '/metrics/x',
      version: 2,
      status: 200,
      outcome: 'ok',
      startedAt: now - 80,
      endedAt: now,
      bytes: 0,
      serverDate: Math.floor((now - 5_300) / 1_000) * 1_000,
      rate: { limit: 80, remaining, resetAt },
    });
    samples.exposeVitals();
  }
  return resets;
}

describe('the end of the rate-limit window', () => {
  it('is exposed as the platform names it, whenever its answers come', () => {
    expect(exposedResets(RESET_AT)).toEqual([RESET_AT, RESET_AT, RESET_AT]);
  });

  it.each([-3 * HOUR, 3 * HOUR])(
    'is exposed as it is taken to be where the platform names one that is %i ms off',
    (off) => {
      for (const reset of exposedResets(RESET_AT + off)) {
        expect(reset).toBeGreaterThan(PLATFORM_TIME);
        expect(reset).toBeLessThan(PLATFORM_TIME + 65_000);
      }
    },
  );
});

/** When an account with these jobs is judged, as its judgements are exposed. */
function judgedAccount(jobs: readonly JobStatus[], states: readonly JobState[] = []) {
  const clock = new SimulatedClock();
  const judgedAt: number[] = [];
  const store = {
    publish: (owner: string) => void (owner.endsWith('/judgement') && judgedAt.push(clock.now())),
    withdrawPart: () => undefined,
  };
  const platform = new ObservedPlatform({ clock, basePath: '', reserve: () => 0.2, assumedLimit: 60 });
  const samples = new AccountSamples(
    { ...viewOf(platform), jobs: () => states },
    {
      clock,
      store,
      staleAfter: 60_000,
      status: () => madeUpAccount({ jobs }),
      delays: { publish_delay: 'auto', settle_delay: 'auto' },
    },
  );
  return { clock, samples, judgedAt };
}

it('a poll that ends while the account is judged is judged soon, too', async () => {
  const { clock, samples, judgedAt } = judgedAccount(Array.from({ length: 5 }, () => madeUpJob()));
  const start = clock.now();
  const judging = samples.exposeJudgement();
  judging.next();
  samples.polled({ outcome: 'ok', before: undefined, result: undefined });
  while (judging.next().done !== true);
  await clock.advance(5_000);
  expect(judgedAt).toHaveLength(2);
  expect(Number(judgedAt[1]) - start).toBeLessThanOrEqual(1_000);
});

it('judges once at a time, however many ask, and no more once it is withdrawn', async () => {
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
  const samples = new AccountSamples(
    viewOf(new ObservedPlatform({ clock, basePath: '', reserve: () => 0.2, assumedLimit: 60 })),
    {
      clock,
      store: { publish: () => undefined, withdrawPart: () => undefined },
      staleAfter: 60_000,
      status: () => madeUpAccount({ jobs }),
      delays: { publish_delay: 'auto', settle_delay: 'auto' },
    },
  );
  const first = samples.exposeJudgement();
  first.next();
  for (let other = 0; other < 3; other += 1) {
    await clock.advance(5_000);
    samples.polled({ outcome: 'ok', before: undefined, result: undefined });
  }
  expect([most, steps]).toEqual([1, 1]);
  samples.withdraw();
  while (first.next().done !== true);
  expect(steps).toBe(1);
});

it.each([
  [10_000, false],
  [10_001, true],
])('what was said of %i jobs is said again whenever somebody asks: %s', (count, isKept) => {
  const state = new ScheduledJob(jobOf('a'), 0);
  const { samples } = judgedAccount([madeUpJob()], Array(count).fill(state));
  expect(samples.judged()).toBeUndefined();
  allStepsOf(samples.exposeJudgement());
  expect(samples.judged()?.state).toBe(isKept ? 'well' : undefined);
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
  const { clock, samples, judgedAt } = judgedAccount(jobs);
  allStepsOf(samples.exposeJudgement());
  await clock.advance(5_000);
  const already = judgedAt.length;
  const buckets = { dimensions: 1, rows: 1, width: 60_000, newestExposed };
  samples.polled({ outcome, before, result: { outcome: 'ok', buckets, exposures: () => [] } });
  await clock.advance(2_000);
  expect(judgedAt).toHaveLength(already + judgements);
});
