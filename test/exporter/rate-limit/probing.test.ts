import { expect, it } from 'vitest';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { ConcurrencyLimit } from '../../../src/exporter/rate-limit/concurrency-limit.ts';
import { allowanceOf, decide } from '../../../src/exporter/rate-limit/decision.ts';
import { LimitScopes } from '../../../src/exporter/rate-limit/limit-scopes.ts';

const MINUTE = 60_000;
const LIMIT = 80;
const START = Date.UTC(2026, 0, 5, 12, 0, 40);

/** Returns a request that can wait for the next bucket, queued since the given time (ms). */
function requestSince(since: number) {
  return { group: 'metrics', notBefore: 0, weight: 1, since, plannedIntervalMs: () => MINUTE };
}

/**
 * Returns a scope with 80 operations per minute, a reserve of a fifth, and another client.
 * @param isPart true if the client is another exporter of the same account
 */
function watched(isPart = false) {
  let now = START;
  const platformClock = new PlatformClock(() => now);
  const scopes = new LimitScopes({ reserve: 0.2, assumedLimit: 60, platformClock, isPart });
  const { limiter } = scopes.of('metrics');
  const answer = (remaining: number, resetAt: number) => {
    platformClock.observe({ sentAt: now, receivedAt: now, serverDate: now });
    limiter.observe(now, { limit: LIMIT, remaining, resetAt });
  };
  const windows = (count: number, others: number): void => {
    for (let window = 0; window < count; window += 1) {
      const resetAt = now + MINUTE;
      answer(LIMIT - 1, resetAt);
      now += 50_000;
      answer(LIMIT - 2 - others, resetAt);
      now += 10_000;
    }
  };
  /**
   * Returns the wait (ms) of a request that can wait, at the start of a window, 20 s before the next bucket
   * ends.
   */
  const waitsMs = (): number => {
    answer(LIMIT - 1, now + MINUTE);
    const limits = { token: scopes.token, limiter, concurrency: new ConcurrencyLimit(6), platformClock };
    const { why, until } = decide(limits, now)(requestSince(now));
    expect(why).toBe('pacing');
    const waits = until - now;
    now += MINUTE;
    return waits;
  };
  const free = () => allowanceOf(limiter, now).free;
  const allowance = () => {
    const { until, ...decision } = allowanceOf(limiter, now);
    return { ...decision, inMs: until - now };
  };
  const send = () => limiter.send(now);
  const pass = (ms: number): void => {
    now += ms;
  };
  const own = () => limiter.openWindow(now)?.own;
  const othersPerMinute = () => limiter.othersPerMinute;
  const perMinute = () => limiter.perMinute;
  const closesInMs = () => (limiter.openWindow(now)?.closesAt ?? now) - now;
  return {
    windows,
    waitsMs,
    answer,
    free,
    allowance,
    send,
    own,
    pass,
    othersPerMinute,
    perMinute,
    closesInMs,
  };
}

const UNTIL_THE_BUCKET_CLOSES = 20_000;
const UNTIL_THE_PROBE = 12_000;

it('probes while there may be other clients, until it was alone for long enough to rule them out', () => {
  const { windows, waitsMs } = watched();
  expect(waitsMs()).toBe(UNTIL_THE_PROBE);
  windows(30, 0);
  expect(waitsMs()).toBe(UNTIL_THE_BUCKET_CLOSES);
});

it('remembers other clients for hours, and forgets them in the end', () => {
  const { windows, waitsMs } = watched();
  windows(10, 20);
  windows(60, 0);
  expect(waitsMs()).toBe(UNTIL_THE_PROBE);
  windows(400, 0);
  expect(waitsMs()).toBe(UNTIL_THE_BUCKET_CLOSES);
});

it('keeps to the counter that is nearer to its end where a scope turns out to have two of the same limit', () => {
  const { answer, free } = watched();
  answer(79, START + 30_000);
  answer(79, START + 60_000);
  expect(free()).toBe(79 - 16);
  answer(30, START + 30_000);
  expect(free()).toBe(30 - 16);
});

it('takes resets that differ by a second for those of one window', () => {
  const { answer, own } = watched();
  answer(79, START + 60_000);
  answer(78, START + 61_000);
  answer(77, START + 59_000);
  expect(own()).toBe(3);
});

it.each([
  [45, 1],
  [30, 0],
])(
  'of a window with %i left, half a minute after its last answer, %i may leave where others were seen',
  (remaining, left) => {
    const { windows, answer, free, pass } = watched();
    windows(10, 20);
    answer(LIMIT - 1, START + 11 * MINUTE);
    answer(remaining, START + 11 * MINUTE);
    // The reserve is 16. In the worst case, other clients have used 34 since the answer, so that a probe
    // could be refused.
    pass(30_000);
    expect(free()).toBe(left);
  },
);

it.each([
  ['more than the reserve is left: until a probe is due', 20, 0, 'reserved', UNTIL_THE_PROBE],
  ['what is in flight leaves the reserve alone: to the end', 18, 2, 'reserved', MINUTE],
  ['the reserve is left: to the end', 16, 0, 'reserved', MINUTE],
  ['one operation is left: to the end', 1, 0, 'reserved', MINUTE],
  ['nothing is left: to the end', 0, 0, 'spent', MINUTE],
] as const)(
  'nothing leaves while others are expected to take what is left, where %s',
  (_, remaining, inFlight, why, inMs) => {
    const { windows, answer, allowance, send, free, pass } = watched();
    windows(10, 20);
    answer(LIMIT - 1, START + 11 * MINUTE);
    answer(remaining, START + 11 * MINUTE);
    for (let request = 0; request < inFlight; request += 1) send();
    expect(allowance()).toEqual({ free: 0, why, inMs });
    pass(UNTIL_THE_PROBE - 1);
    expect(free()).toBe(0);
    pass(1);
    expect(free()).toBe(inMs === MINUTE ? 0 : 1);
  },
);

it('assumes no worst case where others were not seen to take anything', () => {
  const { windows, answer, free, pass } = watched();
  windows(2, 0);
  for (let remaining = LIMIT - 1; remaining >= 30; remaining -= 1) answer(remaining, START + 3 * MINUTE);
  pass(30_000);
  expect(free()).toBe(30 - 16);
});

it('of a probe that could be refused nothing leaves before the window ends', () => {
  const { windows, answer, allowance, pass } = watched();
  windows(10, 20);
  answer(LIMIT - 1, START + 11 * MINUTE);
  answer(30, START + 11 * MINUTE);
  pass(30_000);
  expect(allowance()).toEqual({ free: 0, why: 'reserved', inMs: 30_000 });
});

it.each([
  ['the answers to what is in flight', 0.2, 40, 8, 'probe'],
  ['what is left to others', 0.2, 48, 0, 'reserved'],
  ['the time when an operation is over', 0, 60, 0, 'spent'],
] as const)(
  'where no header says what remains, a request waits for %s, a window after the first answer at most',
  (_, reserve, answers, inFlight, why) => {
    const platformClock = new PlatformClock(() => START);
    const { limiter } = new LimitScopes({ reserve, assumedLimit: 60, platformClock }).of('metrics');
    limiter.observe(START, undefined);
    limiter.send(START);
    expect(allowanceOf(limiter, START).free).toBe(60 * (1 - reserve) - 2);
    for (let answer = 1; answer < answers; answer += 1) limiter.observe(START + 10_000, undefined);
    for (let request = 1; request < inFlight; request += 1) limiter.send(START + 10_000);
    expect(allowanceOf(limiter, START + 10_000)).toEqual({ free: 0, why, until: START + MINUTE });
  },
);

it.each([
  ['waits for it where all can leave after it', 16 + 49, 'pacing'],
  ['leaves at once where some could not', 16 + 51, undefined],
] as const)('a request that can wait for the next bucket %s', (_, remaining, why) => {
  const now = START;
  const platformClock = new PlatformClock(() => now);
  platformClock.observe({ sentAt: now, receivedAt: now, serverDate: now });
  const scopes = new LimitScopes({ reserve: 0.2, assumedLimit: 60, platformClock });
  const { limiter } = scopes.of('metrics');
  // The bucket ends in 20 s, and the window 10 s later. In this time, 50 requests of 200 ms each are
  // possible.
  limiter.observe(now, { limit: LIMIT, remaining, resetAt: now + 30_000 });
  const limits = { token: scopes.token, limiter, concurrency: new ConcurrencyLimit(1), platformClock };
  const request = { group: 'metrics', notBefore: 0, weight: 1, since: now - 40_000 };
  expect(decide(limits, now)({ ...request, plannedIntervalMs: () => MINUTE }).why).toBe(why);
  expect(decide(limits, now)({ ...request, since: now - 40_001, plannedIntervalMs: () => MINUTE }).free).toBe(
    1,
  );
});

it('a request that can wait for the next bucket probes where no window is open', () => {
  const platformClock = new PlatformClock(() => START);
  const scopes = new LimitScopes({ reserve: 0.2, assumedLimit: 60, platformClock });
  const { limiter } = scopes.of('metrics');
  const limits = { token: scopes.token, limiter, concurrency: new ConcurrencyLimit(6), platformClock };
  expect(decide(limits, START)(requestSince(START)).free).toBe(1);
});

it.each([
  [80, 0.2, 16],
  [81, 0.2, 17],
  [3, 0.1, 1],
  [5, 0, 0],
])(
  'of a limit of %i with a share of %f for others, %i operations are left to them: rounded up',
  (limit, share, left) => {
    const platformClock = new PlatformClock(() => START);
    const { limiter } = new LimitScopes({ reserve: share, assumedLimit: 60, platformClock }).of('metrics');
    limiter.observe(START, { limit, remaining: limit - 1, resetAt: START + MINUTE });
    expect(limiter.reserve).toBe(left);
    expect(limiter.allowance).toBe(limit - left);
  },
);

it('sends no more probes that stay unanswered than the limit allows', () => {
  const platformClock = new PlatformClock(() => START);
  const { limiter } = new LimitScopes({ reserve: 0, assumedLimit: 3, platformClock }).of('metrics');
  let now = START;
  const sent: number[] = [];
  for (; now < START + 10 * MINUTE; now += 1_000) {
    if (allowanceOf(limiter, now).free === 0) continue;
    sent.push((now - START) / 1_000);
    limiter.send(now);
  }
  expect(sent).toEqual([0, 3, 6]);
});

it('takes others for no more than the limit allows them, even if they take it all within a moment', () => {
  const { answer, pass, othersPerMinute } = watched();
  for (let window = 0; window < 20; window += 1) {
    const resetAt = START + (window + 1) * MINUTE;
    answer(LIMIT - 1, resetAt);
    pass(1_000);
    answer(2, resetAt);
    expect(othersPerMinute()).toBeLessThanOrEqual(LIMIT);
    pass(59_000);
  }
  expect(othersPerMinute()).toBeGreaterThan(LIMIT / 2);
});

it('takes what others have at the beginning of a window for that many, not for that many every few seconds', () => {
  const { answer, pass, othersPerMinute } = watched();
  // The user of operations before the start is unknown. It may be an exporter that was killed, for example.
  answer(LIMIT - 30, START);
  expect(othersPerMinute()).toBe(0);
  pass(10);
  for (let window = 0; window < 20; window += 1) {
    answer(LIMIT - 1 - 10, START + (window + 1) * MINUTE);
    // The estimate is the same after the first answer of a window and after a later one.
    expect(othersPerMinute()).toBeCloseTo(10, 0);
    pass(59_000);
    answer(LIMIT - 2 - 10, START + (window + 1) * MINUTE);
    expect(othersPerMinute()).toBeCloseTo(10, 0);
    pass(1_000);
  }
});

it('takes what is missing for that of others only while no request of ours is in flight beside the one that is answered', () => {
  const { windows, answer, send, othersPerMinute } = watched();
  windows(2, 0);
  send();
  const over = send();
  answer(LIMIT - 21, START + 3 * MINUTE);
  expect(othersPerMinute()).toBe(0);
  over();
  answer(LIMIT - 22, START + 3 * MINUTE);
  expect(othersPerMinute()).toBe(20);
});

it('takes what is missing for nobody’s where other exporters of the account use the rest of the limit', () => {
  const { windows, othersPerMinute } = watched(true);
  windows(10, 20);
  expect(othersPerMinute()).toBe(0);
});

it('lets another request probe once one has ended without an answer, and not because an earlier one has', () => {
  const { answer, send, free, pass } = watched();
  answer(LIMIT - 1, START + MINUTE);
  const earlier = send();
  pass(2_000);
  const probe = send();
  earlier();
  expect(free()).toBe(0);
  probe();
  expect(free()).toBeGreaterThan(0);
});

it('waits for no answer to a request that left while it was known what remains', () => {
  const { answer, send, free, pass } = watched();
  answer(LIMIT - 1, START + MINUTE);
  send();
  pass(2_000);
  expect(free()).toBeGreaterThan(0);
});

it('believes the lower of two answers that overtook each other', () => {
  const { answer, free } = watched();
  answer(75, START + MINUTE);
  answer(79, START + MINUTE);
  expect(free()).toBe(75 - 16);
});

it('knows by an answer with the reset of before that a window has not ended, and lets single requests probe', () => {
  const { answer, free, own, pass } = watched();
  answer(20, START + 30_000);
  pass(32_000);
  expect(free()).toBe(1);
  answer(19, START + 30_000);
  expect(own()).toBe(2);
  expect(free()).toBe(19 - 16);
});

it('probes ever less often for the end of a window that is overdue', () => {
  const { answer, closesInMs, pass } = watched();
  answer(20, START + 30_000);
  pass(closesInMs());
  const waits: number[] = [];
  for (let probe = 0; probe < 6; probe += 1) {
    answer(20, START + 30_000);
    waits.push(closesInMs());
    pass(closesInMs());
  }
  expect(waits).toEqual([1_000, 1_000, 2_000, 4_000, 8_000, 16_000]);
});

it('leaves to others what they usually take, and as much again as that scatters', () => {
  const { windows, answer, free, othersPerMinute, perMinute } = watched();
  windows(10, 30);
  answer(LIMIT - 1, START + 11 * MINUTE);
  const usual = othersPerMinute();
  expect(usual).toBeGreaterThan(20);
  expect(perMinute()).toBeCloseTo(LIMIT - usual);
  expect(free()).toBe(Math.floor(LIMIT - 1 - usual - 2 * Math.sqrt(usual)));
});

it('lets what a fresh answer allows leave, also where windows are so short that a probe is due by then', () => {
  const { answer, pass, allowance, windows } = watched();
  windows(3, 20);
  // A node whose clock is behind reports an early reset, so that windows seem to last half a second.
  pass(2_000);
  answer(LIMIT - 1, START + 3 * MINUTE + 2_500);
  pass(1_000);
  answer(LIMIT - 2, START + 4 * MINUTE);
  pass(900);
  expect(allowance()).toMatchObject({ why: undefined });
});
