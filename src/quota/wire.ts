/** How much one more exchange changes the mean duration. */
const SMOOTHING = 0.1;

/** How long an exchange takes until some were seen. */
const USUAL_EXCHANGE_MS = 200;

/** Answers that take this long are not slow, however fast the other groups' are. */
const QUICK_MS = 500;

/** A group is slow when its answers take so many times as long as those of the quickest other one. */
const SLOW_FACTOR = 4;

/** The operations of one group that are on the wire, and how long they usually are. */
interface Line {
  /** When they left (local ms), the first to leave first. */
  readonly out: Set<{ readonly leftAt: number }>;
  usualMs: number;
}

/**
 * The places on the wire. No group of operations takes them all while there are other groups, and one whose answers
 * are late takes the fewer the later they are: when one API hangs, the others go on.
 */
export class Wire {
  readonly #places: number;
  readonly #lines = new Map<string, Line>();
  /** Of the exchanges of groups that were not slow. */
  #usualMs = USUAL_EXCHANGE_MS;
  #taken = 0;

  constructor(places: number) {
    this.#places = places;
  }

  get full(): boolean {
    return this.#taken >= this.#places;
  }

  /** Operations per ms that a group whose answers are not late can perform. */
  get throughput(): number {
    return this.#most / this.#usualMs;
  }

  /** From now on this group counts among those that may want a place. */
  meet(group: string): void {
    this.#lineOf(group);
  }

  /** Whether a group may take one more place. */
  hasPlace(group: string, now: number): boolean {
    return !this.full && this.#lineOf(group).out.size < this.#shareOf(group, now);
  }

  /** Whether the answers of a group are late, so that it may not keep others from leaving. */
  isSlow(group: string, now: number): boolean {
    return this.slowInMs(group, now) <= 0;
  }

  /** Milliseconds until a group becomes slow unless an answer comes; not positive when it is. */
  slowInMs(group: string, now: number): number {
    return this.#toleratedMs(group) - paceOf(this.#lineOf(group), now);
  }

  /** An operation takes a place. The function returned must be called once when it is over. */
  depart(group: string, now: number): (now: number) => void {
    const line = this.#lineOf(group);
    const operation = { leftAt: now };
    line.out.add(operation);
    this.#taken += 1;
    return (landedAt) => {
      const slow = this.isSlow(group, landedAt);
      line.out.delete(operation);
      this.#taken -= 1;
      line.usualMs = smoothed(line.usualMs, landedAt - now);
      if (!slow) this.#usualMs = smoothed(this.#usualMs, landedAt - now);
    };
  }

  /** The most places that one group may take. */
  get #most(): number {
    return this.#lines.size > 1 ? Math.max(1, this.#places - 1) : this.#places;
  }

  #shareOf(group: string, now: number): number {
    const punctuality = this.#toleratedMs(group) / paceOf(this.#lineOf(group), now);
    return Math.max(1, Math.min(this.#most, Math.floor(this.#places * punctuality)));
  }

  #toleratedMs(group: string): number {
    const others = [...this.#lines].flatMap(([other, { usualMs }]) => (other === group ? [] : usualMs));
    return SLOW_FACTOR * Math.max(QUICK_MS, Math.min(...others));
  }

  #lineOf(group: string): Line {
    const known = this.#lines.get(group);
    if (known !== undefined) return known;
    const line = { out: new Set<{ leftAt: number }>(), usualMs: USUAL_EXCHANGE_MS };
    this.#lines.set(group, line);
    return line;
  }
}

/** How long (ms) the answers of a group take: usually, or this time. */
function paceOf({ out, usualMs }: Line, now: number): number {
  const [oldest] = out;
  return oldest === undefined ? usualMs : Math.max(usualMs, now - oldest.leftAt);
}

function smoothed(mean: number, next: number): number {
  return mean + SMOOTHING * (next - mean);
}
