import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, type Read } from '../platform/read.ts';
import type { Job, JobSubject, PollResult } from '../poll/job.ts';
import type { Window } from '../settling/window.ts';
import type { PastRead } from './ledger-windows.ts';
import type { Series } from './metric-series.ts';
import type { GroupAnswer, SeriesSource } from './series-source.ts';

/** Job whose counters may have holes. Times are platform ms. */
export interface FollowedJob extends Job<GroupAnswer<Series>> {
  readonly series: ReadonlySet<Series>;
  readonly source: SeriesSource;
  readonly platformClock: PlatformClock;
  presentWindow(now: number): Window;
  /** Returns the result of an answer of the past. @param restMs pause of catching up for series that the answer does not change */
  concludePast(answered: GroupAnswer<Series>, restMs: number): PollResult;
}

/** Weight of catching up relative to reads of the present, which go first. */
const CATCH_UP_WEIGHT = 0.25;

/** Time (ms) after which a read without progress of the counters is repeated. */
const RETRY_MS = 5 * 60_000;

/** Job that reads buckets that counters lack and that no window of the present contains, the oldest hour first. */
export class CatchUpJob implements Job<GroupAnswer<Series>> {
  readonly schedule = undefined;
  readonly follows: FollowedJob;

  constructor(follows: FollowedJob) {
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
    return this.follows.source.cost([...this.follows.series]);
  }

  /** Reads the window that is due first, for all series that lack a part of it. */
  async read(read: Read, signal: AbortSignal): Promise<GroupAnswer<Series>> {
    const { source, platformClock } = this.follows;
    const lacking = pastReads(this.follows.series, platformClock.now());
    const [first] = lacking;
    if (first === undefined) return { answers: [], rejected: new Map() };
    const series = lacking.filter(({ next }) => overlap(next, first.next)).map((one) => one.series);
    // The window is chosen when the operation is sent, since a read of the present may have filled the hole meanwhile.
    const window = (now: number) => {
      const [due] = pastReads(series, now);
      return due === undefined || due.next.at > now ? this.follows.presentWindow(now) : due.next.window;
    };
    return source.read({ series, window, isPast: true }, read, signal);
  }

  conclude(answered: GroupAnswer<Series> | PlatformFailure): PollResult {
    if (answered instanceof PlatformFailure) throw answered;
    return this.follows.concludePast(answered, RETRY_MS);
  }

  dueAt(): number | undefined {
    const { platformClock, series } = this.follows;
    const now = platformClock.now();
    const [next] = pastReads(series, now);
    return next && platformClock.localNow() + Math.max(0, next.next.at - now);
  }
}

interface Lacking {
  readonly series: Series;
  readonly next: PastRead;
}

/** Returns the next read of the past of each series with holes, the one due first at the beginning. */
function pastReads(series: Iterable<Series>, now: number): Lacking[] {
  const lacking: Lacking[] = [];
  for (const one of series) {
    const next = one.pastRead(now);
    if (next === undefined) continue;
    const { restsUntil } = one.memory;
    // A longer pause was recorded before the platform's clock was set back.
    const rest = restsUntil > now + RETRY_MS ? now : restsUntil;
    lacking.push({ series: one, next: { ...next, at: Math.max(next.at, rest) } });
  }
  return lacking.sort(
    (a, b) => Math.max(now, a.next.at) - Math.max(now, b.next.at) || a.next.window.from - b.next.window.from,
  );
}

function overlap({ window: one }: PastRead, { window: other }: PastRead): boolean {
  return one.from < other.to && other.from < one.to;
}
