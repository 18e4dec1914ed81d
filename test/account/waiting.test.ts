import { expect, it } from 'vitest';
import { accountWith, jobOf, NOON } from './waiting-bed.ts';

it('waits for a connection while all are in use, though plenty of the quota is left', async () => {
  const { jobs } = accountWith({ concurrency: 2, told: { remaining: 190, closesIn: 50 } });
  const [first, second, next, last] = await jobs(4);
  expect([first, second]).toMatchObject([{ state: 'running' }, { state: 'running' }]);
  expect(next).toMatchObject({
    state: 'waiting',
    why: 'due for 0 s, goes next: all 2 connections are in use',
  });
  expect(last).toMatchObject({ state: 'waiting', why: 'due for 0 s: all 2 connections are in use' });
});

it('waits for the answer to a probe of what is left, though plenty was left when last seen', async () => {
  const { jobs } = accountWith({ told: { remaining: 190, closesIn: 50, ago: 5 } });
  const [first, next] = await jobs(2);
  expect(first).toMatchObject({ state: 'running' });
  expect(next?.why).toBe('due for 0 s, goes next: a request in flight will tell what is left of reads');
});

it('waits for the first answer of all in the same way', async () => {
  const { jobs } = accountWith();
  const [first, next] = await jobs(2);
  expect(first).toMatchObject({ state: 'running' });
  expect(next?.why).toBe('due for 0 s, goes next: a request in flight will tell what is left of reads');
});

it('leaves the reserve to the token’s other clients', async () => {
  const { jobs } = accountWith({ told: { remaining: 40, closesIn: 50 } });
  const [next] = await jobs(1);
  expect(next?.why).toBe(
    'due for 0 s, goes next: what is left of reads is reserved for the token’s other clients, next try in 50 s',
  );
});

it('waits for the next window once the quota is used up', async () => {
  const { jobs } = accountWith({ told: { remaining: 0, closesIn: 50 } });
  const [next] = await jobs(1);
  expect(next?.why).toBe('due for 0 s, goes next: the quota of reads is used up for another 50 s');
});

it('leaves the reserve of an assumed limit where the platform tells nothing', async () => {
  const { jobs, limiter, clock } = accountWith();
  for (let answers = 0; answers < 48; answers += 1) limiter.observe(clock.now() - 30_000, undefined);
  const [next] = await jobs(1);
  expect(next?.why).toBe(
    'due for 0 s, goes next: what is left of reads is reserved for the token’s other clients, next try in 30 s',
  );
});

it('waits where the platform has refused', async () => {
  const { jobs, limiter, clock } = accountWith({ told: { remaining: 190, closesIn: 50 } });
  limiter.stop(clock.now(), 7_000);
  const [next] = await jobs(1);
  expect(next?.why).toBe(
    'due for 0 s, goes next: rate limited: the platform refuses reads (429), next try in 7 s',
  );
});

it('shows how long the platform asked to wait, where that is longer than the time to the next probe', async () => {
  const { jobs, limiter, clock, status } = accountWith({ told: { remaining: 190, closesIn: 50 } });
  limiter.stop(clock.now(), 23 * 3_600_000);
  const [next] = await jobs(1);
  expect(next?.why).toBe(
    'due for 0 s, goes next: rate limited: the platform refuses reads (429), next try in 900 s',
  );
  expect(status().quota[0]).toMatchObject({
    stopped_until: '2026-01-05T12:15:20.000Z',
    note: 'the platform asks to wait until 2026-01-06T11:00:20.000Z; one request probes every 15 min at the latest',
  });
});

it('is kept for the fresher bucket only where it can wait for that, and until the next probe at the latest', async () => {
  const told = { remaining: 190, closesIn: 50 };
  const [patient] = await accountWith({ told }).jobs(1, { schedule: '0 0 1 1 *' });
  expect(patient?.why).toBe(
    'due for 0 s, goes next: kept for the next bucket, which is fresher, or for a probe: next try in 12 s',
  );
  const [late] = await accountWith({ told }).jobs(1);
  expect(late).toMatchObject({ state: 'running' });
});

it('keeps the last operations of a window to see what others take, where more wait than may leave', async () => {
  const { jobs } = accountWith({ concurrency: 1_000, told: { remaining: 190, closesIn: 38 } });
  const all = await jobs(200);
  const next = all.find(({ state }) => state === 'waiting');
  expect(next?.why).toBe(
    'due for 0 s, goes next: what is left of reads is sent one by one, to see what other clients take: next in 12 s',
  );
  expect(all.filter(({ why }) => why.includes('goes next'))).toHaveLength(1);
});

it('rests until it is due, and waits only then', async () => {
  const { jobs, fire, status, refusedAfter } = accountWith({
    told: { remaining: 190, closesIn: 50 },
    answers: true,
  });
  expect(await jobs(3)).toMatchObject([{ last_outcome: 'ok' }, {}, {}]);
  fire();
  const due = { state: 'idle', why: '', next_at: '2026-01-05T12:01:00.000Z' };
  expect(status()).toMatchObject({ quota: [{ waiting: 0 }], jobs: [due, due, due] });
  await refusedAfter(40_000);
  expect(status()).toMatchObject({
    quota: [{ waiting: 3 }],
    jobs: [{ state: 'waiting', next_at: null }, {}, {}],
  });
});

it('names the job that another one catches up for, which rests until its time', async () => {
  const { start } = accountWith({ told: { remaining: 190, closesIn: 50 }, answers: true });
  const followUp = () => ({ job: jobOf('late', { follows: job }), notBefore: NOON + 30_000 });
  const job = jobOf('fresh', { followUp });
  const [fresh, late] = await start([job]);
  expect(fresh?.catches_up_for).toBeUndefined();
  const rests = { state: 'idle', next_at: '2026-01-05T12:00:30.000Z' };
  expect(late).toMatchObject({ id: 'late', catches_up_for: 'fresh', ...rests });
});
