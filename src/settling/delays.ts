import { Completeness } from './completeness.ts';
import { RestatementDirections, SettlingBound } from './restatement-memory.ts';
import { UsualLag } from './usual-lag.ts';
import { MINUTE_MS } from './window.ts';

/** A delay of the configuration: a time in ms, or `auto` for what is learned. */
export type ConfiguredDelay = number | 'auto';

/** Until enough was measured: the newest bucket or two always dip, and the platform aggregates for up to ten minutes. */
export const USUAL_PUBLISH_MS = 2 * MINUTE_MS;
export const USUAL_SETTLE_MS = 10 * MINUTE_MS;

/** Upper bound of a learned delay. */
const LONGEST_SETTLE_MS = 60 * MINUTE_MS;

/** How much of its final value a bucket must hold to be shown. */
const COMPLETE = 0.98;

/** To be shown younger than before a bucket must hold a little more, lest the delay goes back and forth. */
const COMPLETE_TO_ADVANCE = 0.985;

/** The delays of one metric, and what they are learned from. */
export class Delays {
  readonly completeness = new Completeness();
  readonly bound = new SettlingBound();
  readonly directions = new RestatementDirections();
  readonly lag = new UsualLag();
  readonly #publish: ConfiguredDelay;
  readonly #settle: ConfiguredDelay;
  #published = USUAL_PUBLISH_MS;

  constructor(publish: ConfiguredDelay, settle: ConfiguredDelay) {
    this.#publish = publish;
    this.#settle = settle;
  }

  /** Age at which a bucket is shown as a gauge: ms from its end to the end of the platform's newest. */
  publish(): number {
    if (this.#publish !== 'auto') return this.#publish;
    const wanted = this.completeness.leastAge(COMPLETE);
    const bold = this.completeness.leastAge(COMPLETE_TO_ADVANCE);
    if (wanted !== undefined && wanted > this.#published) this.#published = wanted;
    if (bold !== undefined && bold < this.#published) this.#published = bold;
    return this.#published;
  }

  /** Age at which a bucket is counted. */
  settle(now: number): number {
    if (this.#settle !== 'auto') return this.#settle;
    return Math.min(this.bound.settled(now) ?? USUAL_SETTLE_MS, LONGEST_SETTLE_MS);
  }

  /** Age up to which buckets are read again, so that late changes are seen. */
  horizon(now: number): number {
    return Math.max(USUAL_SETTLE_MS, this.settle(now));
  }
}
