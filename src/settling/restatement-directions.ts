const HOUR_MS = 3_600_000;

/** Restatements are remembered for a day: what happens at the daily peak must not be forgotten before the next one. */
const MEMORY_HOURS = 24;

/** From how many restatements on their share is trusted. */
const ENOUGH = 1_000;

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
    return up + down < ENOUGH ? undefined : up / (up + down);
  }

  /** Whether a young bucket is a lower bound: by the last day, and by the last hour, lest a change tells only in a day. */
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
