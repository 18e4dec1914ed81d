import { describe, expect, it } from 'vitest';
import { OLDEST_MINUTE } from '../../../src/exporter/settling/completeness.ts';
import {
  type DelaySettings,
  delaysOf,
  learn,
  type MetricMemory,
  mayTry,
  NOTHING_LEARNED,
  pushDelay,
  readMode,
} from '../../../src/exporter/settling/learned.ts';
import { restoreMetric, storeMetric } from '../../../src/exporter/settling/learned-metrics.ts';
import { grown, NO_EVIDENCE } from '../series/series-bed.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 0, 5);
const AUTO: DelaySettings = { publish_delay: 'auto', settle_delay: 'auto' };

function filled(known: MetricMemory, minutes: number, buckets: number, before = 50): MetricMemory {
  const shown = Array.from({ length: OLDEST_MINUTE + 1 }, (_, minute) => (minute < minutes ? before : 100));
  return grown(buckets, shown, known);
}

describe('a learned delay', () => {
  it('is that of settling for what is pushed, until it is known how complete buckets are when they are shown', () => {
    expect(pushDelay(NOTHING_LEARNED, AUTO, NOW)).toBe(10 * MINUTE);
    expect(pushDelay(filled(NOTHING_LEARNED, 4, 200), AUTO, NOW)).toBe(4 * MINUTE);
    expect(pushDelay(NOTHING_LEARNED, { ...AUTO, publish_delay: 3 * MINUTE }, NOW)).toBe(3 * MINUTE);
  });

  it('is as usual while it is known of old buckets alone that they are complete', () => {
    const known = (youngest: number, share: number) => {
      const shown = Array.from({ length: OLDEST_MINUTE + 1 }, (_, minute) =>
        minute < youngest ? Number.NaN : minute === youngest ? share : 100,
      );
      return grown(200, shown, NOTHING_LEARNED);
    };
    for (const youngest of [9, 5, 3]) {
      expect(delaysOf(known(youngest, 100), AUTO, NOW).publish).toBe(2 * MINUTE);
      expect(pushDelay(known(youngest, 100), AUTO, NOW)).toBe(10 * MINUTE);
      expect(delaysOf(known(youngest, 90), AUTO, NOW).publish).toBe((youngest + 1) * MINUTE);
    }
  });

  it('never changes where it is configured, whatever is learned', () => {
    const settings = { publish_delay: 3 * MINUTE, settle_delay: 10 * MINUTE };
    expect(delaysOf(filled(NOTHING_LEARNED, 9, 200), settings, NOW).publish).toBe(3 * MINUTE);
  });

  it('of settling that is configured holds, and buckets are read again for ten minutes all the same', () => {
    const delays = (minutes: number) =>
      delaysOf(NOTHING_LEARNED, { ...AUTO, settle_delay: minutes * MINUTE }, NOW);
    expect(delays(5)).toMatchObject({ settle: 5 * MINUTE, horizon: 10 * MINUTE });
    expect(delays(25)).toMatchObject({ settle: 25 * MINUTE, horizon: 25 * MINUTE });
  });

  it('of settling is no shorter than the one of showing that is configured', () => {
    expect(delaysOf(NOTHING_LEARNED, { ...AUTO, publish_delay: 15 * MINUTE }, NOW).settle).toBe(15 * MINUTE);
  });

  it('does not go back and forth where buckets are just complete enough', () => {
    const slow = filled(NOTHING_LEARNED, 5, 200);
    expect(delaysOf(slow, AUTO, NOW).publish).toBe(5 * MINUTE);
    // After 4 minutes, buckets are 98.2 % complete: enough to keep a delay, not enough to shorten it to 4
    // minutes.
    const shown: number[] = Array.from({ length: OLDEST_MINUTE + 1 }, (_, minute) => (minute < 4 ? 50 : 100));
    shown[4] = 98.2;
    expect(delaysOf(grown(200_000, shown, slow), AUTO, NOW).publish).toBe(5 * MINUTE);
    shown[4] = 99;
    expect(delaysOf(grown(200_000, shown, slow), AUTO, NOW).publish).toBe(4 * MINUTE);
  });

  describe('of settling', () => {
    const changed = (known: MetricMemory, from: number, times: number, age: number) => {
      let after = known;
      for (let time = 0; time < times; time += 1)
        after = learn(after, {
          ...NO_EVIDENCE,
          now: from + time * 10 * MINUTE,
          changes: 2,
          unsettledAge: age,
        });
      return after;
    };

    it('is as usual, however many changes come late at once', () => {
      let known = changed(NOTHING_LEARNED, NOW, 2, 14 * MINUTE);
      for (let poll = 0; poll < 20; poll += 1) known = changed(known, NOW + 15 * MINUTE, 1, 14 * MINUTE);
      expect(delaysOf(known, AUTO, NOW + 20 * MINUTE).settle).toBe(10 * MINUTE);
    });

    it('becomes longer than the age at which buckets change again and again, and stays while they do', () => {
      const late = changed(NOTHING_LEARNED, NOW, 3, 14 * MINUTE);
      const raised = 19.5 * MINUTE;
      expect(delaysOf(late, AUTO, NOW + 30 * MINUTE).settle).toBe(raised);
      const waiting = changed(late, NOW + 30 * MINUTE, 6 * 48, 14 * MINUTE);
      expect(delaysOf(waiting, AUTO, NOW + 48 * HOUR).settle).toBe(raised);
      expect(delaysOf(waiting, AUTO, NOW + 71 * HOUR).settle).toBe(raised);
      expect(delaysOf(waiting, AUTO, NOW + 73 * HOUR).settle).toBe(10 * MINUTE);
      const over = changed(waiting, NOW + 48.5 * HOUR, 6 * 26, 9 * MINUTE);
      expect(over.late).toEqual([]);
    });

    it('is learned from the greatest age of each ten minutes', () => {
      const ages = [14, 16, 12].map((age) => age * MINUTE);
      const late = ages.reduce((known, age) => changed(known, NOW, 1, age), NOTHING_LEARNED);
      expect(late.late.map(({ ms }) => ms)).toEqual([16 * MINUTE]);
    });

    it('is half an hour at most', () => {
      const late = changed(NOTHING_LEARNED, NOW, 3, 55 * MINUTE);
      expect(delaysOf(late, AUTO, NOW + HOUR).settle).toBe(HOUR / 2);
    });

    it('becomes shorter little by little, so that no poll counts more than two buckets of a minute for it', () => {
      const late = changed(NOTHING_LEARNED, NOW, 3, 55 * MINUTE);
      const delayAt = (minute: number) => delaysOf(late, AUTO, NOW + 24 * HOUR + minute * MINUTE).settle;
      const steps = Array.from({ length: 120 }, (_, minute) => delayAt(minute) - delayAt(minute + 1));
      expect(delayAt(0)).toBe(HOUR / 2);
      expect(delayAt(120)).toBe(10 * MINUTE);
      expect(Math.max(...steps)).toBeLessThan(MINUTE);
    });

    it('is as usual once the platform’s clock was set back: what it noted of times to come counts no more', () => {
      const ahead = changed(NOTHING_LEARNED, NOW + 5 * HOUR, 3, 14 * MINUTE);
      const back = learn(ahead, { ...NO_EVIDENCE, now: NOW });
      expect(delaysOf(back, AUTO, NOW).settle).toBe(10 * MINUTE);
    });

    it('learns nothing of what the usual delay covers', () => {
      const late = changed(NOTHING_LEARNED, NOW, 9, 9 * MINUTE);
      expect(delaysOf(late, AUTO, NOW + 2 * HOUR).settle).toBe(10 * MINUTE);
      expect(late).toHaveProperty('late', []);
    });
  });

  it('is the same after a restart, with all that it was learned from', () => {
    let known = filled(NOTHING_LEARNED, 9, 30);
    known = learn(known, {
      ...NO_EVIDENCE,
      now: NOW,
      changes: 1,
      downwards: 1,
      unsettledAge: 12 * MINUTE,
      lagMs: 9,
    });
    const restarted = restoreMetric(JSON.parse(JSON.stringify(storeMetric(known))));
    expect(restarted).toEqual(known);
    // 30 further buckets are enough, because buckets before the restart count too.
    expect(delaysOf(filled(restarted, 9, 30), AUTO, NOW).publish).toBe(9 * MINUTE);
  });
});

it('of what an earlier version has learned only when buckets changed last is left out', () => {
  const { late: _, ...stored } = storeMetric(filled(NOTHING_LEARNED, 9, 200));
  const hours = [{ hour: 1, up: 2, down: 3, oldest: 4 }];
  const earlier = { ...stored, hours, watchedSince: 5, watchedBuckets: 6 };
  const known = restoreMetric(earlier);
  expect(known).toMatchObject({ publishDelay: 9 * MINUTE, hours: [{ hour: 1, up: 2, down: 3 }], late: [] });
  expect(known).not.toHaveProperty('watchedSince');
});

it('what the state holds of another version is nothing learned', () => {
  for (const stored of [undefined, {}, { version: 9 }]) expect(restoreMetric(stored)).toBe(NOTHING_LEARNED);
});

it('a metric that is read dimension by dimension is tried at once again a day later', () => {
  const known = learn(NOTHING_LEARNED, { ...NO_EVIDENCE, now: NOW, mode: 'dimensions' });
  const modes = [-48, 0, 1, 23, 24].map((hours) => readMode(known, NOW + hours * HOUR));
  expect(modes).toEqual(['metric', 'dimensions', 'dimensions', 'dimensions', 'metric']);
  const later = learn(known, { ...NO_EVIDENCE, now: NOW + 23 * HOUR });
  expect(readMode(later, NOW + 24 * HOUR)).toBe('metric');
});

it('how late the platform usually is, is learned anew once its clock was set back', () => {
  const lagAt = (known: MetricMemory, now: number, minutes: number) =>
    learn(known, { ...NO_EVIDENCE, now, lagMs: minutes * MINUTE });
  const back = lagAt(lagAt(NOTHING_LEARNED, NOW + 5 * HOUR, 1), NOW, 4);
  expect(delaysOf(back, AUTO, NOW).lag).toBe(4 * MINUTE);
});

it('the dimensions of a metric that is missing are tried once an hour, over all targets', () => {
  let known = NOTHING_LEARNED;
  const tries: number[] = [];
  for (const minutes of [0, 1, 30, 61, 90, 125, -10]) {
    const now = NOW + minutes * MINUTE;
    if (mayTry(known, now)) tries.push(minutes);
    known = learn(known, { ...NO_EVIDENCE, now, isMissing: true });
  }
  expect(tries).toEqual([0, 61, 125, -10]);
});
