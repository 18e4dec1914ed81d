import { isEmpty } from '../decode/decode.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import type { FollowUp, Job } from '../poll/job.ts';
import { type Exposure, type PollResult, RowsRejected } from '../poll/result.ts';
import type { Delays } from '../settling/delays.ts';
import { isCoarse, type Window } from '../settling/window.ts';
import type { CountedAnswer, CountedSeries } from './counted-series.ts';
import type { SeriesReader } from './series-reader.ts';
import type { ToPush } from './to-push.ts';
import type { WindowedAnswer } from './windowed-answer.ts';

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
    const next = counted.counters.nextCatchUp(now, delays.horizon(now));
    if (next === undefined) return undefined;
    const wait = Math.max(0, next.at - now);
    return { job: this, notBefore: Math.max(this.#notBefore, platformClock.localNow() + wait) };
  }

  /** What is missing most pressingly when the operation leaves; a fresh read may have filled it meanwhile. */
  #window(now: number): Window {
    const { delays, counted } = this.#options;
    const horizon = delays.horizon(now);
    return counted.counters.catchUpWindow(now, horizon) ?? counted.counters.freshWindow(now, horizon);
  }
}
