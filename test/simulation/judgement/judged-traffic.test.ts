import { describe, expect, it } from 'vitest';
import { DAY, daily, type Family, type Fired, HOUR, judged, type Level, plus, times } from './judged.ts';

const WEEK = 7 * DAY;

function requests(level: Level, configuration = 'shop'): Family {
  return { name: 'edge_requests_per_minute', level, configuration };
}

function responses(code: string, level: Level): Family {
  return { name: 'edge_responses_per_minute', level, labels: { code, class: `${code[0]}xx` } };
}

function severities(fired: readonly Fired[]): readonly (string | undefined)[] {
  return fired.map(({ labels }) => labels['severity']);
}

function pages(fired: readonly Fired[]): readonly Fired[] {
  return fired.filter(({ labels }) => labels['severity'] === 'page');
}

/** Returns a level that is multiplied at weekends, from minute 5 d to 7 d of each week. */
function weekends(level: Level, factor: number): Level {
  return (minute) => level(minute) * (minute % WEEK >= 5 * DAY ? factor : 1);
}

describe('a drop of traffic', () => {
  const drops = (families: readonly Family[], minutes: number): readonly Fired[] =>
    judged({ alerts: ['EdgeTrafficDrop'], families, minutes });

  it('is no weekend, not the first, nor the second', () => {
    expect(drops([requests(weekends(daily(400, 900), 0.2))], 2.2 * WEEK)).toEqual([]);
  });

  it.each([
    ['a small site', 70],
    ['a large one', 20_000],
  ])('to next to nothing is one page: %s', (_, level) => {
    const from = 15 * DAY + 11 * HOUR;
    const fired = pages(drops([requests(times(() => level, [from, from + 60, 0.01]))], 15.6 * DAY));
    expect(fired.length).toBe(1);
    expect(fired[0]?.from).toBeLessThan(from + 20);
    expect(fired[0]?.to).toBeLessThanOrEqual(from + 60 + 15);
  });

  it('to a tenth or to two thirds is a ticket', () => {
    const from = 15 * DAY + 11 * HOUR;
    const [tenth, part] = [0.1, 0.65].map((left) =>
      severities(drops([requests(times(() => 900, [from, from + 180, left]))], 15.7 * DAY)),
    );
    expect([tenth, part]).toEqual([['ticket'], ['ticket']]);
  });

  it('is a ticket in the first two weeks, which cannot tell a dead site', () => {
    const from = 12 * DAY + 10 * HOUR;
    const fired = drops([requests(times(() => 800, [from, from + 60, 0]))], 13 * DAY);
    expect(fired.map(({ labels }) => labels['severity'])).toEqual(['ticket']);
  });

  it('is no opening or closing, some minutes earlier or later than on other days, after the first weekend', () => {
    const open = (minute: number): boolean => {
      const late = [0, 7, -6, 4, -3][Math.floor(minute / DAY) % 5] ?? 0;
      const hours = (minute % DAY) - late;
      return hours >= 8 * HOUR && hours < 18 * HOUR;
    };
    const level = weekends((minute) => (open(minute) ? 2_000 : 60), 0.1);
    const fired = drops([requests(level)], 2.2 * WEEK);
    expect(pages(fired)).toEqual([]);
    // The first weekend has no earlier one for comparison.
    expect(fired.filter(({ from }) => from >= WEEK)).toEqual([]);
  });

  it('of a small site that dies is one page, through its nights', () => {
    const from = 15 * DAY + 11 * HOUR;
    const fired = pages(drops([requests(times(daily(15, 200), [from, 19 * DAY, 0]))], 17.5 * DAY));
    expect(fired.length).toBe(1);
    expect(fired[0]?.to).toBeGreaterThan(from + 2 * DAY);
  });

  it('is not the end of a surge, nor the same hour a week after it', () => {
    const surge = 3 * DAY + 10 * HOUR;
    expect(drops([requests(times(() => 800, [surge, surge + 6 * HOUR, 5]))], 12 * DAY)).toEqual([]);
  });

  it('is no page where another configuration has what this one has lost', () => {
    const from = 15 * DAY;
    const moved = [
      requests(times(() => 800, [from, WEEK * 9, 0.02])),
      requests(
        plus(() => 600, [from, WEEK * 9, 790]),
        'blog',
      ),
    ];
    expect(pages(drops(moved, 16 * DAY))).toEqual([]);
  });

  it('is no holiday, with its own ups and downs', () => {
    const from = 9 * DAY;
    const holiday = times(() => 2_000, [from, from + DAY, 0.32], [from + 12 * HOUR, from + 13 * HOUR, 0.7]);
    expect(drops([requests(holiday)], 10.5 * DAY)).toEqual([]);
  });

  it('is no data that has not come', () => {
    const from = 9 * DAY;
    const age: Family = {
      name: 'edge_data_until_timestamp_seconds',
      level: (minute) => 60 * (minute >= from ? from - 20 : minute - 3),
      labels: { metric: 'cdn_requests' },
      exact: true,
    };
    expect(drops([requests(times(() => 800, [from, from + 60, 0])), age], 9.2 * DAY)).toEqual([]);
  });
});

describe('a flood', () => {
  const from = 2 * DAY + 10 * HOUR;
  const sold = (level: number): Level => times(() => level, [from, from + 90, 6]);
  const floods = (...families: readonly Family[]): readonly Fired[] =>
    judged({ alerts: ['EdgeTrafficFlood', 'EdgeStatusCodeSurge'], families, minutes: 2.6 * DAY });

  it('of visitors who get what they come for is information, and their broken links are no surge', () => {
    const fired = floods(requests(sold(4_000)), responses('200', sold(3_950)), responses('404', sold(50)));
    expect(severities(fired)).toEqual(['info']);
  });

  it.each([
    [
      'server errors',
      responses(
        '503',
        plus(() => 1, [from, from + 90, 1_000]),
      ),
    ],
    ['threats', { name: 'edge_waf_threats_per_minute', level: plus(() => 5, [from, from + 90, 300]) }],
  ])('is one page when %s rise with it: theirs', (_, harm) => {
    const fired = judged({
      alerts: ['EdgeTrafficFlood', 'EdgeWafSpike', 'Edge5xxRatio'],
      families: [requests(sold(4_000)), responses('200', sold(4_000)), harm],
      minutes: 2.6 * DAY,
    });
    expect(severities(fired).toSorted()).toEqual(['info', 'page']);
  });
});

describe('errors', () => {
  const from = 3 * DAY;
  const errors = (ok: number, failed: Level, code = '503'): readonly Fired[] =>
    judged({
      alerts: ['Edge5xxRatio', 'EdgeStatusCodeSurge'],
      families: [requests(() => ok), responses('200', () => ok), responses(code, failed)],
      minutes: 3.6 * DAY,
    });

  it.each([1, 2])('of all requests for %i minutes wake nobody', (minutes) => {
    expect(
      severities(
        errors(
          2_000,
          plus(() => 0.3, [from, from + minutes, 2_000]),
        ),
      ),
    ).not.toContain('page');
  });

  it('of three restarts within half an hour wake nobody', () => {
    const restarts = [0, 9, 18].map((after) => [from + after, from + after + 2, 2_000] as const);
    expect(
      severities(
        errors(
          2_000,
          plus(() => 0.3, ...restarts),
        ),
      ),
    ).not.toContain('page');
  });

  it.each([0.4, 1])('of three of every fifteen minutes are one page: a share of %f fails', (share) => {
    const falls = Array.from({ length: 16 }, (_, round) => from + round * 15);
    const fired = errors(
      2_000,
      plus(() => 0.3, ...falls.map((at) => [at, at + 3, 2_000 * share] as const)),
    );
    const pages = fired.filter(({ labels }) => labels['severity'] === 'page');
    expect(pages.length).toBe(1);
    expect(pages[0]?.from).toBeLessThan(from + 45);
    expect(pages[0]?.to).toBeGreaterThan(from + 15 * 15);
  });

  it('that a site has at all times are one ticket, until there are far more of them', () => {
    const fired = errors(
      200,
      plus(() => 1.6, [from, from + 60, 12]),
    );
    expect(severities(fired)).toEqual(['ticket', 'page']);
    expect(fired[0]?.from).toBeLessThan(2 * HOUR);
    expect(fired[1]?.from).toBeGreaterThanOrEqual(from);
  });

  it('of 5 % are one page, as long as they last', () => {
    const fired = errors(
      600,
      plus(() => 0.1, [from, from + 5 * HOUR, 32]),
    );
    const pages = fired.filter(({ labels }) => labels['severity'] === 'page');
    expect(pages.length).toBe(1);
    expect(pages[0]?.from).toBeLessThan(from + 25);
    expect(pages[0]?.to).toBeGreaterThanOrEqual(from + 5 * HOUR);
    expect(pages[0]?.to).toBeLessThanOrEqual(from + 5 * HOUR + 15);
  });

  it('of all of the few requests of a small site are a page within a quarter of an hour', () => {
    const down = times(() => 2, [from, from + 120, 0]);
    const fired = judged({
      alerts: ['Edge5xxRatio'],
      families: [
        responses('200', down),
        responses(
          '503',
          plus(() => 0, [from, from + 120, 2]),
        ),
      ],
      minutes: 3.3 * DAY,
    });
    expect(severities(fired)).toEqual(['page']);
    expect(fired[0]?.from).toBeLessThanOrEqual(from + 15);
  });

  it('of logins, a hundred a minute for hours, are a ticket within an hour', () => {
    const fired = errors(
      3_000,
      plus(() => 3, [from, from + 10 * HOUR, 50]),
      '401',
    );
    expect(severities(fired)).toEqual(['ticket']);
    expect(fired[0]?.from).toBeLessThanOrEqual(from + 60);
  });
});
