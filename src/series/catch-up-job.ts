import { isEmpty } from '../decode/decode.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import { type FollowUp, type Job, type PollReport, RowsRejected } from '../schedule/job.ts';
import type { Delays } from '../settling/delays.ts';
import { isCoarse, type Window } from '../settling/window.ts';
import type { Bookkeeper } from './bookkeeper.ts';
import type { SeriesReader } from './reader.ts';

export interface CatchUpOptions {
  /** The job that reads the present. */
  readonly follows: Job;
  readonly keeper: Bookkeeper;
  readonly reader: SeriesReader;
  readonly delays: Delays;
  readonly platformClock: PlatformClock;
}

/** How much less the past matters than the present: catching up is done, but behind fresh work. */
const CATCH_UP_WEIGHT = 0.25;

/** How long after a read that brought the counters nothing the next one may leave. */
const RETRY_MS = 5 * 60_000;

/** Reads what the counters lack and no fresh window brings, the oldest first, after an outage for instance. */
export class CatchUpJob implements Job {
  readonly id: string;
  readonly subject: Job['subject'];
  readonly group: string;
  readonly weight: number;
  readonly schedule = undefined;
  readonly follows: Job;
  readonly #options: CatchUpOptions;
  #notBefore = 0;
  #polling = false;
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

  async poll(read: Read, signal: AbortSignal): Promise<PollReport> {
    this.#polling = true;
    try {
      return await this.#poll(read, signal);
    } finally {
      this.#polling = false;
    }
  }

  async #poll(read: Read, signal: AbortSignal): Promise<PollReport> {
    const { keeper, reader, platformClock } = this.#options;
    const before = keeper.counters.watermark;
    const wanted = this.#stuck ? 'coarse' : 'window';
    this.#stuck = false;
    this.#notBefore = platformClock.localNow() + RETRY_MS;
    const answer = await reader.read(read, (now) => this.#window(now, wanted), signal);
    const { rejected } = answer.decoded;
    const empty = isEmpty(answer.decoded);
    if (empty && rejected.size > 0) throw new RowsRejected(rejected);
    await keeper.enter(answer);
    const wasCoarse = isCoarse(answer.window);
    const moved = keeper.counters.watermark !== before;
    if (moved || wasCoarse) this.#notBefore = 0;
    this.#stuck = !moved && !wasCoarse;
    return { outcome: empty ? 'empty' : 'ok', rejected };
  }

  /** This job again, while there is a window to be read; what a poll under way leaves to be done shows at its end. */
  followUp(): FollowUp | undefined {
    if (this.#polling) return undefined;
    const { keeper, delays, platformClock } = this.#options;
    const now = platformClock.now();
    const missing = keeper.counters.catchUpWindow(now, delays.horizon(now));
    return missing === undefined ? undefined : { job: this, notBefore: this.#notBefore };
  }

  /** The oldest window that is missing when the operation leaves; a fresh read may have filled it meanwhile. */
  #window(now: number, wanted: 'coarse' | 'window'): Window {
    const { delays, keeper } = this.#options;
    const { counters } = keeper;
    const horizon = delays.horizon(now);
    const coarse = wanted === 'coarse' ? counters.coarseWindow(now, horizon) : undefined;
    return coarse ?? counters.catchUpWindow(now, horizon) ?? counters.freshWindow(now, horizon);
  }
}
