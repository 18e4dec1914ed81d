import { DAY, HOUR } from './background.ts';
import type { Event, EventKind } from './event.ts';
import { attack, drawShape, fail, multiply, shaped, stuff } from './inject.ts';
import type { Random } from './random.ts';
import type { Site } from './site.ts';

/** Adds events to the sites of an account, and returns them. */
export type Theme = (random: Random, sites: readonly [Site, ...Site[]], minutes: number) => Event[];

const MEAN = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function event(kind: EventKind, from: number, length: number, on: readonly Site[]): Event {
  return { kind, from, to: from + length, on: on.map(({ name }) => name) };
}

/** Returns random times from the day `first` on, with a mean distance of `days`. */
function moments(random: Random, days: number, minutes: number, first = 1.2): number[] {
  const found: number[] = [];
  for (let at = first * DAY; at < minutes - DAY / 2; at += random.between(0.6, 1.4) * days * DAY) {
    found.push(Math.round(at + random.between(0, DAY / 4)));
  }
  return found;
}

function amount({ usual }: Site, times: number): number {
  return Math.max(80, times * MEAN(usual.threats));
}

function attacks(random: Random, sites: readonly [Site, ...Site[]], minutes: number): Event[] {
  return moments(random, 2, minutes).map((from) => {
    const targets = random.fraction() < 0.25 ? sites : [random.pick(sites)];
    const length = Math.round(random.logBetween(10, 240));
    const shape = drawShape(random);
    const times = random.logBetween(6, 100);
    for (const site of targets) {
      attack(
        site,
        from,
        shaped(random, shape, length).map((share) => share * amount(site, times)),
      );
    }
    return event('attack', from, length, targets);
  });
}

function longAttack(random: Random, [site]: readonly [Site, ...Site[]], minutes: number): Event[] {
  const starts = [random.between(3, 5) * DAY, random.between(11, 14) * DAY].map(Math.round);
  return starts.flatMap((from, index) => {
    if (from + 3 * DAY > minutes) return [];
    attack(
      site,
      from,
      shaped(random, 'flat', DAY).map((share) => share * amount(site, [4, 7][index] ?? 7)),
    );
    const next = from + DAY + Math.round(random.between(6, 20) * HOUR);
    attack(
      site,
      next,
      shaped(random, 'flat', 30).map((share) => share * amount(site, 7)),
    );
    return [event('long attack', from, DAY, [site]), event('attack after a long one', next, 30, [site])];
  });
}

function daily(random: Random, [site]: readonly [Site, ...Site[]], minutes: number): Event[] {
  const hour = Math.round(random.between(0, DAY));
  const length = Math.round(random.between(30, 90));
  const events: Event[] = [];
  for (let from = DAY + hour; from + length < minutes; from += DAY) {
    attack(
      site,
      from,
      shaped(random, 'ragged', length).map((share) => share * amount(site, 12)),
    );
    events.push(event('daily attack', from, length, [site]));
  }
  return events;
}

function firstDay(random: Random, [site]: readonly [Site, ...Site[]]): Event[] {
  const from = Math.round(random.between(2, 12) * HOUR);
  const level = amount(site, random.between(10, 30));
  attack(
    site,
    from,
    shaped(random, 'flat', 30).map((share) => share * level),
  );
  attack(
    site,
    from + 60,
    shaped(random, 'flat', 30).map((share) => share * level * 3),
  );
  return [event('first day', from, 30, [site]), event('first day', from + 60, 30, [site])];
}

function lowAndSlow(random: Random, sites: readonly [Site, ...Site[]], minutes: number): Event[] {
  return moments(random, 1.6, minutes).flatMap((from, index) => {
    const site = random.pick(sites);
    switch (index % 4) {
      case 0: {
        const pulse = Math.max(100, 10 * MEAN(site.usual.threats));
        const length = Math.round(random.between(2, 5) * HOUR);
        attack(
          site,
          from,
          Float64Array.from({ length }, (_, minute) => (minute % 15 < 4 ? pulse : 0)),
        );
        return [event('pulses', from, length, [site])];
      }
      case 1: {
        const length = Math.round(random.between(4, 6));
        attack(site, from, new Float64Array(length).fill(random.between(3_000, 9_000)));
        return [event('burst', from, length, [site])];
      }
      case 2: {
        const length = Math.round(random.between(8, 20) * HOUR);
        stuff(
          site,
          from,
          shaped(random, 'ragged', length).map((share) => share * random.between(60, 150)),
        );
        return [event('credential stuffing', from, length, [site])];
      }
      default: {
        if (MEAN(site.usual.threats) > 2) return [];
        const length = Math.round(random.between(2, 8) * HOUR);
        const level = random.between(18, 32);
        attack(
          site,
          from,
          shaped(random, 'flat', length).map((share) => share * level),
        );
        return [event('quiet site', from, length, [site])];
      }
    }
  });
}

function failures(random: Random, sites: readonly [Site, ...Site[]], minutes: number): Event[] {
  return moments(random, 1.6, minutes).flatMap((from, index) => {
    const site = random.pick(sites);
    const long = index % 2 === 1;
    const length = Math.round(long ? random.between(2, 8) * HOUR : random.logBetween(15, 180));
    const least = Math.min(...site.usual.requests.subarray(from, from + length));
    if (least < 30) return [];
    const share = long ? 0.05 : random.logBetween(0.05, 1);
    fail(
      random,
      site,
      from,
      shaped(random, long ? 'flat' : drawShape(random), length).map((part) => part * share),
    );
    return [event(long ? 'long failure' : 'failure', from, length, [site])];
  });
}

function blips(random: Random, sites: readonly [Site, ...Site[]], minutes: number): Event[] {
  return moments(random, 0.7, minutes).map((from) => {
    const site = random.pick(sites);
    const length = random.pick([1, 2]);
    fail(random, site, from, new Float64Array(length).fill(random.between(0.3, 1)));
    return event('blip', from, length, [site]);
  });
}

function tiny(random: Random, sites: readonly [Site, ...Site[]], minutes: number): Event[] {
  const site = sites.at(-1) ?? sites[0];
  return moments(random, 3, minutes).flatMap((from) => {
    const length = Math.round(random.between(60, 180));
    if (MEAN(site.usual.requests.subarray(from, from + length)) < 1) return [];
    fail(random, site, from, new Float64Array(length).fill(1));
    return [event('tiny site fails', from, length, [site])];
  });
}

function drops(random: Random, sites: readonly [Site, ...Site[]], minutes: number): Event[] {
  // A traffic drop pages only if the same hour of the week before exists for comparison.
  return moments(random, 2, minutes, 8.2).flatMap((from) => {
    const site = random.pick(sites);
    const length = Math.round(random.logBetween(20, 240));
    if (Math.min(...site.usual.requests.subarray(from, from + length)) < 60) return [];
    multiply(site, from, new Float64Array(length).fill(random.between(0, 0.09)));
    return [event('drop', from, length, [site])];
  });
}

function sales(random: Random, sites: readonly [Site, ...Site[]], minutes: number): Event[] {
  return moments(random, 3, minutes).map((from) => {
    const site = random.pick(sites);
    const length = Math.round(random.between(30, 240));
    const factor = random.between(4, 8);
    multiply(
      site,
      from,
      shaped(random, 'ramp', length).map((share) => 1 + (factor - 1) * share),
    );
    return event('flash sale', from, length, [site]);
  });
}

function moved(random: Random, sites: readonly [Site, ...Site[]], minutes: number): Event[] {
  const [from, ...others] = sites;
  const [to] = others;
  if (to === undefined) return [];
  const at = Math.round(random.between(9, 14) * DAY);
  const share = random.between(0.75, 1);
  const traffic = ({ requests, missed, codes }: Site) => [
    requests,
    missed,
    codes['401'],
    codes['404'],
    codes['503'],
  ];
  const gains = traffic(to);
  for (const [index, values] of traffic(from).entries()) {
    const gained = gains[index] ?? new Float64Array(0);
    for (let minute = at; minute < minutes; minute++) {
      const gone = Math.round((values[minute] ?? 0) * share);
      values[minute] = (values[minute] ?? 0) - gone;
      gained[minute] = (gained[minute] ?? 0) + gone;
    }
  }
  return [event('moved traffic', at, Math.min(2 * DAY, minutes - at), [from, to])];
}

function surges(random: Random, sites: readonly [Site, ...Site[]], minutes: number): Event[] {
  for (const from of moments(random, 5, minutes, 3)) {
    const length = Math.round(random.between(8, 30) * HOUR);
    const factor = random.between(3, 6);
    for (const site of random.fraction() < 0.5 ? sites : [random.pick(sites)]) {
      const rise = Float64Array.from(
        { length },
        (_, at) => 1 + (factor - 1) * Math.min(1, at / 60, (length - at) / 60),
      );
      multiply(site, from, rise);
    }
  }
  return [];
}

/** Themes that accounts use in turn. */
export const THEMES: Readonly<Record<string, Theme>> = {
  quiet: () => [],
  attacks,
  'long attack': longAttack,
  failures,
  daily,
  'low and slow': lowAndSlow,
  weekends: () => [],
  drops,
  sales,
  surges,
  'first day': firstDay,
  blips,
  moved,
  tiny,
};
