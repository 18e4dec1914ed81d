import { expect, it } from 'vitest';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5, 12);

// The local clock drifts by 100 ms per hour in either direction.
it.each([-2.8e-5, 2.8e-5])('follows a local clock that drifts by %f', (drift) => {
  let platformNow = START;
  const localAt = (time: number) => time + (time - START) * drift;
  const clock = new PlatformClock(() => localAt(platformNow));
  for (let minute = 0; minute < 12 * 60; minute += 1) {
    platformNow = START + minute * MINUTE + ((minute * 7_919) % 1_000);
    const [sentAt, receivedAt] = [localAt(platformNow - 40), localAt(platformNow + 40)];
    clock.observe({ sentAt, receivedAt, serverDate: Math.floor(platformNow / 1_000) * 1_000 });
    if (minute < 60) continue;
    expect(Math.abs(clock.now() - platformNow)).toBeLessThan(150);
    // A request of the next window must not leave before the platform has closed the current one.
    const closesAt = platformNow + MINUTE;
    expect(clock.latestLocal(closesAt)).toBeGreaterThanOrEqual(localAt(closesAt) - 2);
    expect(clock.latestLocal(closesAt)).toBeLessThan(localAt(closesAt) + 300);
  }
});

function answeredEachMinute(
  ahead: (minute: number) => number,
  minutes: number,
  wallJumps = (_: number) => 0,
) {
  let minute = 0;
  const local = () => START + minute * MINUTE;
  const clock = new PlatformClock(local, () => local() + wallJumps(minute));
  const off: number[] = [];
  const contradictions = [];
  for (; minute < minutes; minute += 1) {
    const now = local();
    const found = clock.observe({ sentAt: now, receivedAt: now, serverDate: now + ahead(minute) });
    if (found !== undefined) contradictions.push({ minute, ...found });
    off.push(Math.round((clock.now() - now) / MINUTE));
  }
  return { off, contradictions };
}

/** Returns a function whose value is `by` at every multiple of 7 minutes, and 0 otherwise. */
const sometimes = (by: number) => (minute: number) => (minute > 0 && minute % 7 === 0 ? by : 0);

it.each([-60 * MINUTE, 60 * MINUTE])('does not believe a node of the platform that is off by %i ms', (by) => {
  const { off, contradictions } = answeredEachMinute(
    (minute) => (minute < 15 ? 0 : sometimes(by)(minute)),
    90,
  );
  expect(new Set(off)).toEqual(new Set([0]));
  expect(contradictions).toHaveLength(10);
  expect(contradictions[0]).toMatchObject({ minute: 21, isBelieved: false });
});

it.each([-60 * MINUTE, 60 * MINUTE])(
  'believes a jump of %i ms once all answers have agreed on it for ten minutes',
  (by) => {
    const { off, contradictions } = answeredEachMinute((minute) => (minute < 20 ? 0 : by), 40);
    expect(off.slice(0, 30)).toEqual(Array(30).fill(0));
    expect(off.slice(30)).toEqual(Array(10).fill(by / MINUTE));
    expect(contradictions.map(({ isBelieved }) => isBelieved)).toEqual([...Array(10).fill(false), true]);
  },
);

it('believes neither of two halves of the platform that jump at other times, but the one that it knew', () => {
  const { off } = answeredEachMinute((minute) => (minute < 15 || minute % 2 === 0 ? 0 : 5 * MINUTE), 60);
  expect(new Set(off)).toEqual(new Set([0]));
});

it('believes an earlier time at once in the first ten minutes: the first answer may be of a node that is ahead', () => {
  const { off } = answeredEachMinute((minute) => (minute === 0 ? 60 * MINUTE : 0), 5);
  expect(off).toEqual([60, 0, 0, 0, 0]);
});

it('does not believe an earlier time in the first ten minutes that is further from the machine’s', () => {
  const { off } = answeredEachMinute((minute) => (minute === 3 ? -60 * MINUTE : 0), 8);
  expect(new Set(off)).toEqual(new Set([0]));
});

it('takes no later time than the machine’s for certain before it has stood for ten minutes', () => {
  let now = START;
  const clock = new PlatformClock(() => now);
  const certainAfter = (minutes: number, ahead: number) => {
    now += minutes * MINUTE;
    clock.observe({ sentAt: now, receivedAt: now, serverDate: now + ahead });
    return Math.round((clock.certain(clock.now()) - now) / MINUTE);
  };
  expect(certainAfter(0, 60 * MINUTE)).toBe(0);
  expect(certainAfter(9, 60 * MINUTE)).toBe(0);
  expect(certainAfter(1, 60 * MINUTE)).toBe(60);
  const other = new PlatformClock(() => START);
  other.observe({ sentAt: START, receivedAt: START, serverDate: START - 60 * MINUTE });
  expect(other.certain(other.now())).toBe(other.now());
});

it('believes a jump at once that the machine’s clock has made too: the process was suspended', () => {
  const since = (minute: number) => (minute < 20 ? 0 : 30 * MINUTE);
  expect(answeredEachMinute(since, 22, since).off.slice(-3)).toEqual([0, 30, 30]);
  expect(answeredEachMinute(since, 22, (minute) => -since(minute)).off.slice(-3)).toEqual([0, 0, 0]);
});

it('follows small changes at once', () => {
  const now = START;
  const clock = new PlatformClock(() => now);
  clock.observe({ sentAt: now, receivedAt: now, serverDate: now });
  clock.observe({ sentAt: now, receivedAt: now, serverDate: now + 20_000 });
  expect(Math.abs(clock.now() - (now + 20_000))).toBeLessThanOrEqual(500);
  expect(clock.latestLocal(now + 20_000)).toBe(now);
});
