import { describe, expect, it } from 'vitest';
import { NOTHING_LEARNED, onlyGrow, upwardShare } from '../../../src/exporter/settling/learned.ts';
import { restated } from '../series/series-bed.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

class Directions {
  known = NOTHING_LEARNED;

  observe(up: number, down: number, now: number): void {
    this.known = restated(this.known, { up, down, now });
  }

  onlyGrow(now: number): boolean {
    return onlyGrow(this.known, now);
  }

  upwardShare(now: number): number | undefined {
    return upwardShare(this.known, now);
  }
}

describe('buckets only grow', () => {
  it('not before a thousand changes were seen', () => {
    const directions = new Directions();
    directions.observe(999, 0, 0);
    expect([directions.onlyGrow(0), directions.upwardShare(0)]).toEqual([false, undefined]);
    directions.observe(1, 0, 0);
    expect([directions.onlyGrow(0), directions.upwardShare(0)]).toEqual([true, 1]);
  });

  it('where at least 99.9 % of their changes were upwards', () => {
    const directions = new Directions();
    directions.observe(1_998, 2, 0);
    expect(directions.onlyGrow(0)).toBe(true);
    directions.observe(0, 1, 0);
    expect(directions.onlyGrow(0)).toBe(false);
  });

  it('no more once the last hour has shown otherwise, however long they only grew before', () => {
    const directions = new Directions();
    for (let hour = 0; hour < 23; hour += 1) directions.observe(100_000, 0, hour * HOUR);
    const now = 23 * HOUR + 10 * MINUTE;
    directions.observe(10_000, 200, now);
    expect(directions.upwardShare(now)).toBeGreaterThan(0.999);
    expect(directions.onlyGrow(now)).toBe(false);
    directions.observe(10_000, 0, now + 2 * HOUR);
    expect(directions.onlyGrow(now + 2 * HOUR)).toBe(true);
  });

  it('whatever was seen of hours to come before the platform’s clock was set back', () => {
    const directions = new Directions();
    directions.observe(0, 5_000, 20 * HOUR);
    directions.observe(1_000, 0, 0);
    expect(directions.onlyGrow(0)).toBe(true);
  });

  it('not where half of their changes went downwards', () => {
    const directions = new Directions();
    directions.observe(600, 600, 0);
    expect([directions.onlyGrow(0), directions.upwardShare(0)]).toEqual([false, 0.5]);
  });

  it('by the changes of the last day alone', () => {
    const directions = new Directions();
    directions.observe(1_000, 1_000, 0);
    directions.observe(10_000, 0, 20 * HOUR);
    expect(directions.onlyGrow(20 * HOUR)).toBe(false);
    directions.observe(10, 0, 26 * HOUR);
    expect(directions.onlyGrow(26 * HOUR)).toBe(true);
    expect(directions.onlyGrow(72 * HOUR)).toBe(false);
  });
});
