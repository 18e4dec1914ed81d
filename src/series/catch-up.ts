import { isEmpty } from '../decode/decode.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import type { FollowUp, Job } from '../poll/job.ts';
import { type Exposure, type PollResult, RowsRejected } from '../poll/result.ts';
import type { Delays } from '../settling/delays.ts';
import {
  catchUpWindow,
  coarseWindow,
  dayAround,
  isCoarse,
  MINUTE_MS,
  type Window,
} from '../settling/window.ts';
import type { CountedAnswer, CountedSeries } from './counted-series.ts';
import { bestRead, type Counter, type MissingSpan } from './counter.ts';
import type { SeriesCounters } from './counters.ts';
import type { ToPush } from './pushed-series.ts';
import type { SeriesReader, WindowedAnswer } from './series-reader.ts';

export interface CatchUpOptions {
  /** The job that reads the present. */
  readonly follows: Job;
  readonly counted: CountedSeries;
  /** What is exposed of the counters. */
  readonly counters: () => readonly Exposure[];
  /** What is pushed of them. */
  readonly toPush: (counted: CountedAnswer) => ToPush;
  readonly reader: SeriesReader;
  readonly delays: Delays;
  readonly platformClock: PlatformClock;
}

/** Weight of catching up relative to fresh reads, which go first. */
const CATCH_UP_WEIGHT = 0.25;

/** How long after a read that told the counters nothing the next one may leave. */
const RETRY_MS = 5 * 60_000;

/** Reads what the counters lack and no fresh window brings, the oldest first, after an outage for instance. */
export class CatchUpJob implements Job<WindowedAnswer> {
  readonly id: string;
  readonly subject: Job['subject'];
  readonly group: string;
  readonly weight: number;
  readonly schedule = undefined;
  readonly follows: Job;
  readonly #options: CatchUpOptions;
  #notBefore = 0;

  constructor(options: CatchUpOptions) {
    const { follows } = options;
    this.id = `${follows.id}/catch-up`;
    this.subject = follows.subject;
    this.group = follows.group;
    this.weight = follows.weight * CATCH_UP_WEIGHT;
    this.follows = follows;
    this.#options = options;
  }

  cost(): number {
    return this.follows.cost();
  }

  read(read: Read, signal: AbortSignal): Promise<WindowedAnswer> {
    const { reader, platformClock } = this.#options;
    this.#notBefore = platformClock.localNow() + RETRY_MS;
    return reader.read(read, (now) => this.#window(now), signal);
  }

  conclude(answered: WindowedAnswer): PollResult {
    const { counted, counters, toPush } = this.#options;
    const { answer, rejected } = isCoarse(answered.window)
      ? { answer: answered, rejected: answered.decoded.rejected }
      : counted.counters.understood(answered);
    const empty = isEmpty(answer.decoded);
    if (empty && rejected.size > 0) throw new RowsRejected(rejected);
    const before = counted.counters.record;
    const concluded = counted.conclude(answer);
    const { counting, adopt } = concluded;
    const pushed = toPush(concluded);
    return {
      outcome: empty ? 'empty' : 'ok',
      rejected,
      commit: [...concluded.commit, ...pushed.commit],
      timed: pushed.samples,
      counting,
      adopt: (committed) => {
        adopt(committed);
        // Each missing span knows when the next read for it is worthwhile.
        if (counted.counters.record !== before) this.#notBefore = 0;
        return counters();
      },
    };
  }

  /** This job again, while there is a window to be read. */
  followUp(): FollowUp | undefined {
    const { counted, delays, platformClock } = this.#options;
    const now = platformClock.now();
    const next = nextCatchUp(counted.counters, now, delays.horizon(now));
    if (next === undefined) return undefined;
    const wait = Math.max(0, next.at - now);
    return { job: this, notBefore: Math.max(this.#notBefore, platformClock.localNow() + wait) };
  }

  /** What is missing most pressingly when the operation leaves; a fresh read may have filled it meanwhile. */
  #window(now: number): Window {
    const { delays, counted } = this.#options;
    const horizon = delays.horizon(now);
    return catchUpNow(counted.counters, now, horizon) ?? counted.counters.freshWindow(now, horizon);
  }
}

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
export function nextCatchUp(counters: SeriesCounters, now: number, settleDelay: number): CatchUp | undefined {
  const lacking = counters.lacking(now, settleDelay);
  if (lacking === undefined) return undefined;
  const { width, settledUntil } = lacking;
  const fresh = counters.freshWindow(now, settleDelay);
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
export function catchUpNow(counters: SeriesCounters, now: number, settleDelay: number): Window | undefined {
  const next = nextCatchUp(counters, now, settleDelay);
  return next === undefined || next.at > now ? undefined : next.window;
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

/** Where answers lose every second or third row, windows that begin at different minutes bring different rows. */
function windowFor(span: MissingSpan, inGap: boolean, now: number, width: number): Window {
  const read = bestRead(span);
  const coarse = read === 'day' ? dayAround(span.from, now) : coarseWindow(span.from, now);
  if (read !== 'fine' && isCoarse(coarse)) return coarse;
  return catchUpWindow(span.from, now, width, inGap && span.asked === 0 ? undefined : span.asked);
}
