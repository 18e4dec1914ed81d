import { type Character, HOUR, usualDeviation } from './background.ts';
import { drawIncident, drawMoments, type Incident } from './incidents.ts';
import type { Random } from './random.ts';
import { MINUTES } from './span.ts';

/** Whether a person who looks at the chart would call it an incident, or would have to be told. */
export type Verdict = 'plain' | 'doubtful';

/** An incident of an account, with what it was among. */
export interface Labelled extends Incident {
  readonly verdict: Verdict;
  /** The first minute in which it stands out; its beginning where it never does. */
  readonly visibleFrom: number;
}

/** The minutes of a configuration or of a whole account; NaN where nothing was seen. */
export interface Traffic {
  readonly requests: Float64Array;
  readonly threats: Float64Array;
  readonly errors: Float64Array;
}

/** A configuration: what is usual in it, and its traffic. */
export interface Site {
  readonly threats: Character;
  readonly expected: Float64Array;
  readonly traffic: Traffic;
}

/** What a person goes by; none of it is taken from the rules. */
const PERSON = {
  /** Times what is expected, in all. */
  times: 4,
  deviations: 6,
  threatsPerMinute: 60,
  errorShare: 0.05,
  errorsPerMinute: 30,
  minutes: 8,
};

/** Adds an incident to the minutes in which it happens. */
export function add(
  values: Float64Array,
  incident: Incident,
  amount: (value: number, minute: number) => number,
): void {
  incident.added.forEach((value, index) => {
    const minute = incident.from + index;
    if (minute < values.length) values[minute] = (values[minute] ?? 0) + Math.round(amount(value, minute));
  });
}

/** Attacks of every size on one site, or now and then on all at once. */
export function attack(random: Random, sites: readonly Site[]): Labelled[] {
  return drawMoments(random, 0.8, MINUTES, 9 * HOUR).map((from) => {
    const incident = drawIncident(random, from, random.logBetween(30, 30_000));
    const targets = random.fraction() < 0.2 ? sites : [random.pick(sites as [Site, ...Site[]])];
    const stands = (minute: number, added: number): boolean => {
      const share = added / targets.length;
      return targets.some(({ threats, expected: usual, traffic }) => {
        const mean = usual[minute] ?? 0;
        return (
          !Number.isNaN(traffic.threats[minute] ?? Number.NaN) &&
          share >= (PERSON.times - 1) * mean &&
          share >= PERSON.deviations * usualDeviation(threats, mean) &&
          share >= PERSON.threatsPerMinute
        );
      });
    };
    for (const { traffic } of targets) {
      const part = { ...incident, added: incident.added.map((value) => value / targets.length) };
      add(traffic.threats, part, (value) => value);
      add(traffic.requests, part, (value) => value);
    }
    return label(incident, stands);
  });
}

/** Failures of the origin behind one site: a share of its responses are errors. */
export function fail(random: Random, sites: readonly Site[]): Labelled[] {
  return drawMoments(random, 0.5, MINUTES, 9 * HOUR).map((from) => {
    const incident = drawIncident(random, from, random.logBetween(0.01, 1));
    const { traffic } = random.pick(sites as [Site, ...Site[]]);
    add(traffic.errors, incident, (value, minute) => value * (traffic.requests[minute] ?? 0));
    return label(
      incident,
      (minute, added) =>
        added >= PERSON.errorShare && added * (traffic.requests[minute] ?? 0) >= PERSON.errorsPerMinute,
    );
  });
}

function label(incident: Incident, stands: (minute: number, added: number) => boolean): Labelled {
  const visible = [...incident.added.entries()]
    .map(([index, added]) => ({ minute: incident.from + index, added }))
    .filter(({ minute, added }) => added > 0 && stands(minute, added));
  const verdict = visible.length >= PERSON.minutes ? 'plain' : 'doubtful';
  return { ...incident, verdict, visibleFrom: visible[0]?.minute ?? incident.from };
}
