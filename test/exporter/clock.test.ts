import { afterEach, expect, it, vi } from 'vitest';
import { systemClock, wallAt } from '../../src/exporter/clock.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('local time goes on as ever when the machine’s clock is set, which only the wall clock shows', () => {
  const before = systemClock.now();
  const setTo = Date.now() - 3_600_000;
  vi.spyOn(Date, 'now').mockImplementation(() => setTo);
  expect(systemClock.wall()).toBe(setTo);
  expect(systemClock.now() - before).toBeGreaterThanOrEqual(0);
  expect(systemClock.now() - before).toBeLessThan(60_000);
});

it('local time starts as what the machine’s clock shows', () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000);
});

it('a local time is displayed by the machine’s clock as it is set now', () => {
  const clock = { now: () => 1_000, wall: () => 5_000 };
  expect(wallAt(clock, 400)).toBe(4_400);
});
