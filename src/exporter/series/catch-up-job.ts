import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import type { FollowUp, Job, JobSubject, PollResult } from '../poll/job.ts';
import type { MetricMemory } from '../settling/learned.ts';
import {
  catchUpWindow,
  coarseWindow,
  dayAround,
  isCoarse,
  MINUTE_MS,
  type Window,
} from '../settling/window.ts';
import { bestRead, countCoarse } from './coarse-reads.ts';
import type { Counter, MissingSpan } from './counter.ts';
import {
  type CountedAnswer,
  type CountingRules,
  countAnswer,
  understood,
  windowOfPresent,
} from './counters.ts';
import type { HasCounter, SeriesMemory } from './series-memory.ts';
import type { SeriesReader } from './series-reader.ts';
import type { WindowedAnswer } from './series-source.ts';

/** A read that the counters need besides the fresh ones. */
export interface CatchUp {
  readonly window: Window;
  /** When it is worth an operation (platform ms). */
  readonly at: number;
}

/** Less unread time than this is not worth an operation, until as much time has passed. */
const LEAST_STEP_MS = 10 * MINUTE_MS;

/** How long after an answer without the missing buckets the next read follows, at first and later. */
const PACE_MS = 6 * MINUTE_MS;
const SLOW_PACE_MS = 30 * MINUTE_MS;
const QUICK_ANSWERS = 7;

/** The next read for what the counters lack; undefined when fresh reads bring all of it. */
export function nextCatchUp(
  memory: SeriesMemory,
  counts: HasCounter,
  now: number,
  horizon: number,
): CatchUp | undefined {
  const lacking = lackingIn(memory, counts, now, horizon);
  if (lacking === undefined) return undefined;
  const { width, settledUntil } = lacking;
  const fresh = windowOfPresent(memory, now, horizon);
  const missing = lacking.counters.flatMap((counter) => beyond(counter, fresh, settledUntil));
  let next: MissingSpan | undefined;
  for (const span of missing) {
    if (next === undefined || askAt(span, now) < askAt(next, now) || isOlderAndDue(span, next, now))
      next = span;
  }
  if (next === undefined) return undefined;
  return { window: windowFor(next, isInGap(next, missing), now, width), at: askAt(next, now) };
}

/** The window to read now for what the counters lack; undefined where there is none yet. */
export function catchUpNow(
  memory: SeriesMemory,
  counts: HasCounter,
  now: number,
  horizon: number,
): Window | undefined {
  const next = nextCatchUp(memory, counts, now, horizon);
  return next === undefined || next.at > now ? undefined : next.window;
}

/** Counters that lack buckets. */
interface Lacking {
  readonly counters: readonly Counter[];
  /** Bucket width (ms). */
  readonly width: number;
  /** Up to where buckets have settled (platform ms). */
  readonly settledUntil: number;
}

/** The settled buckets that counters lack; undefined if they lack none, or that cannot be known. */
function lackingIn(
  { record, newest }: SeriesMemory,
  counts: HasCounter,
  now: number,
  settleDelay: number,
): Lacking | undefined {
  if (record === undefined || newest === undefined) return undefined;
  const counters: Counter[] = [];
  for (const [dimension, counter] of record.counters)
    if (counts(dimension) && counter.missing.length > 0) counters.push(counter);
  if (counters.length === 0) return undefined;
  return { counters, width: record.width, settledUntil: Math.min(now, newest) - settleDelay };
}

/** What of a counter's missing time has settled and is not about to be brought by fresh reads. */
function beyond({ watermark, missing }: Counter, fresh: Window, settledUntil: number): MissingSpan[] {
  let end = watermark;
  let last = missing.length;
  // A series that has ended lacks all up to its watermark: fresh reads are enough to see that it stays so.
  for (
    ;
    last > 0 && missing[last - 1]?.to === end && Number(missing[last - 1]?.from) >= fresh.from;
    last -= 1
  ) {
    end = Number(missing[last - 1]?.from);
  }
  return missing.slice(0, last).filter(({ from }) => from < settledUntil);
}

/** Whether earlier reads lacked the time before a span as well. */
function isInGap({ from }: MissingSpan, missing: readonly MissingSpan[]): boolean {
  return missing.some(({ to, asked }) => to === from && asked > 0);
}

function isOlderAndDue(span: MissingSpan, other: MissingSpan, now: number): boolean {
  return span.from < other.from && askAt(span, now) <= now;
}

function askAt({ from, to, asked, since, until }: MissingSpan, now: number): number {
  if (asked > 0) return Math.min(until, now) + (asked < QUICK_ANSWERS ? PACE_MS : SLOW_PACE_MS);
  return Math.min(since, now) + (to - from >= LEAST_STEP_MS ? 0 : LEAST_STEP_MS);
}

/** If answers lose every second or third row, windows that begin at different minutes return different rows. */
function windowFor(span: MissingSpan, inGap: boolean, now: number, width: number): Window {
  const read = bestRead(span);
  const coarse = read === 'day' ? dayAround(span.from, now) : coarseWindow(span.from, now);
  if (read !== 'fine' && isCoarse(coarse)) return coarse;
  return catchUpWindow(span.from, now, width, inGap && span.asked === 0 ? undefined : span.asked);
}

/** What is remembered of a series, and what follows from it at a moment. */
export interface KnownSeries extends CountingRules {
  readonly memory: SeriesMemory;
  /** What is learned of the metric over all its targets. */
  readonly metric: MetricMemory;
  /** Whether there is anybody to push to. */
  readonly isPushed: boolean;
}

/** The job of a series, as far as its catching up needs it. */
export interface CaughtUp extends Job<WindowedAnswer> {
  readonly memory: SeriesMemory;
  readonly platformClock: PlatformClock;
  /** @param now the platform's time */
  known(now: number): KnownSeries;
  /** @param window asked for when the first operation leaves (platform ms) */
  readWindow(
    window: Parameters<SeriesReader['read']>[1],
    read: Read,
    signal: AbortSignal,
  ): Promise<WindowedAnswer>;
  /** What a poll leaves of an answer. @throws RowsRejected when nothing of it is usable */
  resultOf(known: KnownSeries, counted: CountedAnswer): PollResult;
}

/** Weight of catching up relative to fresh reads, which go first. */
const CATCH_UP_WEIGHT = 0.25;

/** How long after a read that brought the counters nothing the next one may leave. */
const RETRY_MS = 5 * 60_000;

/** Reads what the counters of a series lack and no fresh window brings, the oldest first, after an outage for instance. */
export class CatchUpJob implements Job<WindowedAnswer> {
  readonly schedule = undefined;
  readonly retryMs = RETRY_MS;
  readonly follows: CaughtUp;

  constructor(follows: CaughtUp) {
    this.follows = follows;
  }

  get id(): string {
    return `${this.follows.id}/catch-up`;
  }

  get subject(): JobSubject {
    return this.follows.subject;
  }

  get group(): string {
    return this.follows.group;
  }

  get weight(): number {
    return this.follows.weight * CATCH_UP_WEIGHT;
  }

  cost(): number {
    return this.follows.cost();
  }

  /** The window is chosen when the operation leaves: a fresh read may have filled the gap meanwhile. */
  read(read: Read, signal: AbortSignal): Promise<WindowedAnswer> {
    const { follows } = this;
    const window = (now: number) => {
      const { memory, counts, delays } = follows.known(now);
      return catchUpNow(memory, counts, now, delays.horizon) ?? windowOfPresent(memory, now, delays.horizon);
    };
    return follows.readWindow(window, read, signal);
  }

  conclude(answered: WindowedAnswer): PollResult {
    const known = this.follows.known(answered.now);
    const { memory } = known;
    const counted = isCoarse(answered.window)
      ? countCoarse(memory, answered, known.counts)
      : countAnswer(memory, understood(memory, answered), known);
    // Each missing span knows when the next read for it is worthwhile.
    const rested = (after: SeriesMemory): SeriesMemory => ({
      ...after,
      restsUntil: after.record === memory.record ? answered.now + RETRY_MS : 0,
    });
    return this.follows.resultOf(known, {
      ...counted,
      memory: rested(counted.memory),
      refused: rested(counted.refused),
    });
  }

  /** This job again, while there is a window to be read. */
  followUp(): FollowUp | undefined {
    const { platformClock } = this.follows;
    const now = platformClock.now();
    const { memory, counts, delays } = this.follows.known(now);
    const next = nextCatchUp(memory, counts, now, delays.horizon);
    if (next === undefined) return undefined;
    // A longer rest was noted before the platform's clock was set back.
    const rest = memory.restsUntil > now + RETRY_MS ? now : memory.restsUntil;
    return { job: this, notBefore: platformClock.localNow() + Math.max(0, next.at - now, rest - now) };
  }
}
