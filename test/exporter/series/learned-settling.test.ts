import { describe, expect, it } from 'vitest';
import { decodeSeries } from '../../../src/exporter/decode/decode.ts';
import { apply } from '../../../src/exporter/series/apply.ts';
import { EMPTY_LEDGER } from '../../../src/exporter/series/ledger.ts';
import { presentWindow } from '../../../src/exporter/series/ledger-windows.ts';
import {
  type DelaySettings,
  delaysOf,
  learn,
  NOTHING_LEARNED,
} from '../../../src/exporter/settling/learned.ts';
import { START } from './model-platform.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DELAYS: DelaySettings = { publish_delay: 'auto', settle_delay: 'auto' };

/**
 * Returns the settle delay (ms) after hours of polls, one each minute.
 * @param shown value of a bucket, by its minute, its age (minutes) and the minute of the poll
 */
function learnedAfter(
  hours: number,
  shown: (minute: number, age: number, poll: number) => number,
  width = 1,
): number {
  const counts = () => true;
  let ledger = EMPTY_LEDGER;
  let known = NOTHING_LEARNED;
  let now = START;
  for (let poll = 0; poll < hours * 60; poll += 1, now += MINUTE) {
    const delays = delaysOf(known, DELAYS, now);
    const window = presentWindow(ledger, counts, now, { ...delays, expected: undefined, isFree: true });
    const rows: [number, number][] = [];
    const first = Math.ceil(window.from / (width * MINUTE)) * width * MINUTE;
    for (let time = first; time < Math.min(window.to, now); time += width * MINUTE) {
      const closed = (now - time) / MINUTE - width;
      rows.push([time, shown(time / MINUTE, closed, poll)]);
    }
    const decoded = decodeSeries({ total: rows }, { metric: 'requests', id: '1' }, now);
    const applied = apply(ledger, { decoded, window, now }, { counts, delays, certainNow: now });
    ledger = applied.ledger;
    known = learn(known, applied.evidence);
  }
  return delaysOf(known, DELAYS, now).settle;
}

function mixed(seed: number): number {
  return (Math.imul(seed, 0x9e3779b1) >>> 8) % 100;
}

describe('how long counters wait for buckets', () => {
  it('is learned where they change late once', () => {
    const delay = learnedAfter(3, (minute, age) => 1_000 + mixed(minute) + (age >= 13 ? 90 : 0));
    expect(delay).toBeGreaterThan(13 * MINUTE);
    expect(delay).toBeLessThan(20 * MINUTE);
  });

  it.each([20, 25])('is learned where they grow each minute for %i minutes', (minutes) => {
    const delay = learnedAfter(6, (minute, age) => 1_000 + mixed(minute) + 10 * Math.min(age, minutes));
    expect(delay).toBeGreaterThanOrEqual((minutes - 1) * MINUTE);
    expect(delay).toBeLessThanOrEqual(HOUR / 2);
  });

  it.each([5, 10])('is learned where buckets of %i minutes change late once', (width) => {
    const delay = learnedAfter(6, (minute, age) => 1_000 + mixed(minute) + (age >= 13 ? 90 : 0), width);
    expect(delay).toBeGreaterThan(13 * MINUTE);
    expect(delay).toBeLessThan(25 * MINUTE);
  });

  it('is half an hour at most, also where quiet series change by chance', () => {
    const delay = learnedAfter(12, (minute, _, poll) => (mixed(minute) < 90 ? 0 : mixed(minute + 7 * poll)));
    expect(delay).toBeLessThanOrEqual(HOUR / 2);
  });
});
