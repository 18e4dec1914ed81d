/** How much one more exchange changes the mean duration. */
const SMOOTHING = 0.1;

/** How long an exchange takes until some were seen. */
const USUAL_EXCHANGE_MS = 200;

/** Answers that take this long are not slow, however fast the other groups' are. */
const QUICK_MS = 500;

/** A group is slow when its answers take this many times as long as those of the quickest other one. */
const SLOW_FACTOR = 4;

/** The requests of one group. */
interface Group {
  /** When those in flight left (local ms), the first to leave first. */
  readonly inFlight: Set<{ readonly sentAt: number }>;
  /** How long its exchanges usually take. */
  usualMs: number;
}

/**
 * How many requests are in flight at once. No group of operations takes the whole limit while there are other groups, and
 * one whose answers are late takes the fewer the later they are: when one API hangs, the others go on.
 */
export class ConcurrencyLimit {
  readonly limit: number;
  readonly #groups = new Map<string, Group>();
  /** Of the exchanges of groups that were not slow. */
  #usualMs = USUAL_EXCHANGE_MS;
  #inFlight = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get full(): boolean {
    return this.#inFlight >= this.limit;
  }

  /** Requests per ms that a group whose answers are not late can perform. */
  get throughput(): number {
    return this.#most / this.#usualMs;
  }

  /** From now on this group counts among those that may want to send. */
  register(group: string): void {
    this.#groupOf(group);
  }

  /** Whether another request of a group may leave. */
  admits(group: string, now: number): boolean {
    return !this.full && this.#groupOf(group).inFlight.size < this.#shareOf(group, now);
  }

  /** When (local ms) a group becomes slow unless an answer comes; not later than `now` where it is. */
  slowAt(group: string, now: number): number {
    return now + this.#toleratedMs(group) - durationOf(this.#groupOf(group), now);
  }

  /** A request leaves. The function returned must be called once when it is over. */
  send(group: string, now: number): (now: number) => void {
    const { inFlight } = this.#groupOf(group);
    const request = { sentAt: now };
    inFlight.add(request);
    this.#inFlight += 1;
    return (endedAt) => {
      const slow = this.slowAt(group, endedAt) <= endedAt;
      inFlight.delete(request);
      this.#inFlight -= 1;
      const known = this.#groupOf(group);
      known.usualMs = smoothed(known.usualMs, endedAt - now);
      if (!slow) this.#usualMs = smoothed(this.#usualMs, endedAt - now);
    };
  }

  /** The most requests of one group in flight. */
  get #most(): number {
    return this.#groups.size > 1 ? Math.max(1, this.limit - 1) : this.limit;
  }

  #shareOf(group: string, now: number): number {
    const punctuality = this.#toleratedMs(group) / durationOf(this.#groupOf(group), now);
    return Math.max(1, Math.min(this.#most, Math.floor(this.limit * punctuality)));
  }

  #toleratedMs(group: string): number {
    const others = [...this.#groups].flatMap(([other, { usualMs }]) => (other === group ? [] : usualMs));
    return SLOW_FACTOR * Math.max(QUICK_MS, Math.min(...others));
  }

  #groupOf(name: string): Group {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const group = { inFlight: new Set<{ sentAt: number }>(), usualMs: USUAL_EXCHANGE_MS };
    this.#groups.set(name, group);
    return group;
  }
}

/** How long (ms) the exchanges of a group take: usually, or this time. */
function durationOf({ inFlight, usualMs }: Group, now: number): number {
  const [oldest] = inFlight;
  return oldest === undefined ? usualMs : Math.max(usualMs, now - oldest.sentAt);
}

function smoothed(mean: number, next: number): number {
  return mean + SMOOTHING * (next - mean);
}
