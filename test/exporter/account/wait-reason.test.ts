import { expect, it } from 'vitest';
import { turnAt } from '../../../src/exporter/account/job-status.ts';
import type { Job } from '../../../src/exporter/poll/job.ts';
import type { RateLimitWindow } from '../../../src/exporter/rate-limit/rate-limit-window.ts';
import type { RequestDecision } from '../../../src/exporter/rate-limit/request-queue.ts';
import { jobOf } from '../poll/polling.ts';
import { accountWith, NOON } from './waiting-bed.ts';

function after(seconds: number): string {
  return new Date(NOON + (20 + seconds) * 1_000).toISOString();
}

it('waits for a connection while all are in use, though plenty of the quota is left', async () => {
  const { jobs } = accountWith({ concurrency: 2, told: { remaining: 190, closesIn: 50 } });
  const [first, second, next, last] = await jobs(4);
  expect([first, second]).toMatchObject([{ state: 'running' }, { state: 'running' }]);
  expect(next).toMatchObject({
    state: 'waiting',
    why: 'due for 0 s, goes next: all 2 connections are in use',
  });
  const why = 'due for 0 s, after 1 more urgent: all 2 connections are in use';
  expect(last).toMatchObject({ state: 'waiting', why, next_at: null });
});

it('waits for the answer to a probe of what is left, though plenty was left when last seen', async () => {
  const { jobs } = accountWith({ told: { remaining: 190, closesIn: 50, ago: 5 } });
  const [first, next] = await jobs(2);
  expect(first).toMatchObject({ state: 'running' });
  expect(next).toMatchObject({
    why: 'due for 0 s, goes next: a request in flight will show what is left of reads',
    next_at: null,
  });
});

it('waits for the first answer of all in the same way', async () => {
  const { jobs } = accountWith();
  const [first, next] = await jobs(2);
  expect(first).toMatchObject({ state: 'running' });
  expect(next).toMatchObject({
    why: 'due for 0 s, goes next: a request in flight will show what is left of reads',
    next_at: null,
  });
});

it('leaves the reserve to the token’s other clients', async () => {
  const { jobs } = accountWith({ told: { remaining: 40, closesIn: 50 } });
  const [next] = await jobs(1);
  expect(next).toMatchObject({
    why: 'due for 0 s, goes next: what is left of reads is kept for other clients (quota.reserve)',
    next_at: after(50),
  });
});

it('waits for the next window once the quota is used up', async () => {
  const { jobs } = accountWith({ told: { remaining: 0, closesIn: 50 } });
  const [next] = await jobs(1);
  expect(next).toMatchObject({
    why: 'due for 0 s, goes next: the quota of reads is used up',
    next_at: after(50),
  });
});

it('leaves the reserve of an assumed limit where the platform tells nothing', async () => {
  const { jobs, limiter, clock } = accountWith();
  for (let answers = 0; answers < 48; answers += 1) limiter.observe(clock.now() - 30_000, undefined);
  const [next] = await jobs(1);
  expect(next).toMatchObject({
    why: 'due for 0 s, goes next: what is left of reads is kept for other clients (quota.reserve)',
    next_at: after(30),
  });
});

it('waits where the platform has refused', async () => {
  const { jobs, limiter, clock } = accountWith({ told: { remaining: 190, closesIn: 50 } });
  limiter.refuse(clock.now(), undefined, 7_000);
  const [next] = await jobs(1);
  expect(next).toMatchObject({
    why: 'due for 0 s, goes next: rate limited: the platform refuses reads (429)',
    next_at: after(7),
  });
});

it('shows how long the platform asked to wait, where that is longer than the time to the next probe', async () => {
  const { jobs, limiter, clock, status } = accountWith({ told: { remaining: 190, closesIn: 50 } });
  limiter.refuse(clock.now(), undefined, 23 * 3_600_000);
  const [next] = await jobs(1);
  expect(next).toMatchObject({
    why: 'due for 0 s, goes next: rate limited: the platform refuses reads (429)',
    next_at: after(900),
  });
  expect(status().quota[0]).toMatchObject({
    stopped_until: '2026-01-05T12:15:20.000Z',
    note: 'the platform asks to wait until 2026-01-06T11:00:20.000Z; one request probes at least every 15 min',
  });
});

it('waits for the fresher bucket only where it can wait for that, and until the next probe at the latest', async () => {
  const told = { remaining: 190, closesIn: 50 };
  const [rare] = await accountWith({ told }).jobs(1, { schedule: '0 0 1 1 *' });
  expect(rare).toMatchObject({
    why: 'due for 0 s, goes next: waits for the next bucket, which is fresher, or for a probe',
    next_at: after(12),
  });
  const [late] = await accountWith({ told }).jobs(1);
  expect(late).toMatchObject({ state: 'running' });
});

it('rests until it is due, and waits only then', async () => {
  const { jobs, fire, status, refusedAfter } = accountWith({
    told: { remaining: 190, closesIn: 50 },
    answers: true,
  });
  expect(await jobs(3)).toMatchObject([{ last_outcome: 'ok' }, {}, {}]);
  await fire();
  const due = { state: 'idle', why: '', next_at: '2026-01-05T12:01:00.000Z' };
  expect(status()).toMatchObject({ quota: [{ waiting: 0 }], jobs: [due, due, due] });
  await refusedAfter(40_000);
  expect(status()).toMatchObject({
    quota: [{ waiting: 3 }],
    jobs: [{ state: 'waiting' }, {}, {}],
  });
});

it('names the job that another one catches up for, which rests until its time', async () => {
  const { start } = accountWith({ told: { remaining: 190, closesIn: 50 }, answers: true });
  const follower = { ...jobOf('late'), schedule: undefined, dueAt: () => NOON + 30_000 };
  const job: Job = { ...jobOf('fresh'), follower };
  Object.assign(follower, { follows: job });
  const [fresh, late] = await start([job]);
  expect(fresh?.catches_up_for).toBeUndefined();
  const rests = { state: 'idle', next_at: '2026-01-05T12:00:30.000Z' };
  expect(late).toMatchObject({ id: 'late', catches_up_for: 'fresh', ...rests });
});

it('comes to its own turn after what is more urgent, in as many windows as that takes', () => {
  const limiter = { perMinute: 160, openWindow: () => ({ closesAt: NOON + 50_000 }) as RateLimitWindow };
  const turn = (ahead: number, decision: Partial<RequestDecision>) =>
    turnAt({ free: 0, why: 'spent', until: NOON + 50_000, next: false, ...decision, ahead }, limiter, NOON);
  const seconds = (at: number | undefined) => (at === undefined ? undefined : (at - NOON) / 1_000);
  const turns = (places: readonly number[], decision: Partial<RequestDecision>) =>
    places.map((ahead) => seconds(turn(ahead, decision)));
  expect(turns([1, 159, 160, 399], {})).toEqual([50, 50, 110, 170]);
  expect(turns([0], { why: 'pacing', until: NOON + 6_000, next: true })).toEqual([6]);
  expect(turns([3, 200], { why: 'pacing', until: NOON + 6_000 })).toEqual([50, 110]);
  expect(turns([3], { why: 'connections', until: Infinity })).toEqual([undefined]);
  expect(turns([3], { why: 'probe', until: NOON + 3_000 })).toEqual([undefined]);
});

it('tells how many are more urgent', async () => {
  const waiting = await accountWith({ told: { remaining: 0, closesIn: 50 } }).jobs(30);
  const ahead = waiting.map(({ why }) =>
    why.includes('goes next') ? 0 : Number(/after (\d+) more urgent/.exec(why)?.[1]),
  );
  expect(ahead).toEqual(waiting.map((_, index) => index));
});

it('has no turn of its own while the token is refused: single requests of any job probe', async () => {
  const { jobs, platform, clock, status } = accountWith({ told: { remaining: 190, closesIn: 50 } });
  platform.scopes.token.observe(clock.now(), 401);
  await jobs(3);
  const probe = status().jobs.filter(({ next_at }) => next_at !== null);
  expect(probe).toHaveLength(1);
  expect(probe[0]?.why).toContain('goes next: the platform refuses the token');
});
