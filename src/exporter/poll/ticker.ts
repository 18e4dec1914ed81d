import { createTask } from 'node-cron';
import type { Clock } from '../clock.ts';

/**
 * Calls `fire` at every moment of a cron pattern (UTC; five fields, or six with seconds first), with that moment
 * in milliseconds since the epoch, until the returned function is called.
 * @throws when the pattern is not one
 */
export type Ticker = (pattern: string, fire: (at: number) => void) => () => void;

/** What a ticker reports of itself. */
export interface TickerReports {
  /** A subscriber threw; the others were still called. */
  readonly failed: (pattern: string, error: unknown) => void;
  /** The machine's clock was set by so much (ms), forward or, below 0, back. */
  readonly stepped: (ms: number) => void;
  /** Nothing ran for so long (ms): the process was suspended, or the event loop blocked. */
  readonly stalled: (ms: number) => void;
}

/** A ticker, and the end of all its subscriptions. */
export interface CronTicker {
  readonly tick: Ticker;
  readonly stop: () => void;
}

/** Moments are planned this far ahead (ms) at most, so that rare ones are planned anew after the clock was set. */
const PLANNED_MS = 60_000;

/** The two times may part by so much (ms) while one sleeps: NTP slews, and they are not read at the same instant. */
const STEP_MS = 1_000;

/** A busy event loop may be this late (ms) without a report. */
const LATE_MS = 10_000;

interface Trigger {
  readonly cron: CronPattern;
  /** Kept by a key of their own, so that the same function can subscribe twice. */
  readonly subscribers: Map<symbol, (at: number) => void>;
  /** Up to when moments have been dealt with (wall ms). */
  until: number;
}

/**
 * Fires by the machine's clock, but sleeps on steady time, so that nothing waits for a clock that was set back to come
 * round again. Moments that were jumped over, by the clock or by a process that stood still, fire once, late.
 */
export function cronTicker(clock: Clock, reports: TickerReports): CronTicker {
  const triggers = new Map<string, Trigger>();
  let replan = new AbortController();
  let running = false;

  const run = async () => {
    running = true;
    while (triggers.size > 0) {
      const wall = clock.wall();
      const began = clock.now();
      const planned = firstMoment(triggers.values(), wall) - wall;
      await clock.sleep(planned, replan.signal).catch(() => undefined);
      const elapsed = clock.now() - began;
      report(elapsed - planned, clock.wall() - wall - elapsed);
      fireAllReached(wall + elapsed, clock.wall());
    }
    running = false;
  };

  const report = (lateMs: number, stepMs: number) => {
    if (lateMs >= LATE_MS) reports.stalled(lateMs);
    if (Math.abs(stepMs) >= STEP_MS) reports.stepped(stepMs);
  };

  /** @param expected what the clock would show by itself; `wall` what it shows */
  const fireAllReached = (expected: number, wall: number) => {
    const isSetBack = wall <= expected - STEP_MS;
    // Fire what was due next by the old time: however often the clock is set back, nothing starves.
    const reached = isSetBack ? expected + PLANNED_MS : Math.max(expected, wall);
    for (const [pattern, trigger] of [...triggers]) {
      const at = trigger.cron.lastIn(trigger.until, reached);
      trigger.until = isSetBack ? wall : reached;
      if (at !== undefined) fireAll(pattern, trigger.subscribers, at, reports);
    }
  };

  const tick: Ticker = (pattern, fire) => {
    const key = Symbol(pattern);
    const trigger = triggers.get(pattern) ?? {
      cron: new CronPattern(pattern),
      subscribers: new Map(),
      until: clock.wall(),
    };
    trigger.subscribers.set(key, fire);
    if (!triggers.has(pattern)) {
      triggers.set(pattern, trigger);
      replan.abort();
      replan = new AbortController();
      if (!running) void run();
    }
    return () => {
      if (!trigger.subscribers.delete(key) || trigger.subscribers.size > 0) return;
      triggers.delete(pattern);
      if (triggers.size === 0) replan.abort();
    };
  };

  const stop = () => {
    for (const { subscribers } of triggers.values()) subscribers.clear();
    triggers.clear();
    replan.abort();
  };

  return { tick, stop };
}

/** When the next moment of any pattern comes (wall ms), or when to plan anew. */
function firstMoment(triggers: Iterable<Trigger>, wall: number): number {
  let first = wall + PLANNED_MS;
  for (const { cron, until } of triggers) first = cron.firstIn(until, first) ?? first;
  return Math.max(first, wall);
}

/** One subscriber's error must not stop the others. */
function fireAll(pattern: string, subscribers: Trigger['subscribers'], at: number, reports: TickerReports) {
  for (const fire of [...subscribers.values()]) {
    try {
      fire(at);
    } catch (error) {
      reports.failed(pattern, error);
    }
  }
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How many moments a look back goes through at most: a day of minutes. */
const MOST_STEPS_BACK = 24 * 60;

/** A cron pattern in UTC: which moments match it. node-cron decides, so that there is no second reading of patterns. */
export class CronPattern {
  readonly #matches: (at: number) => boolean;
  /** Time between two moments that may match: patterns of six fields name seconds. */
  readonly #stepMs: number;

  /** @throws when the pattern is not one */
  constructor(pattern: string) {
    const task = createTask(pattern, () => undefined, { timezone: 'Etc/UTC' });
    this.#matches = remembered((at) => task.match(new Date(at)));
    this.#stepMs = pattern.trim().split(/\s+/).length === 6 ? SECOND_MS : MINUTE_MS;
    // Only asked what matches: it never runs, and node-cron need not remember it.
    void task.destroy();
  }

  /** The first match in (after, until], in ms since the epoch. */
  firstIn(after: number, until: number): number | undefined {
    const step = this.#stepMs;
    for (let at = (Math.floor(after / step) + 1) * step; at <= until; at += step) {
      if (this.#matches(at)) return at;
    }
    return undefined;
  }

  /** The last match in (after, until], as far as a day of minutes (or so many seconds) reaches back. */
  lastIn(after: number, until: number): number | undefined {
    const step = this.#stepMs;
    const earliest = Math.max(after, until - MOST_STEPS_BACK * step);
    for (let at = Math.floor(until / step) * step; at > earliest; at -= step) {
      if (this.#matches(at)) return at;
    }
    return undefined;
  }
}

/** What a moment is made of: whole units within a cycle. */
const FIELDS = [
  { unitMs: SECOND_MS, cycleMs: MINUTE_MS },
  { unitMs: MINUTE_MS, cycleMs: HOUR_MS },
  { unitMs: HOUR_MS, cycleMs: DAY_MS },
  { unitMs: DAY_MS, cycleMs: Number.POSITIVE_INFINITY },
];

/**
 * The same answers, but each second, minute, hour and day is asked about once: node-cron formats the whole date every
 * time. A moment matches when all its fields do, so a field is asked about at a moment whose other fields match.
 */
function remembered(matches: (at: number) => boolean): (at: number) => boolean {
  const fields = FIELDS.map((field) => ({ ...field, known: new Map<number, boolean>() }));
  let match: number | undefined;
  return (at) => {
    if (match === undefined) {
      if (matches(at)) match = at;
      return match !== undefined;
    }
    for (const { unitMs, cycleMs, known } of fields) {
      const value = Math.floor((at % cycleMs) / unitMs);
      const instead = Math.floor((match % cycleMs) / unitMs);
      const answer = known.get(value) ?? matches(match + (value - instead) * unitMs);
      known.set(value, answer);
      if (!answer) return false;
    }
    return true;
  };
}
