import { type Character, DAY, drawCharacter, drawCounts, expected, HOUR, type Shift } from './background.ts';
import { drawBlips, drawMoments } from './incidents.ts';
import { add, attack, fail, type Labelled, type Site, type Traffic } from './labelled.ts';
import { Random } from './random.ts';
import { MINUTES, WEEKS } from './span.ts';

/** Eight weeks of an account. */
export interface History {
  /** The whole account first, then its configurations where there are several. */
  readonly traffic: readonly [Traffic, ...Traffic[]];
  readonly attacks: readonly Labelled[];
  readonly failures: readonly Labelled[];
}

/** An account of a seed: its size, its days, what happened to it, and what it looked like. */
export function drawHistory(seed: number, account: number): History {
  const random = new Random(seed).fork(account);
  const size = random.logNormal(1_500, 1.8);
  const days = drawCharacter(random, 1);
  const holidays = drawHolidays(random);
  const count = random.pick([1, 2, 3, 5, 8]);
  const shares = Array.from({ length: count }, (_, index) => 1 / (index + 1) ** 1.2);
  const whole = shares.reduce((sum, share) => sum + share, 0);
  const sites = shares.map((share, index) =>
    drawSite(random.fork(index), days, (size * share) / whole, holidays),
  );
  const chance = random.fork(1_000);
  lose(chance.fork(3), sites);
  const attacks = attack(chance.fork(1), sites);
  const failures = fail(chance.fork(2), sites);
  const [only, ...others] = sites.map(({ traffic }) => traffic);
  if (only === undefined) throw new Error('an account without configurations');
  const traffic: History['traffic'] =
    others.length === 0 ? [only] : [sum([only, ...others]), only, ...others];
  return { traffic, attacks, failures };
}

/** Two public holidays, on which an account has more or less traffic. */
function drawHolidays(random: Random): Shift[] {
  const factor = random.logBetween(0.35, 1.7);
  return [0, 1].map(() => {
    const from = Math.floor(random.between(0, WEEKS * 7)) * DAY;
    return { from, to: from + DAY, factor, ramp: 3 * HOUR };
  });
}

function drawSite(random: Random, days: Character, level: number, holidays: readonly Shift[]): Site {
  const campaigns = drawMoments(random, 0.25, MINUTES, DAY).map((from) => ({
    from,
    to: from + Math.round(random.between(2, 8) * HOUR),
    factor: random.between(1.3, 2.5),
    ramp: Math.round(random.between(20, 60)),
  }));
  const deployments = drawMoments(random, 0.7, MINUTES, HOUR);
  const shifts = (spread: number): Shift[] =>
    deployments.map((from) => ({ from, to: MINUTES, factor: random.logNormal(1, spread), ramp: 0 }));
  const requests = { ...days, level };
  const usual = expected(requests, [...holidays, ...campaigns, ...shifts(0.1)], MINUTES);
  // Robots sleep less than people do: their days are flatter, and some care for neither holidays nor campaigns.
  const awake = random.fraction();
  const threats = {
    ...drawCharacter(random, level * random.logNormal(0.003, 1.3)),
    phase: days.phase,
    weekend: days.weekend ** awake,
    daily: days.daily * random.between(0.2, 1),
  };
  const along = [...holidays, ...campaigns].map((shift) => ({ ...shift, factor: shift.factor ** awake }));
  const usualThreats = expected(threats, [...along, ...shifts(0.4)], MINUTES);
  const share = random.logNormal(0.0003, 0.8);
  const usualErrors = usual.map((value) => value * share);
  const traffic: Traffic = {
    requests: drawCounts(random, requests, usual),
    threats: drawCounts(random, threats, usualThreats),
    errors: drawCounts(random, { ...threats, slow: 0.3 }, usualErrors),
  };
  for (const blip of drawBlips(random, 2, MINUTES, () => random.logNormal(4 * threats.level + 3, 0.8))) {
    add(traffic.threats, blip, (value) => value);
  }
  for (const blip of drawBlips(random, 0.7, MINUTES, () => random.logBetween(0.005, 0.08))) {
    add(traffic.errors, blip, (value, minute) => value * (traffic.requests[minute] ?? 0));
  }
  return { threats, expected: usualThreats, traffic };
}

/** Times in which nothing was seen of an account. */
function lose(random: Random, sites: readonly Site[]): void {
  for (const from of drawMoments(random, 0.4, MINUTES, DAY)) {
    const to = from + Math.round(random.logBetween(5, 6 * HOUR));
    for (const { traffic } of sites) {
      for (const values of Object.values(traffic) as Float64Array[]) values.fill(Number.NaN, from, to);
    }
  }
}

function sum(parts: readonly Traffic[]): Traffic {
  const total = (pick: (traffic: Traffic) => Float64Array): Float64Array =>
    Float64Array.from({ length: MINUTES }, (_, minute) =>
      parts.reduce((value, part) => value + (pick(part)[minute] ?? 0), 0),
    );
  return {
    requests: total(({ requests }) => requests),
    threats: total(({ threats }) => threats),
    errors: total(({ errors }) => errors),
  };
}
