/** Weight of one more exchange in the mean duration. */
const SMOOTHING = 0.1;

/** Duration (ms) assumed of exchanges before any was seen. */
const USUAL_EXCHANGE_MS = 200;

/** Answers this quick (ms) are never slow, however fast other groups are. */
const QUICK_MS = 500;

/** A group is slow when its answers take this many times as long as those of the quickest other group. */
const SLOW_FACTOR = 4;

/** The requests of one group. */
interface GroupInFlight {
  /** When those in flight left (local ms), the first to leave first. */
  readonly inFlight: Set<{ readonly sentAt: number }>;
  /** How long its exchanges usually take. */
  usualMs: number;
}

/**
 * Limits requests in flight. No group of operations gets the whole limit while there are others, and the later a group's
 * answers the smaller its share: when one API hangs, the others go on.
 */
export class ConcurrencyLimit {
  readonly limit: number;
  readonly #groups = new Map<string, GroupInFlight>();
  /** Mean duration of exchanges of groups that were not slow. */
  #usualMs = USUAL_EXCHANGE_MS;
  #inFlight = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get full(): boolean {
    return this.#inFlight >= this.limit;
  }

  /** Requests per ms that a group with punctual answers can perform. */
  get throughput(): number {
    return this.#most / this.#usualMs;
  }

  /** Counts this group among those that may want to send. */
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

  #groupOf(name: string): GroupInFlight {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const group = { inFlight: new Set<{ sentAt: number }>(), usualMs: USUAL_EXCHANGE_MS };
    this.#groups.set(name, group);
    return group;
  }
}

/** How long (ms) the exchanges of a group take: usually, or this time. */
function durationOf({ inFlight, usualMs }: GroupInFlight, now: number): number {
  const [oldest] = inFlight;
  return oldest === undefined ? usualMs : Math.max(usualMs, now - oldest.sentAt);
}

function smoothed(mean: number, next: number): number {
  return mean + SMOOTHING * (next - mean);
}
