import { isEmpty } from '../decode/decode.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import type { FollowUp, Job } from '../poll/job.ts';
import { type Exposure, type PollResult, RowsRejected } from '../poll/result.ts';
import type { Delays } from '../settling/delays.ts';
import { isCoarse, type Window } from '../settling/window.ts';
import type { CountedSeries } from './counted-series.ts';
import type { SeriesReader } from './reader.ts';
import type { WindowedAnswer } from './windowed-answer.ts';

export interface CatchUpOptions {
  /** The job that reads the present. */
  readonly follows: Job;
  readonly counted: CountedSeries;
  /** What is exposed of the counters. */
  readonly counters: () => readonly Exposure[];
  readonly reader: SeriesReader;
  readonly delays: Delays;
  readonly platformClock: PlatformClock;
}

/** How much less the past matters than the present: catching up is done, but behind fresh work. */
const CATCH_UP_WEIGHT = 0.25;

/** How long after a read that brought the counters nothing the next one may leave. */
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
  /** Whether the window at the watermark was asked for in vain, so that it is time to see what lies beyond. */
  #stuck = false;

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
    const wanted = this.#stuck ? 'coarse' : 'window';
    this.#stuck = false;
    this.#notBefore = platformClock.localNow() + RETRY_MS;
    return reader.read(read, (now) => this.#window(now, wanted), signal);
  }

  conclude(answer: WindowedAnswer): PollResult {
    const { counted, counters } = this.#options;
    const { rejected } = answer.decoded;
    const empty = isEmpty(answer.decoded);
    if (empty && rejected.size > 0) throw new RowsRejected(rejected);
    const before = counted.counters.watermark;
    const { commit, counting, adopt } = counted.conclude(answer);
    return {
      outcome: empty ? 'empty' : 'ok',
      rejected,
      commit,
      counting,
      adopt: (committed) => {
        if (committed) adopt();
        this.#learn(counted.counters.watermark !== before, isCoarse(answer.window));
        return counters();
      },
    };
  }

  /** Where an answer brought the counters nothing, the next one waits, and is to show what lies beyond. */
  #learn(moved: boolean, wasCoarse: boolean): void {
    if (moved || wasCoarse) this.#notBefore = 0;
    this.#stuck = !moved && !wasCoarse;
  }

  /** This job again, while there is a window to be read. */
  followUp(): FollowUp | undefined {
    const { counted, delays, platformClock } = this.#options;
    const now = platformClock.now();
    const missing = counted.counters.catchUpWindow(now, delays.horizon(now));
    return missing === undefined ? undefined : { job: this, notBefore: this.#notBefore };
  }

  /** The oldest window that is missing when the operation leaves; a fresh read may have filled it meanwhile. */
  #window(now: number, wanted: 'coarse' | 'window'): Window {
    const { delays, counted } = this.#options;
    const { counters } = counted;
    const horizon = delays.horizon(now);
    const coarse = wanted === 'coarse' ? counters.coarseWindow(now, horizon) : undefined;
    return coarse ?? counters.catchUpWindow(now, horizon) ?? counters.freshWindow(now, horizon);
  }
}
