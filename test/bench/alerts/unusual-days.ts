import { DAY, HOUR } from './background.ts';
import { type Days, drawDays } from './days.ts';
import type { Event } from './event.ts';
import type { History } from './history.ts';
import { attack, fail, multiply, shaped, stuff, visit } from './inject.ts';
import type { Random } from './random.ts';
import { attackFor, drawScene, event, failFor, least, moments, muchOf, type Scene } from './real-days.ts';
import { CODES, type Site } from './site.ts';

function closing(random: Random, more: Partial<Days>): Days {
  const opens = Math.round(random.between(5, 9));
  const closes = opens + Math.round(random.between(8, 14));
  const hours = Array.from({ length: 24 }, (_, hour) => (hour >= opens && hour < closes ? 2 : 0));
  return drawDays(random, 100, 5_000, { hours, steep: random.fraction() < 0.7, ...more });
}

const quietly = (days: Scene['days']): Scene => ({ days, happens: () => [] });

const closedWeekends = quietly((random) => [
  closing(random, { weekend: 0 }),
  drawDays(random, 200, 4_000, { weekend: 0 }),
]);

const closedNights = quietly((random) => [
  closing(random, { weekend: 1 }),
  closing(random, { weekend: 0.5 }),
]);

const clockChange = quietly((random) => {
  const clock = { day: Math.round(random.between(9, 17)), minutes: random.pick([60, -60]) };
  return [closing(random, { weekend: 1, clock }), closing(random, { weekend: 0, clock })];
});

const hourlyJob: Scene = {
  days: (random) => [drawDays(random, 0.3, 2)],
  happens: (random, [site], minutes) => {
    const [at, lasts] = [random.between(0, 59), random.between(2, 5)].map(Math.round) as [number, number];
    const much = random.logBetween(100, 2_000);
    for (let from = at; from + lasts < minutes; from += HOUR) {
      visit(
        site,
        from,
        shaped(random, 'ragged', lasts).map((share) => share * much),
      );
    }
    return [];
  },
};

function seriesOf(site: Site): readonly Float64Array[] {
  const { requests, threats, blocked, sql, missed, codes } = site;
  return [requests, threats, blocked, sql, missed, ...CODES.map((code) => codes[code])];
}

const launch: Scene = {
  days: (random) => [drawDays(random, 300, 3_000), drawDays(random, 3_000, 20_000)],
  happens: (random, [, site], minutes) => {
    if (site === undefined) return [];
    const at = Math.round(random.between(8, 15) * DAY);
    for (const values of seriesOf(site)) values.fill(Number.NaN, 0, at);
    return [event('launch', at, Math.min(4 * DAY, minutes - at), [site])];
  },
};

const blueGreen: Scene = {
  days: (random) => [drawDays(random, 300, 5_000), drawDays(random, 5, 20)],
  happens: (random, [blue, green = blue], minutes) => {
    const at = Math.round(random.between(8, 14) * DAY);
    const back = Math.min(minutes, at + Math.round(random.between(2, 4) * DAY));
    const [from, to] = [seriesOf(blue), seriesOf(green)];
    for (const [index, values] of from.entries()) {
      const gains = to[index] ?? values;
      for (let minute = at; minute < back; minute++) {
        gains[minute] = (gains[minute] ?? 0) + (values[minute] ?? 0);
        values[minute] = 0;
      }
    }
    return [
      event('blue-green move', at, back - at, [blue, green]),
      event('blue-green move', back, DAY, [blue, green]),
    ];
  },
};

const retryStorm: Scene = {
  days: (random) => [drawDays(random, 200, 5_000)],
  happens: (random, [site], minutes) =>
    moments(random, 2, 2.5, minutes).flatMap((from) => {
      const length = Math.round(random.between(30, 90));
      if (least(site, from, length) < 60) return [];
      multiply(site, from, new Float64Array(length).fill(random.between(3, 6)));
      const lead = random.pick([0, 5, 10]);
      failFor(random, site, from + lead, length - lead, random.between(0.2, 0.6));
      return [event('retry storm', from + lead, length - lead, [site])];
    }),
};

const blackFriday: Scene = {
  days: (random) => [drawDays(random, 500, 5_000), drawDays(random, 200, 2_000)],
  happens: (random, sites, minutes) =>
    moments(random, 5, 7, minutes).map((from) => {
      const length = Math.round(random.between(8, 20) * HOUR);
      const factor = random.between(4, 10);
      for (const site of sites)
        multiply(
          site,
          from,
          shaped(random, 'ramp', length).map((share) => 1 + (factor - 1) * share),
        );
      return event('flash sale', from, length, sites);
    }),
};

const partialLoss: Scene = {
  days: (random) => [drawDays(random, 200, 8_000)],
  happens: (random, [site], minutes) =>
    moments(random, 14.5, 1.3, minutes).flatMap((from, index) => {
      if (least(site, from, 180) < 60) return [];
      multiply(site, from, new Float64Array(180).fill(index % 2 === 0 ? 0.7 : 0.5));
      return [event('partial loss', from, 180, [site])];
    }),
};

const smallSites: Scene = {
  days: (random) => [drawDays(random, 2, 8), drawDays(random, 8, 25), drawDays(random, 20, 60)],
  happens: (random, sites, minutes) =>
    moments(random, 1.5, 1, minutes).flatMap((from, index) => {
      const site = sites[index % 3] ?? sites[0];
      const length = Math.round(random.logBetween(30, 180));
      if (least(site, from, length) < 1.2) return [];
      fail(random, site, from, new Float64Array(length).fill(random.between(0.6, 1)));
      return [event('small site fails', from, length, [site])];
    }),
};

const ruleSetSwitch: Scene = {
  days: (random) => [drawDays(random, 1_000, 8_000, { threats: random.logBetween(0.005, 0.03) })],
  happens: (random, [site], minutes) => {
    const at = Math.round(random.between(4, 14) * DAY);
    const blocks = random.fraction() < 0.5;
    const more = random.between(3, 8);
    const { threats, sql, blocked, codes } = site;
    for (let minute = 0; minute < minutes; minute++) {
      const after = minute >= at;
      const detected = (threats[minute] ?? 0) * (after && !blocks ? more : 1);
      threats[minute] = Math.round(detected);
      sql[minute] = Math.round(detected * 0.4);
      blocked[minute] = after || !blocks ? Math.round(detected * 0.9) : 0;
      codes['403'][minute] = blocked[minute] ?? 0;
    }
    const changed = Float64Array.from({ length: minutes }, (_, minute) =>
      minute >= at ? at * 60 : -8_640_000,
    );
    Object.assign(site, { ruleSetChanged: changed });
    return [event('rule set switch', at, Math.min(3 * DAY, minutes - at), [site])];
  },
};

const beginsInAttack: Scene = {
  days: (random) => [drawDays(random, 300, 5_000)],
  happens: (random, [site], minutes) => {
    const times = random.between(10, 20);
    attackFor(random, site, 0, 12 * DAY, times);
    const again = Math.round(random.between(13.5, 16) * DAY);
    if (again + 180 > minutes) return [];
    attackFor(random, site, again, 180, times);
    return [event('attack from the start', 0, 12 * DAY, [site]), event('attack again', again, 180, [site])];
  },
};

const slowStuffing: Scene = {
  days: (random) => [drawDays(random, 60, 400)],
  happens: (random, [site], minutes) =>
    moments(random, 2, 2, minutes).map((from, index) => {
      const limited = index % 2 === 1;
      const length = limited ? 60 : 8 * HOUR;
      const level = limited ? 100 : random.between(12, 30);
      stuff(
        site,
        from,
        shaped(random, 'flat', length).map((share) => share * level),
        limited ? '429' : '401',
      );
      return event('slow stuffing', from, length, [site]);
    }),
};

const maintenance: Scene = {
  days: (random) => [drawDays(random, 200, 3_000)],
  happens: (random, [site], minutes) => {
    const events: Event[] = [];
    for (let from = Math.round(random.between(0, 5) * HOUR); from + 5 < minutes; from += DAY) {
      fail(random, site, from, new Float64Array(5).fill(1));
      events.push(event('nightly maintenance', from, 5, [site]));
    }
    return events;
  },
};

const plainAttacks: Scene = {
  days: (random) => [drawDays(random, 30, 3_000), closing(random, { weekend: 0.1 })],
  happens: (random, sites, minutes) =>
    moments(random, 1.5, 2, minutes).map((from) => {
      const site = random.pick(sites);
      const length = Math.round(random.logBetween(20, 240));
      const much = muchOf(site, random.logBetween(8, 60));
      attack(
        site,
        from,
        shaped(random, 'ragged', length).map((share) => share * much),
      );
      return event('attack', from, length, [site]);
    }),
};

/** Scenes with events of real accounts that `real-days.ts` does not contain. */
export const UNUSUAL_SCENES: Readonly<Record<string, Scene>> = {
  'closed at weekends': closedWeekends,
  'closed at nights': closedNights,
  'clock change': clockChange,
  'hourly job': hourlyJob,
  launch,
  'blue-green': blueGreen,
  'retry storm': retryStorm,
  'black friday': blackFriday,
  'partial loss': partialLoss,
  'small sites': smallSites,
  'rule set switch': ruleSetSwitch,
  'begins in an attack': beginsInAttack,
  'slow stuffing': slowStuffing,
  maintenance,
  attacks: plainAttacks,
};

/** Draws an account from a seed and `UNUSUAL_SCENES`. */
export function drawUnusualDays(seed: number, account: number, weeks: number): History {
  return drawScene(UNUSUAL_SCENES, seed, account, weeks);
}
