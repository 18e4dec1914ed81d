import { schedule as cronTask, type Logger, type ScheduledTask } from 'node-cron';

/**
 * Calls `fire` at every moment of a cron pattern (UTC; five fields, or six with seconds first), with that moment
 * in milliseconds since the epoch, until the returned function is called.
 * @throws when the pattern is not one
 */
export type Ticker = (pattern: string, fire: (at: number) => void) => () => void;

/** What a ticker tells about itself. */
export interface TickerReports {
  /** A subscriber threw; the others were still called. */
  readonly failed: (pattern: string, error: unknown) => void;
  /** The event loop was blocked (or the machine asleep) past a whole period, which is skipped. */
  readonly missed: (pattern: string, at: number) => void;
}

/** A ticker of the machine's own time, and the end of all its subscriptions. */
export interface CronTicker {
  readonly tick: Ticker;
  readonly stop: () => void;
}

interface Trigger {
  readonly task: ScheduledTask;
  /** Kept by a key of their own, so that the same function can subscribe twice. */
  readonly subscribers: Map<symbol, (at: number) => void>;
}

/**
 * Subscriptions share one node-cron task per distinct pattern: with a task each, ten thousand of them take half
 * a core and fire half a second late.
 */
export function cronTicker(reports: TickerReports): CronTicker {
  const triggers = new Map<string, Trigger>();

  const tick: Ticker = (pattern, fire) => {
    const trigger = triggers.get(pattern) ?? startTrigger(pattern, reports);
    triggers.set(pattern, trigger);
    const key = Symbol(pattern);
    trigger.subscribers.set(key, fire);
    return () => {
      if (!trigger.subscribers.delete(key) || trigger.subscribers.size > 0) return;
      triggers.delete(pattern);
      trigger.task.destroy();
    };
  };

  const stop = () => {
    for (const { task, subscribers } of triggers.values()) {
      subscribers.clear();
      task.destroy();
    }
    triggers.clear();
  };

  return { tick, stop };
}

function startTrigger(pattern: string, reports: TickerReports): Trigger {
  const subscribers: Trigger['subscribers'] = new Map();
  const task = cronTask(pattern, ({ date }) => fireAll(pattern, subscribers, date.getTime(), reports), {
    timezone: 'Etc/UTC',
    logger: reporting(pattern, reports),
    // A late beat still fires as long as the next one is not due: a poll a few seconds late beats none.
    missedExecutionTolerance: Number.POSITIVE_INFINITY,
  });
  task.on('execution:missed', ({ date }) => reports.missed(pattern, date.getTime()));
  return { task, subscribers };
}

/** One subscriber's error must neither stop the others nor reach node-cron, which would print it. */
function fireAll(pattern: string, subscribers: Trigger['subscribers'], at: number, reports: TickerReports) {
  for (const fire of subscribers.values()) {
    try {
      fire(at);
    } catch (error) {
      reports.failed(pattern, error);
    }
  }
}

/** node-cron logs to the console unless it is given a logger; what it has to say there are only errors. */
function reporting(pattern: string, { failed }: TickerReports): Logger {
  const silent = () => {};
  return {
    info: silent,
    debug: silent,
    warn: silent,
    error: (message, cause) => failed(pattern, cause ?? message),
  };
}
