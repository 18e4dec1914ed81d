import { MINUTE_MS } from './window.ts';

/** What has been so for two or three of these (ms) is usual. */
const SLOT_MS = 10 * MINUTE_MS;
const SLOTS = 3;

/** The platform aggregates for up to ten minutes; one that is further behind is not as it should be. */
const MOST_MS = 10 * MINUTE_MS;

/** Learns how far behind the clock the newest buckets of one metric usually are: the least of the last half an hour. */
export class UsualLag {
  readonly #least = new Map<number, number>();

  /** Takes in how long ago (ms) the newest bucket of an answer ended; `now` is the platform's time. */
  observe(lag: number, now: number): void {
    const slot = Math.floor(now / SLOT_MS);
    this.#least.set(slot, Math.min(lag, this.#least.get(slot) ?? lag));
    for (const known of this.#least.keys())
      if (known <= slot - SLOTS || known > slot) this.#least.delete(known);
  }

  /** In ms; 0 before anything was seen. */
  get ms(): number {
    return this.#least.size === 0 ? 0 : Math.min(MOST_MS, ...this.#least.values());
  }
}
