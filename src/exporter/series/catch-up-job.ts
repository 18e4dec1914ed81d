import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import type { FollowUp, Job, JobSubject, PollResult } from '../poll/job.ts';
import type { Window } from '../settling/window.ts';
import type { PastRead } from './ledger-windows.ts';
import type { SeriesMemory } from './series-memory.ts';
import type { WindowedAnswer } from './series-source.ts';

/** The job of a series, as far as its catching up needs it. Times are platform ms. */
export interface FollowedSeries extends Job<WindowedAnswer> {
  readonly memory: Pick<SeriesMemory, 'restsUntil'>;
  readonly platformClock: PlatformClock;
  presentWindow(now: number): Window;
  pastRead(now: number): PastRead | undefined;
  readWindow(window: (now: number) => Window, read: Read, signal: AbortSignal): Promise<WindowedAnswer>;
  /** @param restMs how long catching up rests if nothing has changed */
  concludePast(answered: WindowedAnswer, restMs: number): PollResult;
}

/** Weight of catching up relative to fresh reads, which go first. */
const CATCH_UP_WEIGHT = 0.25;

/** How long (ms) after a read that brought the counters nothing the next one may leave. */
const RETRY_MS = 5 * 60_000;

/** Reads what the counters of a series lack and no fresh window brings, the oldest hour first. */
export class CatchUpJob implements Job<WindowedAnswer> {
  readonly schedule = undefined;
  readonly retryMs = RETRY_MS;
  readonly follows: FollowedSeries;

  constructor(follows: FollowedSeries) {
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

  /** The window is chosen when the operation leaves: a fresh read may have filled the hole meanwhile. */
  read(read: Read, signal: AbortSignal): Promise<WindowedAnswer> {
    const { follows } = this;
    const window = (now: number) => {
      const next = follows.pastRead(now);
      return next === undefined || next.at > now ? follows.presentWindow(now) : next.window;
    };
    return follows.readWindow(window, read, signal);
  }

  conclude(answered: WindowedAnswer): PollResult {
    return this.follows.concludePast(answered, RETRY_MS);
  }

  /** This job again, while there is a window to be read. */
  followUp(): FollowUp | undefined {
    const { platformClock, memory } = this.follows;
    const now = platformClock.now();
    const next = this.follows.pastRead(now);
    if (next === undefined) return undefined;
    // A longer rest was noted before the platform's clock was set back.
    const rest = memory.restsUntil > now + RETRY_MS ? now : memory.restsUntil;
    return { job: this, notBefore: platformClock.localNow() + Math.max(0, next.at - now, rest - now) };
  }
}
