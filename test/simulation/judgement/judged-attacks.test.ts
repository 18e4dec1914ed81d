import { describe, expect, it } from 'vitest';
import { DAY, daily, type Family, type Fired, HOUR, judged, type Level, plus } from './judged.ts';

function threats(level: Level): Family {
  return { name: 'edge_waf_threats_per_minute', level };
}

function pages(level: Level, minutes: number, settings = {}): readonly Fired[] {
  return judged({ alerts: ['EdgeWafSpike'], families: [threats(level)], minutes, settings });
}

const USUAL = daily(30, 60);

describe('an attack', () => {
  it.each([5, 8])(
    'of a day at %i times the usual is one page from its beginning to its end, and the next one is paged as well',
    (factor) => {
      const from = 2 * DAY + 3 * HOUR;
      const next = from + DAY + 5 * HOUR;
      const attacked = plus(USUAL, [from, from + DAY, (factor - 1) * 45], [next, next + 30, 7 * 45]);
      const [first, second, ...others] = pages(attacked, 5 * DAY);
      expect(first?.from).toBeLessThan(from + 10);
      expect(first?.to).toBeGreaterThanOrEqual(from + DAY);
      expect(first?.to).toBeLessThanOrEqual(from + DAY + 15);
      expect(second?.from).toBeLessThan(next + 10);
      expect(others).toEqual([]);
    },
  );

  it('at the same hour is paged every day', () => {
    const days = Array.from({ length: 11 }, (_, day) => (day + 1) * DAY + 14 * HOUR);
    const attacked = plus(USUAL, ...days.map((from) => [from, from + 45, 400] as const));
    expect(pages(attacked, 12.5 * DAY).map(({ from }) => Math.floor((from - 14 * HOUR) / DAY))).toEqual(
      days.map((_, day) => day + 1),
    );
  });

  it('on the first day does not hide the next one', () => {
    const attacked = plus(() => 300, [5 * HOUR, 5.5 * HOUR, 3_000], [6 * HOUR, 6.5 * HOUR, 9_000]);
    expect(pages(attacked, 10 * HOUR).map(({ from }) => Math.floor(from / HOUR))).toEqual([5, 6]);
  });

  it('is none where all requests have become as many more, but it is one beside them', () => {
    const sale = [3 * DAY, 3 * DAY + 60] as const;
    const woken = (level: Level): readonly Fired[] =>
      judged({
        alerts: ['EdgeWafSpike'],
        families: [
          threats(level),
          { name: 'edge_requests_per_minute', level: plus(() => 5_000, [...sale, 55_000]) },
        ],
        minutes: 3.2 * DAY,
      });
    const along = plus(() => 20, [...sale, 220]);
    expect(woken(along)).toEqual([]);
    expect(woken(plus(along, [...sale, 600])).length).toBe(1);
  });

  it('with pauses of a few minutes is one page', () => {
    const waves = Array.from({ length: 12 }, (_, wave) => 30 * HOUR + wave * 10);
    const attacked = plus(USUAL, ...waves.map((from) => [from, from + 6, 500] as const));
    expect(pages(attacked, 34 * HOUR).length).toBe(1);
  });
});

describe('the newest minutes, which are not complete yet,', () => {
  const from = 2 * DAY;
  const seen = (length: number, after: number): Level =>
    plus(USUAL, [from + after, from + length + after, 600]);
  const fired = (length: number, ...families: readonly Family[]): readonly Fired[] =>
    judged({
      alerts: ['EdgeWafSpike'],
      families: [threats(seen(length, 4)), ...families],
      minutes: 2.2 * DAY,
    });
  const atLeast = (length: number): Family => ({
    name: 'edge_waf_threats_at_least_per_minute',
    level: (minute) => 0.7 * seen(length, 1)(minute),
  });

  it('wake somebody earlier, by as much as complete ones come later', () => {
    const [late] = fired(30);
    const [early, ...others] = fired(30, atLeast(30));
    expect((late?.from ?? 0) - (early?.from ?? 0)).toBe(3);
    expect(early?.to).toBe(late?.to);
    expect(others).toEqual([]);
  });

  it('make no page of a scanner, though it is seen in them and in complete ones', () => {
    expect(fired(4, atLeast(4))).toEqual([]);
  });
});

describe('a level that has changed for good', () => {
  const CHANGED = 3 * DAY;
  const level = plus(() => 40, [CHANGED, 60 * DAY, 300]);

  it('is a page for two days, and then it is usual', () => {
    const fired = pages(level, 12 * DAY);
    expect(fired.length).toBe(1);
    expect(fired[0]?.to).toBeGreaterThan(CHANGED + 2 * DAY);
    expect(fired[0]?.to).toBeLessThan(CHANGED + 2 * DAY + 2 * HOUR);
  });

  it('is judged by the new level then', () => {
    const attack = CHANGED + 4 * DAY;
    const fired = pages(plus(level, [attack, attack + 60, 2_000]), 8 * DAY);
    expect(fired.map(({ from }) => Math.round((from - CHANGED) / DAY))).toEqual([0, 4]);
  });

  it('stays usual, whatever the weeks before were like', () => {
    const late = 22 * DAY;
    const fired = pages(
      plus(() => 40, [late, 60 * DAY, 300]),
      27 * DAY,
    );
    expect(fired.map(({ from }) => Math.floor((from - late) / DAY))).toEqual([0]);
  });

  it('is usual within two hours where the alerts file says so', () => {
    const accepted = [{ where: { configurations: ['sh*'] }, from: (CHANGED + 3 * HOUR) * 60_000 }];
    const fired = pages(level, 6 * DAY, { accepted });
    expect(fired.length).toBe(1);
    expect(fired[0]?.to).toBeLessThan(CHANGED + 5 * HOUR);
  });

  it('of another configuration is not accepted by that', () => {
    const accepted = [{ where: { configurations: ['blog'] }, from: (CHANGED + 3 * HOUR) * 60_000 }];
    expect(pages(level, 5 * DAY, { accepted })[0]?.to).toBe(CHANGED + 2 * DAY);
  });
});

describe('what is usual', () => {
  it('is a Monday after the first weekend that anybody has seen', () => {
    // The history begins on a Friday.
    const week: Level = (minute) => ((minute + 4 * DAY) % (7 * DAY) >= 5 * DAY ? 40 : 220);
    expect(pages(week, 4 * DAY)).toEqual([]);
  });

  it('is a level that has about doubled, a few hours later, with its own ups and downs', () => {
    const noon = (minute: number): boolean => minute > 3.5 * DAY && minute < 3.5 * DAY + HOUR;
    const level: Level = (minute) => (minute < 3 * DAY ? 60 : noon(minute) ? 200 : 140);
    const fired = judged({
      alerts: ['EdgeWafSpike'],
      families: [{ ...threats(level), exact: true }],
      minutes: 3.6 * DAY,
    });
    expect(fired).toEqual([]);
  });
});

describe('what wakes nobody', () => {
  const tickets = (level: Level, minutes: number): readonly Fired[] =>
    judged({ alerts: ['EdgeWafSpike', 'EdgeWafElevated'], families: [threats(level)], minutes });

  it.each([
    [
      'pulses of 4 of every 15 minutes',
      plus(USUAL, ...Array.from({ length: 12 }, (_, n) => [3_000 + n * 15, 3_004 + n * 15, 600] as const)),
    ],
    ['a burst of five minutes', plus(USUAL, [3_000, 3_005, 4_000])],
    ['20 a minute on a site that has none', plus(() => 0.2, [3_000, 3_400, 20])],
  ])('is a ticket within an hour and a quarter: %s', (_, level) => {
    const fired = tickets(level, 3_600);
    expect(fired.map(({ labels }) => labels['severity'])).toEqual(['ticket']);
    // The hourly value takes up to an hour to rise, and must last for a quarter of an hour.
    expect(fired[0]?.from).toBeLessThanOrEqual(3_075);
  });

  it('is no ticket beside the page of an attack, nor after it', () => {
    const fired = tickets(plus(USUAL, [3_000, 3_040, 900]), 3_400);
    expect(fired.map(({ labels }) => labels['severity'])).toEqual(['page']);
  });

  it('is nothing when a scanner comes for two minutes', () => {
    expect(tickets(plus(USUAL, [3_000, 3_002, 2_000]), 3_200)).toEqual([]);
  });
});
