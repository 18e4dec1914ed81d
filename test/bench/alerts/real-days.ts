import { DAY, HOUR, WEEK } from './background.ts';
import { type Days, drawDays, drawSite } from './days.ts';
import type { Event, EventKind } from './event.ts';
import { type History, inputsOf } from './history.ts';
import { attack, drawShape, fail, multiply, shaped } from './inject.ts';
import { Random } from './random.ts';
import type { Site } from './site.ts';

/** Account whose daily pattern and events follow the traits of real sites, independent of any rule. */
export interface Scene {
  readonly days: (random: Random) => readonly [Days, ...Days[]];
  readonly happens: (random: Random, sites: readonly [Site, ...Site[]], minutes: number) => Event[];
}

export function event(kind: EventKind, from: number, length: number, on: readonly Site[]): Event {
  return { kind, from, to: from + length, on: on.map(({ name }) => name) };
}

function officeDays(random: Random): Days {
  const opens = Math.round(random.between(6, 9));
  const closes = opens + Math.round(random.between(8, 11));
  const hours = Array.from({ length: 24 }, (_, hour) => (hour >= opens && hour < closes ? 2 : 0.08));
  return drawDays(random, 300, 5_000, { hours, steep: true, weekend: random.pick([0.05, 0.1, 1]) });
}

/** Returns random times with a given mean distance in days. */
export function moments(random: Random, first: number, apart: number, minutes: number): number[] {
  const found: number[] = [];
  for (let at = first; at < minutes / DAY - 1; at += random.between(0.7, 1.3) * apart) {
    found.push(Math.round((at + random.between(0, 0.3)) * DAY));
  }
  return found;
}

export function least({ usual }: Site, from: number, length: number): number {
  return usual.requests.subarray(from, from + length).reduce((low, value) => Math.min(low, value), Infinity);
}

/** Returns a number of threats per minute that is clearly unusual. */
export function muchOf({ usual }: Site, times: number): number {
  const mean = usual.threats.reduce((sum, value) => sum + value, 0) / usual.threats.length;
  return Math.max(80, times * mean);
}

export function attackFor(random: Random, site: Site, from: number, length: number, times: number): void {
  attack(
    site,
    from,
    shaped(random, 'ragged', length).map((share) => share * muchOf(site, times)),
  );
}

export function failFor(random: Random, site: Site, from: number, length: number, share: number): void {
  fail(random, site, from, new Float64Array(length).fill(share));
}

function lose(sites: readonly Site[], from: number, to: number): void {
  for (const { requests, threats, blocked, sql, missed, codes } of sites) {
    for (const values of [requests, threats, blocked, sql, missed, ...Object.values(codes)]) {
      values.fill(Number.NaN, from, to);
    }
  }
}

const one =
  (low: number, high: number, more: Partial<Days> = {}) =>
  (random: Random): [Days] => [drawDays(random, low, high, more)];

const crashLoop: Scene = {
  days: one(80, 5_000),
  happens: (random, [site], minutes) =>
    moments(random, 1.5, 2.5, minutes).flatMap((from, index) => {
      const share = index % 2 === 0 ? 0.4 : 1;
      if (least(site, from, 240) < 40) return [];
      fail(
        random,
        site,
        from,
        Float64Array.from({ length: 240 }, (_, at) => (at % 15 < 3 ? share : 0)),
      );
      return [event('crash loop', from, 240, [site])];
    }),
};

const nightlyBatch: Scene = {
  days: one(200, 3_000, { threats: 0.004 }),
  happens: (random, [site], minutes) => {
    const at = Math.round(random.between(0, 5) * HOUR);
    const events: Event[] = [];
    for (let from = at; from + 20 < minutes; from += DAY) {
      multiply(site, from, new Float64Array(20).fill(12));
      for (let minute = from; minute < from + 20; minute++) {
        const more = random.poisson((site.requests[minute] ?? 0) * 0.004);
        site.threats[minute] = (site.threats[minute] ?? 0) + more;
        site.sql[minute] = (site.sql[minute] ?? 0) + Math.round(more * 0.4);
      }
      events.push(event('nightly batch', from, 20, [site]));
    }
    return events;
  },
};

const office: Scene = { days: (random) => [officeDays(random), officeDays(random)], happens: () => [] };

const smallSiteDies: Scene = {
  days: one(70, 150),
  happens: (random, [site], minutes) => {
    const from = Math.round(random.between(9, 15) * DAY);
    if (from >= minutes) return [];
    const length = Math.min(4 * DAY, minutes - from);
    multiply(site, from, new Float64Array(length));
    return [event('small site dies', from, length, [site])];
  },
};

const alwaysFailing: Scene = {
  days: one(70, 200, { errors: 0.008 }),
  happens: (_random, [site], minutes) => [event('errors at all times', 0, minutes, [site])],
};

const polluted: Scene = {
  days: one(300, 5_000),
  happens: (random, [site], minutes) => {
    const from = Math.round(random.between(1, 3) * DAY);
    attackFor(random, site, from, 12 * DAY, 12);
    const again = from + Math.round(random.between(13, 14) * DAY);
    if (again + 180 > minutes) return [];
    attackFor(random, site, again, 180, 12);
    return [event('attack of days', from, 12 * DAY, [site]), event('attack again', again, 180, [site])];
  },
};

const slowRamp: Scene = {
  days: one(300, 5_000),
  happens: (random, [site], minutes) =>
    moments(random, 4, 4, minutes).map((from, index) => {
      const [length, times] = (
        [
          [360, 10],
          [360, 6],
          [720, 32],
        ] as const
      )[index % 3] ?? [360, 10];
      const peak = muchOf(site, times);
      attack(
        site,
        from,
        Float64Array.from({ length: length + 120 }, (_, at) => peak * Math.min(1, at / length)),
      );
      return event(times === 32 ? 'ramp to 32 times' : 'ramp over 6 hours', from, length + 120, [site]);
    }),
};

const firstWeekDrop: Scene = {
  days: one(200, 5_000, { weekend: 1 }),
  happens: (random, [site], minutes) =>
    moments(random, 2, 2, Math.min(minutes, 7 * DAY)).map((from) => {
      const length = Math.round(random.between(60, 240));
      multiply(site, from, new Float64Array(length).fill(random.between(0, 0.05)));
      return event('drop in the first week', from, length, [site]);
    }),
};

const drops: Scene = {
  days: one(100, 10_000),
  happens: (random, [site], minutes) =>
    moments(random, 8, 1.5, minutes).flatMap((from) => {
      const length = Math.round(random.logBetween(20, 240));
      if (least(site, from, length) < 40) return [];
      multiply(site, from, new Float64Array(length).fill(random.between(0, 0.12)));
      return [event('drop on a real day', from, length, [site])];
    }),
};

const SHARES = {
  0.3: 'errors, 30 %',
  0.1: 'errors, 10 %',
  0.05: 'errors, 5 %',
  0.02: 'errors, 2 %',
} as const;

const errors: Scene = {
  days: one(150, 8_000),
  happens: (random, [site], minutes) =>
    moments(random, 0.6, 1, minutes).flatMap((from, index) => {
      const share = ([0.3, 0.1, 0.05, 0.02] as const)[index % 4] ?? 0.3;
      const length = Math.round(random.logBetween(30, 180));
      if (least(site, from, length) < 60) return [];
      failFor(random, site, from, length, share);
      return [event(SHARES[share], from, length, [site])];
    }),
};

const blips: Scene = {
  days: one(50, 5_000),
  happens: (random, [site], minutes) =>
    moments(random, 0.5, 0.6, minutes).map((from) => {
      const length = random.pick([1, 2]);
      failFor(random, site, from, length, random.between(0.3, 1));
      return event('blip', from, length, [site]);
    }),
};

const holidays: Scene = {
  days: (random) => {
    const days = new Map(
      [8, 9, 15, 17].map((day) => [day + Math.floor(random.between(0, 2)), random.between(0.25, 0.5)]),
    );
    return [drawDays(random, 200, 5_000, { holidays: days }), drawDays(random, 50, 500, { holidays: days })];
  },
  happens: () => [],
};

const overlapping: Scene = {
  days: (random) => [drawDays(random, 300, 5_000), drawDays(random, 200, 2_000)],
  happens: (random, sites, minutes) =>
    moments(random, 2, 2.5, minutes).flatMap((from) => {
      const [first, second = first] = sites;
      attackFor(random, first, from, 150, random.logBetween(10, 60));
      const failed = random.fraction() < 0.5 ? first : second;
      failFor(random, failed, from + 40, 60, 0.3);
      return [
        event('attack beside a failure', from, 150, [first]),
        event('failure beside an attack', from + 40, 60, [failed]),
      ];
    }),
};

const inGaps: Scene = {
  days: one(300, 5_000),
  happens: (random, [site], minutes) =>
    moments(random, 8, 1.5, minutes).flatMap((from, index) => {
      if (least(site, from, 120) < 40) return [];
      if (index % 3 === 0) attackFor(random, site, from, 120, 20);
      else if (index % 3 === 1) failFor(random, site, from, 120, 0.3);
      else multiply(site, from, new Float64Array(120).fill(0.03));
      const seen = from + Math.round(random.between(5, 30));
      lose([site], from - Math.round(random.between(15, 40)), seen);
      return [
        event(
          (['attack', 'errors, 30 %', 'drop on a real day'] as const)[index % 3] ?? 'attack',
          seen,
          from + 120 - seen,
          [site],
        ),
      ];
    }),
};

const smallFlood: Scene = {
  days: one(70, 250),
  happens: (random, [site], minutes) => {
    const from = Math.round(random.between(2, 6) * DAY);
    const length = Math.round(random.between(4, 30) * HOUR);
    multiply(site, from, new Float64Array(Math.min(length, minutes - from)).fill(random.between(6, 11)));
    return [event('small flood', from, length, [site])];
  },
};

const small: Scene = {
  days: (random) => [drawDays(random, 1, 10), drawDays(random, 8, 40), drawDays(random, 20, 100)],
  happens: () => [],
};

const attacks: Scene = {
  days: one(100, 8_000),
  happens: (random, [site], minutes) =>
    moments(random, 1.5, 1.5, minutes).map((from) => {
      const length = Math.round(random.logBetween(15, 240));
      const times = random.logBetween(8, 100);
      attack(
        site,
        from,
        shaped(random, drawShape(random), length).map((share) => share * muchOf(site, times)),
      );
      return event('attack', from, length, [site]);
    }),
};

/** Scenes that accounts use in turn. */
export const SCENES: Readonly<Record<string, Scene>> = {
  'crash loop': crashLoop,
  'nightly batch': nightlyBatch,
  'office hours': office,
  'small site dies': smallSiteDies,
  'always failing': alwaysFailing,
  polluted,
  'slow ramp': slowRamp,
  'first week': firstWeekDrop,
  drops,
  errors,
  blips,
  holidays,
  overlapping,
  'in gaps': inGaps,
  'small flood': smallFlood,
  small,
  attacks,
};

/** Draws an account from a seed; accounts use the given scenes in turn. */
export function drawScene(
  scenes: Readonly<Record<string, Scene>>,
  seed: number,
  account: number,
  weeks: number,
): History {
  const random = new Random(seed).fork(1_000 + account);
  const minutes = weeks * WEEK;
  const names = Object.keys(scenes);
  const theme = names[account % names.length] ?? 'small';
  const scene = scenes[theme] ?? small;
  const [first, ...others] = scene.days(random.fork(1));
  const sites: [Site, ...Site[]] = [
    drawSite(random.fork(2), 'site-0', first, minutes),
    ...others.map((days, index) => drawSite(random.fork(3 + index), `site-${index + 1}`, days, minutes)),
  ];
  const events = scene.happens(random.fork(99), sites, minutes);
  const inputs = sites.flatMap((site, index) => inputsOf(site, String(account), String(index)));
  return { account: String(account), theme, inputs, events, minutes };
}

/** Draws an account from a seed and `SCENES`. */
export function drawRealDays(seed: number, account: number, weeks: number): History {
  return drawScene(SCENES, seed, account, weeks);
}
