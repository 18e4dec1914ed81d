import { describe, expect, it } from 'vitest';
import {
  delaysOf,
  learn,
  type MetricMemory,
  NOTHING_LEARNED,
} from '../../../src/exporter/settling/learned.ts';
import { NO_EVIDENCE } from '../series/series-bed.ts';

const MINUTE = 60_000;

function usual(lags: readonly number[]): number {
  return delaysOf(seen(lags), { publish_delay: 'auto', settle_delay: 'auto' }, 0).lag / MINUTE;
}

function seen(lags: readonly number[]): MetricMemory {
  return lags.reduce(
    (known, late, minute) => learn(known, { ...NO_EVIDENCE, lagMs: late * MINUTE, now: minute * MINUTE }),
    NOTHING_LEARNED,
  );
}

describe('how late the platform usually is', () => {
  it('is what it has been for half an hour', () => {
    const punctual = Array<number>(60).fill(1);
    expect(usual(punctual)).toBe(1);
    expect(usual([...punctual, ...Array<number>(15).fill(8)])).toBe(1);
    expect(usual([...punctual, ...Array<number>(30).fill(8)])).toBe(8);
    expect(usual([...punctual, ...Array<number>(30).fill(8), 2])).toBe(2);
  });

  it('is known from the first answer, and nothing before', () => {
    expect(usual([])).toBe(0);
    expect(usual([3])).toBe(3);
  });

  it('is the least of ten minutes', () => {
    expect(usual([2, 8])).toBe(2);
    expect(usual([8, 2, 8])).toBe(2);
  });

  it('is ten minutes at most, so that a platform that stands still does not seem to be as it should', () => {
    expect(usual(Array.from({ length: 200 }, (_, minute) => minute))).toBe(10);
  });
});
