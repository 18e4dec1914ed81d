import type { Random } from './random.ts';
import type { Site } from './site.ts';

const SHAPES = ['flat', 'ramp', 'decay', 'waves', 'slow rise', 'ragged'] as const;
export type Shape = (typeof SHAPES)[number];

export function drawShape(random: Random): Shape {
  return random.pick(SHAPES);
}

/** Returns the shape of an event over time, as shares (0 to 1) of its peak. */
export function shaped(random: Random, shape: Shape, minutes: number): Float64Array {
  const on = Math.round(random.between(2, 5));
  const off = Math.round(random.between(1, 3));
  return Float64Array.from({ length: minutes }, (_, minute) => {
    switch (shape) {
      case 'flat':
        return random.between(0.85, 1);
      case 'ramp':
        return Math.min(1, (minute + 1) / Math.min(20, minutes / 2));
      case 'decay':
        return Math.exp((-1.5 * minute) / minutes);
      case 'waves':
        return minute % (on + off) < on ? 1 : 0;
      case 'slow rise':
        return 0.3 + (0.7 * (minute + 1)) / minutes;
      case 'ragged':
        return random.between(0.3, 1);
    }
  });
}

function add(values: Float64Array, at: number, amount: number): void {
  if (at < values.length) values[at] = (values[at] ?? 0) + amount;
}

/** Adds threats to each minute from `from` on. The WAF blocks most of them. */
export function attack(site: Site, from: number, amounts: Float64Array): void {
  for (const [index, amount] of amounts.entries()) {
    const count = Math.round(amount);
    const blocked = Math.round(count * 0.9);
    add(site.threats, from + index, count);
    add(site.sql, from + index, Math.round(count * 0.6));
    add(site.blocked, from + index, blocked);
    add(site.codes['403'], from + index, blocked);
    add(site.requests, from + index, count);
    add(site.missed, from + index, count - blocked);
  }
}

/** Turns a share of the requests of each minute into errors with status 503. */
export function fail(random: Random, site: Site, from: number, shares: Float64Array): void {
  for (const [index, share] of shares.entries()) {
    const requests = site.requests[from + index] ?? 0;
    add(site.codes['503'], from + index, Math.min(requests, random.poisson(share * requests)));
  }
}

/** Adds failed logins (401) or rate-limited requests (429) to each minute. */
export function stuff(site: Site, from: number, amounts: Float64Array, code: '401' | '429' = '401'): void {
  for (const [index, amount] of amounts.entries()) {
    add(site.codes[code], from + index, Math.round(amount));
    add(site.requests, from + index, Math.round(amount));
    add(site.missed, from + index, Math.round(amount));
  }
}

/** Multiplies all traffic except the threats. */
export function multiply(site: Site, from: number, factors: Float64Array): void {
  const all = [
    site.requests,
    site.missed,
    site.codes['401'],
    site.codes['404'],
    site.codes['429'],
    site.codes['503'],
  ];
  for (const [index, factor] of factors.entries()) {
    for (const values of all) {
      const at = from + index;
      if (at < values.length) values[at] = Math.round((values[at] ?? 0) * factor);
    }
  }
}

/** Adds requests to each minute from `from` on. The cache does not serve a fifth of them. */
export function visit(site: Site, from: number, amounts: Float64Array): void {
  for (const [index, amount] of amounts.entries()) {
    add(site.requests, from + index, Math.round(amount));
    add(site.missed, from + index, Math.round(amount / 5));
  }
}
