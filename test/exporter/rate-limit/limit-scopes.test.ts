import { describe, expect, it } from 'vitest';
import { PlatformClock, type RateLimit } from '../../../src/exporter/platform/platform-clock.ts';
import { AssumedLimit, SharedLimits } from '../../../src/exporter/rate-limit/assumed-limit.ts';
import { allowanceOf } from '../../../src/exporter/rate-limit/decision.ts';
import { LimitScopes, RefusedToken } from '../../../src/exporter/rate-limit/limit-scopes.ts';

const NOW = Date.UTC(2026, 0, 5, 12);

function learned() {
  const scopes = new LimitScopes({
    reserve: 0.2,
    assumedLimit: 60,
    platformClock: new PlatformClock(() => NOW),
  });
  const answer = (group: string, rate: RateLimit): void => {
    scopes.learn(group, rate);
    scopes.of(group).limiter.observe(NOW, rate);
  };
  const names = () => scopes.all.map(({ name }) => name);
  return { scopes, answer, names };
}

it('takes all reads to be under one limit', () => {
  const { scopes, answer, names } = learned();
  answer('metrics', { limit: 80, remaining: 79 });
  answer('analytics', { limit: 80, remaining: 78 });
  expect(names()).toEqual(['reads']);
  expect(scopes.of('metrics').limiter.openWindow(NOW)?.remaining).toBe(78);
});

it('gives a scope of its own to a group that keeps naming another limit', () => {
  const { scopes, answer, names } = learned();
  answer('metrics', { limit: 80, remaining: 79 });
  answer('analytics', { limit: 200, remaining: 199 });
  answer('metrics', { limit: 80, remaining: 78 });
  expect(names()).toEqual(['reads', 'analytics']);
  answer('analytics', { limit: 200, remaining: 198 });
  answer('metrics', { limit: 80, remaining: 77 });
  expect(names()).toEqual(['reads', 'analytics']);
  expect(scopes.of('analytics').limiter.limit).toBe(200);
  expect(scopes.of('metrics').limiter.limit).toBe(80);
});

it('takes a limit that changes for everybody to be the same limit', () => {
  const { scopes, answer, names } = learned();
  for (const group of ['metrics', 'analytics', 'domains']) answer(group, { limit: 80, remaining: 70 });
  for (const group of ['metrics', 'analytics', 'domains']) answer(group, { limit: 200, remaining: 190 });
  expect(names()).toEqual(['reads']);
  expect(scopes.of('domains').limiter.limit).toBe(200);
});

it('joins what an answer that was overtaken has set apart, once both name the same limit and reset', () => {
  const { scopes, answer, names } = learned();
  const resetAt = NOW + 30_000;
  scopes.apart('tokens');
  answer('metrics', { limit: 80, remaining: 79, resetAt });
  answer('analytics', { limit: 80, remaining: 78, resetAt });
  answer('metrics', { limit: 200, remaining: 190, resetAt });
  answer('analytics', { limit: 80, remaining: 77, resetAt });
  expect(names()).toEqual(['reads', 'tokens', 'metrics']);
  answer('metrics', { limit: 200, remaining: 188, resetAt });
  answer('analytics', { limit: 200, remaining: 187, resetAt });
  answer('metrics', { limit: 200, remaining: 186, resetAt });
  expect(names()).toEqual(['reads', 'tokens']);
  expect(scopes.of('metrics')).toBe(scopes.of('analytics'));
  expect(scopes.of('tokens').name).toBe('tokens');
});

it('joins no counters that differ in their limit or in their reset', () => {
  const { answer, names } = learned();
  const [soon, later] = [NOW + 30_000, NOW + 50_000];
  answer('metrics', { limit: 80, remaining: 79, resetAt: soon });
  answer('analytics', { limit: 200, remaining: 199, resetAt: soon });
  for (let round = 0; round < 3; round += 1) {
    answer('metrics', { limit: 80, remaining: 78, resetAt: soon });
    answer('analytics', { limit: 200, remaining: 198, resetAt: soon });
  }
  for (let round = 0; round < 3; round += 1)
    answer('analytics', { limit: 80, remaining: 70, resetAt: later });
  expect(names()).toEqual(['reads', 'analytics']);
});

it('joins what shares a counter by its first answer in a window: there is no second where that finds nothing left', () => {
  const { scopes, answer, names } = learned();
  scopes.apart('questions', 20);
  answer('metrics', { limit: 80, remaining: 79, resetAt: NOW + 60_000 });
  answer('questions', { limit: 80, remaining: 0, resetAt: NOW + 60_000 });
  expect(names()).toEqual(['reads']);
});

it('joins again what is apart by mistake where neither has more than one answer in a window', () => {
  const { scopes, answer, names } = learned();
  scopes.apart('questions', 20);
  answer('questions', { limit: 80, remaining: 79, resetAt: NOW });
  answer('metrics', { limit: 80, remaining: 79, resetAt: NOW + 60_000 });
  expect(names()).toEqual(['reads', 'questions']);
  answer('questions', { limit: 80, remaining: 0, resetAt: NOW + 60_000 });
  expect(names()).toEqual(['reads']);
});

it('learns nothing from an answer that names no limit', () => {
  const { scopes, answer, names } = learned();
  answer('metrics', { limit: 80, remaining: 79 });
  answer('analytics', { limit: 200, remaining: 199 });
  scopes.learn('metrics', undefined);
  scopes.learn('metrics', { remaining: 78 });
  expect(names()).toEqual(['reads']);
  answer('metrics', { limit: 80, remaining: 78 });
  expect(names()).toEqual(['reads', 'analytics']);
});

it('keeps apart from the start what is known to be limited otherwise', () => {
  const { scopes, answer, names } = learned();
  expect(scopes.apart('tokens').limiter.limitInUse).toBe(60);
  expect(scopes.apart('tokens')).toBe(scopes.of('tokens'));
  const resetAt = NOW + 30_000;
  for (let round = 0; round < 3; round += 1) {
    answer('tokens', { limit: 20, remaining: 0, resetAt });
    answer('metrics', { limit: 20, remaining: 19 - round, resetAt });
  }
  expect(names()).toEqual(['reads', 'tokens']);
  expect(scopes.of('metrics').limiter.openWindow(NOW)?.remaining).toBe(17);
});

it('takes nothing to share a counter with what is apart from the start because it has the same limit', () => {
  const { scopes, answer, names } = learned();
  scopes.apart('tokens');
  answer('tokens', { limit: 200, remaining: 3 });
  answer('metrics', { limit: 80, remaining: 79 });
  answer('analytics', { limit: 200, remaining: 199 });
  for (let round = 0; round < 3; round += 1) {
    answer('metrics', { limit: 80, remaining: 78 });
    answer('analytics', { limit: 200, remaining: 198 });
  }
  expect(names()).toEqual(['reads', 'tokens', 'analytics']);
});

it('gives no two scopes one name where the groups of one that was split off differ later', () => {
  const { scopes, answer, names } = learned();
  answer('metrics', { limit: 80, remaining: 79 });
  for (const group of ['analytics', 'domains']) answer(group, { limit: 200, remaining: 199 });
  answer('metrics', { limit: 80, remaining: 78 });
  for (let round = 0; round < 3; round += 1) {
    answer('analytics', { limit: 300, remaining: 299 });
    answer('domains', { limit: 200, remaining: 190 });
  }
  expect(names()).toEqual(['reads', 'analytics', 'domains']);
  for (const group of ['analytics', 'domains']) expect(scopes.of(group).name).toBe(group);
});

it('tells no end of groups apart where a platform redirects to addresses that it makes up', () => {
  const { scopes, answer, names } = learned();
  answer('analytics', { limit: 80, remaining: 75 });
  for (let index = 0; index < 1_000; index += 1) {
    answer(`made-up-${index}`, { limit: 1_000 + index, remaining: 900 });
    answer('metrics', { limit: 80, remaining: 70 });
  }
  expect(names().length).toBeLessThanOrEqual(51);
  answer('analytics', { limit: 200, remaining: 190 });
  answer('metrics', { limit: 80, remaining: 69 });
  expect(scopes.of('analytics').name).toBe('analytics');
});

describe('a limit that the platform does not name', () => {
  const MINUTE = 60_000;
  const sharing = (byAddress?: AssumedLimit) => {
    const platformClock = new PlatformClock(() => NOW);
    const scopes = new LimitScopes({ reserve: 0.2, assumedLimit: 60, platformClock, byAddress });
    return { scopes, limiter: scopes.apart('graphql', 20).limiter };
  };

  it('is raised by one in every quarter of an hour without a refusal, up to what it was at first', () => {
    const { limiter } = sharing();
    const refusals = 12;
    for (let minute = 0; minute < refusals; minute += 1) limiter.refuse(NOW + minute * MINUTE, undefined);
    expect(limiter.limitInUse).toBe(1);
    const limits: number[] = [];
    for (let minute = refusals; minute < refusals + 10 * 60; minute += 1) {
      limiter.observe(NOW + minute * MINUTE, undefined);
      limits.push(limiter.limitInUse);
    }
    expect([limits[13], limits[14], limits[29], limits.at(-1)]).toEqual([1, 2, 3, 20]);
    expect(Math.max(...limits)).toBe(20);
  });

  it('is lowered once by refusals of requests that had all left before the first of them was known', () => {
    const { limiter } = sharing();
    for (let answer = 1; answer <= 6; answer += 1) limiter.refuse(NOW + answer, undefined, 0, NOW);
    expect(limiter.limitInUse).toBe(15);
    limiter.refuse(NOW + MINUTE, undefined, 0, NOW + MINUTE - 1);
    expect(limiter.limitInUse).toBe(11);
  });

  it('stands where an operator has set it, whatever is refused', () => {
    const { scopes } = sharing();
    const { limiter } = scopes.of('metrics');
    limiter.refuse(NOW, undefined);
    expect(limiter.limitInUse).toBe(60);
  });

  it('is divided among those that are counted by the same address, and whole again for the last', () => {
    const address = new SharedLimits().at('https://api.example.net', 20);
    const accounts = Array.from({ length: 5 }, () => sharing(address));
    const limits = () => accounts.map(({ limiter }) => limiter.limitInUse);
    expect(limits()).toEqual([4, 4, 4, 4, 4]);
    for (const { scopes } of accounts.slice(1)) scopes.close();
    expect(limits()[0]).toBe(20);
  });

  it('is one for an address, and another for another', () => {
    const limits = new SharedLimits();
    expect(limits.at('https://a.example', 20)).toBe(limits.at('https://a.example', 20));
    expect(limits.at('https://b.example', 20)).not.toBe(limits.at('https://a.example', 20));
  });

  it('is lowered for all by what one is refused, once for all that was refused together, and all rest', () => {
    const address = new AssumedLimit(20);
    const [one, two] = [sharing(address), sharing(address)];
    one.limiter.refuse(NOW, undefined, 5_000, NOW - 100);
    two.limiter.refuse(NOW + 10, undefined, 5_000, NOW - 100);
    expect([one, two].map(({ limiter }) => limiter.limitInUse)).toEqual([7, 7]);
    const third = sharing(address);
    expect(allowanceOf(third.limiter, NOW + 20)).toMatchObject({ free: 0, why: 'rate_limited' });
    expect(allowanceOf(third.limiter, NOW + 60_000).free).toBeGreaterThan(0);
  });

  it.each([1, 5, 21, 50])('is not exceeded by %i accounts, in any minute of an hour', (count) => {
    const address = new AssumedLimit(20);
    const accounts = Array.from({ length: count }, () => sharing(address));
    const left: { at: number; account: number }[] = [];
    for (let now = NOW; now < NOW + 60 * MINUTE; now += 1_000) {
      for (const [account, { limiter }] of accounts.entries()) {
        while (allowanceOf(limiter, now).free > 0) {
          limiter.send(now)();
          limiter.observe(now, undefined);
          left.push({ at: now, account });
        }
      }
    }
    const within = (from: number) => left.filter(({ at }) => at >= from && at < from + MINUTE).length;
    expect(Math.max(...left.map(({ at }) => within(at)))).toBeLessThanOrEqual(20);
    // All accounts get the same number of turns.
    const each = accounts.map((_, index) => left.filter(({ account }) => account === index).length);
    expect(Math.min(...each)).toBe(Math.max(...each));
    expect(Math.min(...each)).toBeGreaterThanOrEqual(20);
  });

  it.each([
    [1, 10, 'names no limit', undefined],
    [3, 10, 'names no limit', undefined],
    [5, 10, 'names no limit', undefined],
    [9, 10, 'names no limit', undefined],
    [19, 20, 'names no limit', undefined],
    [1, 10, 'names a limit of each', { limit: 20, remaining: 10 }],
    [9, 10, 'names a limit of each', { limit: 20, remaining: 10 }],
  ])(
    '%i of %i that are always refused stop no other for long, where the platform %s',
    (count, all, _, rate) => {
      const turns = (refused: number) => {
        const address = new AssumedLimit(20);
        const accounts = Array.from({ length: all }, () => sharing(address));
        const answered: number[] = [];
        for (let now = NOW; now < NOW + 4 * 60 * MINUTE; now += 1_000) {
          for (const [account, { limiter }] of accounts.entries()) {
            if (allowanceOf(limiter, now).free <= 0) continue;
            limiter.send(now)();
            if (account < refused) limiter.refuse(now, rate, 30_000, now - 1);
            else limiter.observe(now, rate);
            answered.push(account);
          }
        }
        return answered.filter((account) => account >= count).length;
      };
      expect(turns(count)).toBeGreaterThan(0.8 * turns(0));
    },
  );

  it.each([
    ['one that polls always beside one that never does', 1, 1],
    ['two that poll always', 2, 0],
    ['five that poll always', 5, 0],
  ])('is learned from refusals where a platform that takes less blocks for 90 s: %s', (_, busy, idle) => {
    const address = new AssumedLimit(20);
    const accounts = Array.from({ length: busy + idle }, () => sharing(address)).slice(0, busy);
    const taken: number[] = [];
    let blockedUntil = 0;
    const refuses = (now: number): boolean => {
      if (taken.filter((at) => at > now - MINUTE).length >= 6) blockedUntil = now + 90_000;
      if (now >= blockedUntil) taken.push(now);
      return now < blockedUntil;
    };
    let refusals = 0;
    const ask = (limiter: (typeof accounts)[number]['limiter'], now: number): void => {
      limiter.send(now)();
      const isRefused = refuses(now);
      refusals += isRefused ? 1 : 0;
      if (isRefused) limiter.refuse(now, undefined, undefined, now - 1);
      else limiter.observe(now, undefined);
    };
    for (let now = NOW; now < NOW + 6 * 60 * MINUTE; now += 1_000)
      for (const { limiter } of accounts) if (allowanceOf(limiter, now).free > 0) ask(limiter, now);
    expect(refusals).toBeLessThan(30);
  });

  it('is as before once it shows that one alone is refused, however many of its requests were in flight together', () => {
    const address = new AssumedLimit(20);
    const [one, two] = [sharing(address), sharing(address)];
    one.limiter.refuse(NOW, undefined, 0, NOW - 1);
    one.limiter.refuse(NOW + 1, undefined, 0, NOW - 1);
    one.limiter.refuse(NOW + 2_000, undefined, 0, NOW + 1_000);
    two.limiter.observe(NOW + 3_000, undefined);
    expect(two.limiter.limitInUse).toBeLessThan(10);
    one.limiter.refuse(NOW + 5_000, undefined, 0, NOW + 4_000);
    expect(two.limiter.limitInUse).toBe(10);
  });

  it('all that are refused in turn rest together, again and again', () => {
    const address = new AssumedLimit(20);
    const [one, two] = [sharing(address), sharing(address)];
    for (let now = NOW; now < NOW + 10 * MINUTE; now += 2 * MINUTE) {
      one.limiter.refuse(now, undefined, 0, now - 1);
      two.limiter.refuse(now + MINUTE, undefined, 0, now + MINUTE - 1);
      expect(allowanceOf(one.limiter, now + MINUTE + 10)).toMatchObject({ free: 0, why: 'rate_limited' });
    }
    expect(one.limiter.limitInUse).toBe(1);
  });

  it('is named for each once headers name it', () => {
    const address = new AssumedLimit(20);
    const [one, ...others] = [sharing(address), ...Array.from({ length: 49 }, () => sharing(address))];
    // Fifty accounts take turns, so each gets one operation in three minutes.
    expect([one.limiter.guessedPerMinute, one.limiter.allowedPerMinute]).toEqual([1 / 3, 1 / 3]);
    one.limiter.observe(NOW, { limit: 50, remaining: 49 });
    expect(one.limiter.limitInUse).toBe(50);
    expect([one.limiter.guessedPerMinute, one.limiter.allowedPerMinute]).toEqual([undefined, 40]);
    one.limiter.refuse(NOW + 100, { limit: 50, remaining: 0 });
    expect(address.stoppedUntil).toBe(0);
    one.limiter.observe(NOW + 2 * MINUTE, { limit: 50, remaining: 49 });
    others[0]?.limiter.refuse(NOW + 2 * MINUTE, undefined);
    expect(allowanceOf(one.limiter, NOW + 2 * MINUTE).free).toBe(39);
  });
});

describe('while the platform refuses the token', () => {
  const refused = () => {
    const token = new RefusedToken();
    token.observe(NOW, 401);
    return token;
  };

  it('probes are of each kind that waits in turn: it may be one resource only that is refused', () => {
    const token = refused();
    const candidates = ['settings', 'metrics', 'analytics'];
    const probed = new Set<string | undefined>();
    for (let probe = 0; probe < candidates.length; probe += 1) {
      probed.add(token.choose(candidates));
      token.send(NOW + probe);
    }
    expect([...probed].sort()).toEqual(['analytics', 'metrics', 'settings']);
  });

  it('a probe leaves ever later, up to a minute, until one is accepted', () => {
    const token = refused();
    const waits: number[] = [];
    let now = NOW;
    for (let probe = 0; probe < 12; probe += 1) {
      waits.push(token.probeAt - now);
      now = token.probeAt;
      token.send(now);
      token.observe(now, 401);
    }
    expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200, 60_000, 60_000]);
    token.observe(now, 200);
    expect(token.probeAt).toBe(0);
    expect(token.choose(['most urgent', 'other'])).toBe('most urgent');
  });

  it('a failure of the platform shows nothing of the token', () => {
    const token = refused();
    token.observe(NOW, 500);
    expect(token.probeAt).toBeGreaterThan(NOW);
    token.observe(NOW, 404);
    expect(token.probeAt).toBe(0);
  });

  it('another token is tried at once', () => {
    const token = refused();
    token.renew();
    expect(token.probeAt).toBe(0);
  });
});
