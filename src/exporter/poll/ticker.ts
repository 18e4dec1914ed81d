import type { Clock } from '../clock.ts';
import { CronPattern } from '../cron-pattern.ts';
import { inTurns } from '../turns.ts';

/**
 * Calls `fire` at every moment of a cron pattern, with that moment in milliseconds since the epoch. Patterns are in UTC and have
 * five fields, or six with seconds first. Returns a function that ends the calls.
 * @throws Error if the pattern is invalid
 */
export type Ticker = (pattern: string, fire: (at: number) => void) => () => void;

/** Reports of a ticker about its operation. */
export interface TickerReports {
  /** A subscriber threw an error; the others are still called. */
  readonly failed: (pattern: string, error: unknown) => void;
  /** The machine's clock was stepped by this time (ms), forward if positive, back if negative. */
  readonly stepped: (ms: number) => void;
  /** The process was suspended, or its event loop blocked, for this time (ms). */
  readonly stalled: (ms: number) => void;
}

/** Ticker, and a function that ends all subscriptions. */
export interface CronTicker {
  readonly tick: Ticker;
  readonly stop: () => void;
}

/** Longest time (ms) that is planned ahead, so that rare moments are planned again after a clock step. */
const PLANNED_MS = 60_000;

/** Tolerated difference (ms) of the two clocks during a sleep: NTP slews, and they are not read at the same instant. */
const STEP_MS = 1_000;

/** Delay (ms) of a busy event loop that is tolerated without a report. */
const LATE_MS = 10_000;

interface Trigger {
  readonly cron: CronPattern;
  /** Subscribers by unique key, so that the same function can subscribe twice. */
  readonly subscribers: Map<symbol, (at: number) => void>;
  /** Time (wall ms) until which moments have been handled. */
  until: number;
}

/**
 * Creates a ticker on the machine's clock. It sleeps on the monotonic clock, so that a clock that was set back delays nothing.
 * Moments that a clock step or a suspended process skipped fire once, late.
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
      await fireAllReached(wall + elapsed, clock.wall());
    }
    running = false;
  };

  const report = (lateMs: number, stepMs: number) => {
    if (lateMs >= LATE_MS) reports.stalled(lateMs);
    if (Math.abs(stepMs) >= STEP_MS) reports.stepped(stepMs);
  };

  /** @param expected clock reading without a step @param wall actual clock reading */
  const fireAllReached = async (expected: number, wall: number) => {
    const isSetBack = wall <= expected - STEP_MS;
    // Fires the next moment by the former time, so that repeated steps back starve no pattern.
    const reached = isSetBack ? expected + PLANNED_MS : Math.max(expected, wall);
    for (const [pattern, trigger] of [...triggers]) {
      const at = trigger.cron.lastIn(trigger.until, reached);
      trigger.until = isSetBack ? wall : reached;
      if (at !== undefined) await fireAll(pattern, trigger.subscribers, at, reports);
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

/** Returns the next moment of any pattern (wall ms), or the end of the planned time if that is earlier. */
function firstMoment(triggers: Iterable<Trigger>, wall: number): number {
  let first = wall + PLANNED_MS;
  for (const { cron, until } of triggers) first = cron.firstIn(until, first) ?? first;
  return Math.max(first, wall);
}

/** Calls the subscribers in turns, since there may be thousands. An error of one does not stop the others. */
function fireAll(
  pattern: string,
  subscribers: Trigger['subscribers'],
  at: number,
  reports: TickerReports,
): Promise<void> {
  return inTurns([...subscribers], ([key, fire]) => {
    if (!subscribers.has(key)) return;
    try {
      fire(at);
    } catch (error) {
      reports.failed(pattern, error);
    }
  });
}
