import { expect, it } from 'vitest';
import { PlatformClock } from '../../src/platform/platform-clock.ts';
import type { RateLimit } from '../../src/platform/rate-limit-headers.ts';
import { LimitScopes } from '../../src/rate-limit/limit-scopes.ts';

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
  expect(scopes.of('metrics').limiter.remaining(NOW)).toBe(78);
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
  answer('metrics', { limit: 80, remaining: 79, resetAt });
  answer('analytics', { limit: 80, remaining: 78, resetAt });
  answer('metrics', { limit: 200, remaining: 190, resetAt });
  answer('analytics', { limit: 80, remaining: 77, resetAt });
  expect(names()).toEqual(['reads', 'metrics']);
  answer('metrics', { limit: 200, remaining: 188, resetAt });
  answer('analytics', { limit: 200, remaining: 187, resetAt });
  answer('metrics', { limit: 200, remaining: 186, resetAt });
  expect(names()).toEqual(['reads']);
  expect(scopes.of('metrics')).toBe(scopes.of('analytics'));
});

it('keeps apart from the start what is known to be limited otherwise', () => {
  const { scopes, answer, names } = learned();
  expect(scopes.apart('tokens')).toBe(scopes.of('tokens'));
  answer('tokens', { limit: 20, remaining: 0 });
  answer('metrics', { limit: 20, remaining: 19 });
  expect(names()).toEqual(['reads', 'tokens']);
  expect(scopes.of('metrics').limiter.remaining(NOW)).toBe(19);
});

it('tells no end of groups apart where a platform redirects to addresses that it makes up', () => {
  const { answer, names } = learned();
  for (let index = 0; index < 1_000; index += 1) {
    answer(`made-up-${index}`, { limit: 1_000 + index, remaining: 900 });
    answer('metrics', { limit: 80, remaining: 70 });
  }
  expect(names().length).toBeLessThanOrEqual(51);
});
