import { createTask } from 'node-cron';
import type { Clock } from '../src/clock.ts';
import type { Ticker } from '../src/poll/ticker.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** How far a rare pattern's next moment is looked for before the clock is let on, at a step per minute or second. */
const STEPS_AHEAD = 24 * 60;

/** A ticker of simulated time: node-cron itself says which moments match, so that there is no second cron parser. */
export function simulatedTicker(clock: Clock): Ticker {
  const triggers = new Map<string, Trigger>();
  return (pattern, fire) => {
    const trigger = triggers.get(pattern) ?? startTrigger(pattern, clock);
    triggers.set(pattern, trigger);
    const key = Symbol(pattern);
    trigger.subscribers.set(key, fire);
    return () => {
      if (!trigger.subscribers.delete(key) || trigger.subscribers.size > 0) return;
      triggers.delete(pattern);
      trigger.stop();
    };
  };
}

interface Trigger {
  readonly subscribers: Map<symbol, (at: number) => void>;
  readonly stop: () => void;
}

function startTrigger(pattern: string, clock: Clock): Trigger {
  const subscribers: Trigger['subscribers'] = new Map();
  const task = createTask(pattern, () => {}, { timezone: 'Etc/UTC' });
  const ending = new AbortController();
  const next = (after: number) => nextMoment(pattern, (at) => task.match(new Date(at)), after);
  void beat(clock, ending.signal, next, (at) => {
    for (const fire of [...subscribers.values()]) fire(at);
  });
  const stop = () => {
    ending.abort();
    task.destroy();
  };
  return { subscribers, stop };
}

async function beat(
  clock: Clock,
  signal: AbortSignal,
  next: (after: number) => Moment,
  fire: (at: number) => void,
): Promise<void> {
  while (!signal.aborted) {
    const { at, matches } = next(clock.now());
    await clock.sleep(at - clock.now(), signal).catch(() => undefined);
    if (matches && !signal.aborted) fire(at);
  }
}

interface Moment {
  readonly at: number;
  /** Whether the pattern matches; a rare one is looked for in stages. */
  readonly matches: boolean;
}

function nextMoment(pattern: string, matches: (at: number) => boolean, after: number): Moment {
  const step = pattern.trim().split(/\s+/).length === 6 ? SECOND_MS : MINUTE_MS;
  let at = Math.floor(after / step) * step;
  for (let tried = 0; tried < STEPS_AHEAD; tried++) {
    at += step;
    if (matches(at)) return { at, matches: true };
  }
  return { at, matches: false };
}
