const HOUR_MS = 3_600_000;

/** Restatements are remembered for a day: what settles slowly at the daily peak must not be forgotten before the next one. */
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

/** From how many restatements on their share is trusted. */
const ENOUGH_RESTATEMENTS = 1_000;

/** Young buckets are lower bounds where at least this share of the restatements went upwards. */
const LEAST_SHARE = 0.999;

interface Directions {
  readonly up: number;
  readonly down: number;
}

/**
 * Whether the buckets of one metric only grow until they are final, as seen over the last day. It is learned anew after
 * a restart, since the platform may have changed meanwhile; that takes minutes in an account of usual size.
 */
export class RestatementDirections {
  /** Restatements seen, by hour. */
  readonly #hours = new Map<number, Directions>();

  /** Takes in how many buckets an answer showed grown, and how many shrunk. */
  observe(up: number, down: number, now: number): void {
    if (up + down === 0) return;
    const hour = Math.floor(now / HOUR_MS);
    const known = this.#hours.get(hour) ?? { up: 0, down: 0 };
    this.#hours.set(hour, { up: known.up + up, down: known.down + down });
    for (const old of this.#hours.keys()) if (old < hour - MEMORY_HOURS) this.#hours.delete(old);
  }

  /** Share (0 to 1) of the last day's restatements that went upwards; undefined before enough were seen. */
  upwardShare(now: number): number | undefined {
    const { up, down } = this.#since(now, MEMORY_HOURS);
    return up + down < ENOUGH_RESTATEMENTS ? undefined : up / (up + down);
  }

  /** Whether a young bucket is a lower bound: by the last day, and by the last hour, so that a change shows at once. */
  onlyGrow(now: number): boolean {
    const share = this.upwardShare(now);
    const recent = this.#since(now, 1);
    return (
      share !== undefined && share >= LEAST_SHARE && recent.up >= LEAST_SHARE * (recent.up + recent.down)
    );
  }

  #since(now: number, hours: number): Directions {
    const first = Math.floor(now / HOUR_MS) - hours;
    let [up, down] = [0, 0];
    for (const [hour, seen] of this.#hours) {
      if (hour < first) continue;
      up += seen.up;
      down += seen.down;
    }
    return { up, down };
  }
}
