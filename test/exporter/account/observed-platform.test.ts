import { describe, expect, it } from 'vitest';
import type { Shard } from '../../../src/exporter/cluster/shard.ts';
import {
  type Headers,
  parseRateLimit,
  parseRetryAfter,
  parseServerDate,
} from '../../../src/exporter/platform/platform-clock.ts';
import { ObservedPlatform } from '../../../src/exporter/poll/observed-platform.ts';
import { allowanceOf } from '../../../src/exporter/rate-limit/decision.ts';
import { reportTo } from '../../../src/exporter/self/account-report.ts';
import { createSelfMetrics } from '../../../src/exporter/self/self-metrics.ts';
import { SimulatedClock } from '../../simulated-clock.ts';

const HOUR = 3_600_000;
const PLATFORM_TIME = Date.UTC(2018, 5, 7, 1, 22, 0);
const IN_42_SECONDS = '2018-06-07T01:22:42.811207';
const DATE = 'Thu, 07 Jun 2018 01:22:00 GMT';
const RECORDED: Headers = {
  'X-RateLimit-Limit': '80',
  'X-RateLimit-Remaining': '79',
  'X-RateLimit-Reset': IN_42_SECONDS,
  date: DATE,
};

function platform({ ahead = 0, shard }: { readonly ahead?: number; readonly shard?: Shard } = {}) {
  const clock = new SimulatedClock(PLATFORM_TIME + ahead);
  const warnings: object[] = [];
  const silent = {
    info: () => undefined,
    warn: (facts: object) => warnings.push(facts),
    error: () => undefined,
  };
  const report = reportTo(createSelfMetrics(), silent, clock);
  const account = new ObservedPlatform({
    clock,
    basePath: '',
    reserve: () => 0.2,
    assumedLimit: 60,
    shard,
  });
  const { limiter } = account.scopes.of('metrics');
  const answer = (headers: Headers, status = 200): void => {
    const serverDate = parseServerDate(headers);
    const rate = parseRateLimit(headers);
    const retryAfterMs = parseRetryAfter(headers, serverDate ?? clock.now());
    const info = {
      method: 'GET',
      path: '/metrics/x',
      version: 2,
      status,
      outcome: status === 200 ? 'ok' : 'rate_limited',
      startedAt: clock.now(),
      endedAt: clock.now(),
      bytes: 0,
      ...(serverDate === undefined ? {} : { serverDate }),
      ...(rate === undefined ? {} : { rate }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    } as const;
    report.exchanged('a', info, account.observe(info));
  };
  const closesIn = () => (limiter.openWindow(clock.now())?.closesAt ?? Number.NaN) - clock.now();
  const waitMs = () => allowanceOf(limiter, clock.now()).until - clock.now();
  return { clock, account, limiter, answer, closesIn, waitMs, warnings };
}

it('a shard has its part of the limit, and leaves the reserve to all however the others spend', () => {
  const { clock, limiter, answer } = platform({ shard: { index: 1, of: 4 } });
  const after = (left: string) => {
    answer({ ...RECORDED, 'X-RateLimit-Remaining': left });
    return [
      limiter.limit,
      limiter.openWindow(clock.now())?.remaining,
      allowanceOf(limiter, clock.now()).free > 0,
    ];
  };
  expect(after('79')).toEqual([20, 18, true]);
  expect(after('60')).toEqual([20, 15, true]);
  expect(after('16')).toEqual([20, 4, false]);
});

describe('an answer tells what is left of the rate-limit window', () => {
  it.each<[string, Headers]>([
    ['as recorded: other letter case, microseconds, no zone', RECORDED],
    [
      'as documented: a Z',
      {
        'X-ratelimit-limit': '80',
        'X-ratelimit-remaining': '79',
        'X-ratelimit-reset': '2018-06-07T01:22:42.811Z',
        date: DATE,
      },
    ],
    [
      'in lower case, with a space and an offset',
      {
        'x-ratelimit-limit': '80',
        'x-ratelimit-remaining': '79',
        'x-ratelimit-reset': '2018-06-07 01:22:42.811207+00:00',
        date: DATE,
      },
    ],
    ['twice: the lower number and the later reset count', { ...RECORDED, 'x-ratelimit-remaining': '79, 80' }],
  ])('%s', (_, headers) => {
    const { clock, limiter, answer, closesIn } = platform();
    answer(headers);
    expect(limiter.limit).toBe(80);
    expect(limiter.openWindow(clock.now())?.remaining).toBe(79);
    expect(allowanceOf(limiter, clock.now()).free).toBe(79 - 16);
    // The Date header has whole seconds, so the platform's time is uncertain by up to a second.
    expect(closesIn()).toBeGreaterThanOrEqual(42_811);
    expect(closesIn()).toBeLessThanOrEqual(43_811);
  });

  it.each([-3 * HOUR, -20_000, 20_000, 3 * HOUR])('although the local clock is %i ms ahead', (ahead) => {
    const { answer, closesIn } = platform({ ahead });
    answer(RECORDED);
    expect(closesIn()).toBeGreaterThanOrEqual(42_811);
    expect(closesIn()).toBeLessThanOrEqual(43_811);
  });

  it.each([-3 * HOUR, -20_000, 0, 20_000, 3 * HOUR])(
    'at the latest a window after it was first seen, without a Date header and with a clock %i ms ahead',
    (ahead) => {
      const { clock, limiter, answer, closesIn } = platform({ ahead });
      const { date: _, ...dateless } = RECORDED;
      answer(dateless);
      expect(closesIn()).toBe(60_000);
      clock.suspend(10_000);
      answer({ ...dateless, 'X-RateLimit-Remaining': '50' });
      expect(closesIn()).toBe(50_000);
      expect(limiter.openWindow(clock.now())?.remaining).toBe(50);
    },
  );

  it.each([
    ['long past', '2017-06-07T01:22:42'],
    ['years ahead', '2038-06-07T01:22:42'],
    ['no time', 'soon'],
    ['an impossible date', '2018-02-30T01:22:42Z'],
  ])('with a reset that is %s: a window after it was first seen', (_, reset) => {
    const { answer, closesIn } = platform();
    answer({ ...RECORDED, 'X-RateLimit-Reset': reset });
    expect(closesIn()).toBe(60_000);
  });

  it.each([undefined, '-5', 'many', '1e3'])('counting itself when what remains is %s', (remaining) => {
    const { clock, limiter, answer, waitMs } = platform();
    answer({ ...RECORDED, 'X-RateLimit-Remaining': remaining });
    expect(allowanceOf(limiter, clock.now()).free).toBe(64 - 1);
    for (let count = 1; count < 64; count += 1) answer({ ...RECORDED, 'X-RateLimit-Remaining': remaining });
    expect(allowanceOf(limiter, clock.now()).free).toBe(0);
    expect(waitMs()).toBe(60_000);
  });

  it('by what remains alone, against the assumed limit, when no limit is named', () => {
    const { clock, limiter, answer } = platform();
    answer({ ...RECORDED, 'X-RateLimit-Limit': undefined, 'X-RateLimit-Remaining': '59' });
    expect(allowanceOf(limiter, clock.now()).free).toBe(59 - 12);
  });

  it('never more than our own count allows, should what remains lie', () => {
    const { clock, limiter, answer } = platform();
    for (let count = 0; count < 64; count += 1) answer(RECORDED);
    expect(allowanceOf(limiter, clock.now()).free).toBe(0);
  });

  it('that nothing remains: until the window closes nothing leaves, then a single probe', () => {
    const { clock, limiter, answer, closesIn, waitMs } = platform();
    answer({ ...RECORDED, 'X-RateLimit-Remaining': '0' });
    expect(waitMs()).toBe(closesIn());
    clock.suspend(closesIn());
    expect(allowanceOf(limiter, clock.now()).free).toBe(1);
    limiter.send(clock.now());
    expect(allowanceOf(limiter, clock.now()).free).toBe(0);
    expect(allowanceOf(limiter, clock.now()).why).toBe('probe');
    expect(waitMs()).toBe(3_000);
  });

  it.each([
    [200, 198, 198 - 40],
    [40, 38, 38 - 8],
  ])('at once when the limit changes to %i', (limit, remaining, free) => {
    const { clock, limiter, answer } = platform();
    answer(RECORDED);
    answer({
      ...RECORDED,
      'X-RateLimit-Limit': `${limit}`,
      'X-RateLimit-Remaining': `${remaining}`,
    });
    expect(limiter.limit).toBe(limit);
    expect(allowanceOf(limiter, clock.now()).free).toBe(free);
  });

  it('of windows of another length: as long as the platform says', () => {
    const { clock, limiter, answer, closesIn } = platform();
    answer({ ...RECORDED, 'X-RateLimit-Reset': '2018-06-07T01:23:59' });
    expect(closesIn()).toBeGreaterThanOrEqual(119_000);
    expect(limiter.perMinute).toBeCloseTo(32, 0);
    clock.suspend(61_000);
    expect(limiter.openWindow(clock.now())?.remaining).toBe(79);
  });

  it('of a window that another client opened: not how long windows last', () => {
    const { limiter, answer, closesIn } = platform();
    answer({ ...RECORDED, 'X-RateLimit-Remaining': '50', 'X-RateLimit-Reset': '2018-06-07T01:22:20' });
    expect(closesIn()).toBeLessThanOrEqual(21_000);
    expect(limiter.allowedPerMinute).toBe(64);
  });

  it('still of the old window when it comes after that window closed: the next one is not mistaken for it', () => {
    const { clock, limiter, answer, closesIn } = platform();
    answer({ ...RECORDED, 'X-RateLimit-Remaining': '20' });
    clock.suspend(closesIn() + 100);
    answer({
      ...RECORDED,
      'X-RateLimit-Reset': '2018-06-07T01:23:43.8',
      date: 'Thu, 07 Jun 2018 01:22:43 GMT',
    });
    answer({ ...RECORDED, 'X-RateLimit-Remaining': '17', date: 'Thu, 07 Jun 2018 01:22:42 GMT' });
    expect(limiter.openWindow(clock.now())?.remaining).toBe(79);
  });
});

describe('an answer without any of the headers', () => {
  it('leaves the assumed limit, which is said once', () => {
    const { clock, limiter, answer, warnings } = platform();
    answer({});
    answer({});
    expect(warnings).toEqual([{ account: 'a', operations_per_minute: 60 }]);
    expect(allowanceOf(limiter, clock.now()).free).toBe(48 - 2);
    expect(limiter.openWindow(clock.now())).toBeUndefined();
  });

  it('lets no more leave within any minute than that', () => {
    const { clock, limiter, answer, waitMs } = platform();
    for (let count = 0; count < 48; count += 1) answer({});
    clock.suspend(10_000);
    expect(allowanceOf(limiter, clock.now()).free).toBe(0);
    expect(waitMs()).toBe(50_000);
    clock.suspend(50_000);
    expect(allowanceOf(limiter, clock.now()).free).toBe(48);
  });

  it('says nothing of an assumption where the others name a limit', () => {
    const { answer, warnings } = platform();
    answer(RECORDED);
    answer({});
    expect(warnings).toEqual([]);
  });
});

describe('a refusal from elsewhere stops the scope', () => {
  const SPENT = { ...RECORDED, 'X-RateLimit-Remaining': '0' };

  it.each<[string, Headers, number, number]>([
    ['until the reset', SPENT, 42_811, 43_811],
    ['for as many seconds as Retry-After says', { ...RECORDED, 'Retry-After': '17' }, 17_000, 17_000],
    [
      'until the moment that Retry-After names',
      { ...RECORDED, 'Retry-After': 'Thu, 07 Jun 2018 01:22:30 GMT' },
      30_000,
      30_000,
    ],
    ['for a window when nothing is said', {}, 60_000, 60_000],
    [
      'for a quarter of an hour at most, whatever Retry-After says',
      { ...RECORDED, 'Retry-After': '82800' },
      900_000,
      900_000,
    ],
    [
      'until the reset, which is documented, where Retry-After names a later moment',
      { ...SPENT, 'Retry-After': '57' },
      42_811,
      43_811,
    ],
    [
      'as Retry-After says where the reset that is named cannot be right',
      { ...SPENT, 'X-RateLimit-Reset': '2017-06-07T01:22:42', 'Retry-After': '57' },
      57_000,
      57_000,
    ],
    [
      'until the end of the window where Retry-After is over',
      { ...RECORDED, 'Retry-After': 'Thu, 07 Jun 2018 01:21:00 GMT' },
      42_811,
      43_811,
    ],
    [
      'until the end of the window where Retry-After is 0',
      { ...RECORDED, 'Retry-After': '0' },
      42_811,
      43_811,
    ],
    [
      'for a window where Retry-After is over and there is nothing else',
      { 'Retry-After': '0' },
      60_000,
      60_000,
    ],
  ])('%s', (_, headers, atLeast, atMost) => {
    const { clock, limiter, answer, waitMs } = platform();
    answer(headers, 429);
    expect(allowanceOf(limiter, clock.now()).free).toBe(0);
    expect(waitMs()).toBeGreaterThanOrEqual(atLeast);
    expect(waitMs()).toBeLessThanOrEqual(atMost);
    expect(limiter.stoppedUntil(clock.now())).toBe(allowanceOf(limiter, clock.now()).until);
    const isCut = atMost === 900_000;
    expect(limiter.retryAt(clock.now())).toBe(isCut ? clock.now() + 82_800_000 : undefined);
    clock.suspend(82_800_000);
    expect(limiter.retryAt(clock.now())).toBeUndefined();
  });

  it('although a request that left before it is answered then', () => {
    const { clock, limiter, answer } = platform();
    answer({ ...RECORDED, 'Retry-After': '17' }, 429);
    answer(RECORDED);
    expect(allowanceOf(limiter, clock.now()).why).toBe('rate_limited');
  });

  it('beyond a short Retry-After, as long as nothing remains of the window', () => {
    const { clock, answer, waitMs } = platform();
    answer({ ...SPENT, 'Retry-After': '1' }, 429);
    clock.suspend(2_000);
    expect(waitMs()).toBeGreaterThanOrEqual(40_000);
  });

  it('for twice as long each time that a single request is refused again, up to a window', () => {
    const { clock, answer, waitMs } = platform();
    const waits: number[] = [];
    for (let probe = 0; probe < 9; probe += 1) {
      answer({ 'Retry-After': '1' }, 429);
      waits.push(waitMs() / 1_000);
      clock.suspend(waitMs());
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    answer({});
    answer({ 'Retry-After': '1' }, 429);
    expect(waitMs()).toBe(1_000);
  });

  it('once for all that were under way together', () => {
    const { clock, answer, waitMs } = platform();
    answer({ 'Retry-After': '1' }, 429);
    for (let other = 0; other < 5; other += 1) answer({ 'Retry-After': '1' }, 429);
    expect(waitMs()).toBe(1_000);
    clock.suspend(1_000);
    expect(waitMs()).toBe(0);
  });

  it.each<[string, Headers]>([
    ['headers', RECORDED],
    ['none of the headers', {}],
  ])('and then lets a single request probe, with %s', (_, headers) => {
    const { clock, limiter, answer } = platform();
    for (let count = 0; count < 3; count += 1) answer(headers);
    answer({ ...headers, 'Retry-After': '82800' }, 429);
    clock.suspend(900_000);
    expect(allowanceOf(limiter, clock.now()).free).toBe(1);
    const answered = limiter.send(clock.now());
    expect(allowanceOf(limiter, clock.now())).toMatchObject({ free: 0, why: 'probe' });
    answered();
    answer({ ...headers, 'Retry-After': '81900' }, 429);
    expect(allowanceOf(limiter, clock.now())).toMatchObject({ free: 0, why: 'rate_limited' });
    expect(limiter.retryAt(clock.now())).toBe(clock.now() + 81_900_000);
    clock.suspend(900_000);
    const { date: _date, ...dateless } = headers;
    answer({
      ...dateless,
      ...('X-RateLimit-Reset' in headers && { 'X-RateLimit-Reset': '2018-06-07T01:53:00' }),
    });
    expect(allowanceOf(limiter, clock.now()).free).toBeGreaterThan(40);
  });
});
