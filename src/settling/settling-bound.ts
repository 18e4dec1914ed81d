const HOUR_MS = 3_600_000;

/** Changes are remembered for a day: what settles slowly at the daily peak must not be forgotten before the next one. */
const MEMORY_HOURS = 24;

/** How long, and over how many buckets, must be watched before the bound is trusted. */
const ENOUGH_MS = 2 * HOUR_MS;
const ENOUGH_BUCKETS = 200;

/** Room above the oldest change that was seen: the next one may come a little later. */
const MARGIN = 1.25;
const MARGIN_MS = 60_000;

/** Learns by what age the buckets of one metric stop changing. */
export class SettlingBound {
  /** The greatest age at which a change was seen, by hour. */
  readonly #oldestChange = new Map<number, number>();
  #since: number | undefined;
  #buckets = 0;

  /** Takes in the ages (ms) at which an answer showed buckets changed, and how many buckets it counted. */
  observe(ages: readonly number[], counted: number, now: number): void {
    this.#since ??= now;
    this.#buckets += counted;
    const hour = Math.floor(now / HOUR_MS);
    for (const age of ages) {
      if (age > (this.#oldestChange.get(hour) ?? 0)) this.#oldestChange.set(hour, age);
    }
    for (const known of this.#oldestChange.keys()) {
      if (known < hour - MEMORY_HOURS) this.#oldestChange.delete(known);
    }
  }

  /** The age (ms) at which buckets have settled, with a margin; undefined before enough was seen. */
  settled(now: number): number | undefined {
    const watched = this.#since === undefined ? 0 : now - this.#since;
    if (watched < ENOUGH_MS || this.#buckets < ENOUGH_BUCKETS) return undefined;
    // Where nothing was ever seen to change there was no traffic to tell by.
    if (this.#oldestChange.size === 0) return undefined;
    return Math.max(...this.#oldestChange.values()) * MARGIN + MARGIN_MS;
  }
}
