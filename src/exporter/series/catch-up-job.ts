import { isEmpty } from '../decode/decode.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import { type FollowUp, type Job, type JobSubject, type PollResult, RowsRejected } from '../poll/job.ts';
import { isCoarse } from '../settling/window.ts';
import { catchUpNow, nextCatchUp } from './catch-up.ts';
import { type CountedAnswer, understood, windowOfPresent } from './counters.ts';
import type { Counts, SeriesMemory } from './series-memory.ts';
import type { SeriesReader } from './series-reader.ts';
import type { WindowedAnswer } from './series-source.ts';

/** The job of a series, as far as its catching up needs it. */
export interface CaughtUp extends Job<WindowedAnswer> {
  readonly memory: SeriesMemory;
  readonly counts: Counts;
  readonly platformClock: PlatformClock;
  /** Age (ms) up to which buckets are read again. */
  horizon(now: number): number;
  /** @param window asked for when the first operation leaves (platform ms) */
  readWindow(
    window: Parameters<SeriesReader['read']>[1],
    read: Read,
    signal: AbortSignal,
  ): Promise<WindowedAnswer>;
  /** What an answer means for the counters. */
  count(answer: WindowedAnswer): CountedAnswer;
  /** What a poll leaves of an answer. */
  left(counted: CountedAnswer): Omit<PollResult, 'outcome'>;
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

  /** What is missing most pressingly when the operation leaves; a fresh read may have filled it meanwhile. */
  read(read: Read, signal: AbortSignal): Promise<WindowedAnswer> {
    const { follows } = this;
    const window = (now: number) =>
      catchUpNow(follows.memory, follows.counts, now, follows.horizon(now)) ??
      windowOfPresent(follows.memory, now, follows.horizon(now));
    return follows.readWindow(window, read, signal);
  }

  conclude(answered: WindowedAnswer): PollResult {
    const { memory } = this.follows;
    const { answer, rejected } = isCoarse(answered.window)
      ? { answer: answered, rejected: answered.decoded.rejected }
      : understood(memory, answered);
    const empty = isEmpty(answer.decoded);
    if (empty && rejected.size > 0) throw new RowsRejected(rejected);
    const counted = this.follows.count(answer);
    // Each missing span knows when the next read for it is worthwhile.
    const rested = (after: SeriesMemory): SeriesMemory => ({
      ...after,
      restsUntil: after.record === memory.record ? answered.now + RETRY_MS : 0,
    });
    return {
      outcome: empty ? 'empty' : 'ok',
      rejected,
      ...this.follows.left({
        ...counted,
        memory: rested(counted.memory),
        refused: rested(counted.refused),
      }),
    };
  }

  /** This job again, while there is a window to be read. */
  followUp(): FollowUp | undefined {
    const { memory, platformClock, counts } = this.follows;
    const now = platformClock.now();
    const next = nextCatchUp(memory, counts, now, this.follows.horizon(now));
    if (next === undefined) return undefined;
    // A longer rest was noted before the platform's clock was set back.
    const rest = memory.restsUntil > now + RETRY_MS ? now : memory.restsUntil;
    return { job: this, notBefore: platformClock.localNow() + Math.max(0, next.at - now, rest - now) };
  }
}
