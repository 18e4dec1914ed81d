import { expect, it } from 'vitest';
import { PlatformClock } from '../../src/platform/platform-clock.ts';
import { ConcurrencyLimit } from '../../src/rate-limit/concurrency-limit.ts';
import { allowanceOf, decide } from '../../src/rate-limit/decision.ts';
import { LimitScopes } from '../../src/rate-limit/limit-scopes.ts';

const MINUTE = 60_000;
const LIMIT = 80;
const START = Date.UTC(2026, 0, 5, 12, 0, 40);

/** A scope of 80 operations a minute, of which a fifth is reserved, and one that takes from it besides. */
function watched() {
  let now = START;
  const platformClock = new PlatformClock(() => now);
  const scopes = new LimitScopes({ reserve: 0.2, assumedLimit: 60, platformClock });
  const { limiter } = scopes.of('metrics');
  const answer = (remaining: number, resetAt: number) => {
    platformClock.observe({ sentAt: now, receivedAt: now, serverDate: now });
    limiter.observe(now, { limit: LIMIT, remaining, resetAt });
  };
  /** So many windows in which others take so many operations each. */
  const windows = (count: number, others: number): void => {
    for (let window = 0; window < count; window += 1) {
      const resetAt = now + MINUTE;
      answer(LIMIT - 1, resetAt);
      now += 50_000;
      answer(LIMIT - 2 - others, resetAt);
      now += 10_000;
    }
  };
  /** How long (ms) a request that can wait does so at the start of a window, 20 s before the next bucket closes. */
  const waitsMs = (): number => {
    answer(LIMIT - 1, now + MINUTE);
    const limits = { token: scopes.token, limiter, concurrency: new ConcurrencyLimit(6), platformClock };
    const request = {
      group: 'metrics',
      notBefore: 0,
      weight: 1,
      since: now,
      plannedIntervalMs: () => MINUTE,
    };
    const { why, until } = decide(limits, now)(request);
    expect(why).toBe('pacing');
    const waits = until - now;
    now += MINUTE;
    return waits;
  };
  const free = () => allowanceOf(limiter, now).free;
  const own = () => limiter.openWindow(now)?.own;
  return { windows, waitsMs, answer, free, own };
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
