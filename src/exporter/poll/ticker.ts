import type { Clock } from '../clock.ts';
import { CronPattern } from '../cron-pattern.ts';
import { inTurns } from '../turns.ts';

/**
 * Calls `fire` at every moment of a cron pattern (UTC; five fields, or six with seconds first), with that moment
 * in milliseconds since the epoch, until the returned function is called.
 * @throws when the pattern is not one
 */
export type Ticker = (pattern: string, fire: (at: number) => void) => () => void;

/** Reports of a ticker about itself. */
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
  /** Time (wall ms) until which moments were handled. */
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
      await fireAllReached(wall + elapsed, clock.wall());
    }
    running = false;
  };

  const report = (lateMs: number, stepMs: number) => {
    if (lateMs >= LATE_MS) reports.stalled(lateMs);
    if (Math.abs(stepMs) >= STEP_MS) reports.stepped(stepMs);
  };

  /** @param expected what the clock would show by itself; `wall` what it shows */
  const fireAllReached = async (expected: number, wall: number) => {
    const isSetBack = wall <= expected - STEP_MS;
    // Fire what was due next by the old time: however often the clock is set back, nothing starves.
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

/** Returns when the next moment of any pattern comes (wall ms), or when to plan again. */
function firstMoment(triggers: Iterable<Trigger>, wall: number): number {
  let first = wall + PLANNED_MS;
  for (const { cron, until } of triggers) first = cron.firstIn(until, first) ?? first;
  return Math.max(first, wall);
}

/** Calls the subscribers in turns, since there may be thousands. An error of one must not stop the others. */
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
