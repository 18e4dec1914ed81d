/**
 * The answers of the last frame-long span. Where the platform tells nothing, as many operations as a frame allows may
 * leave within any such span, counted from the answers: safe for every position of the platform's frame.
 */
export class AnswerSpan {
  readonly #lengthMs: number;
  /** Local ms, oldest first. */
  readonly #answeredAt: number[] = [];

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  add(now: number): void {
    this.#answeredAt.push(now);
    this.#forget(now);
  }

  count(now: number): number {
    this.#forget(now);
    return this.#answeredAt.length;
  }

  /** Milliseconds until the oldest answer no longer counts, Infinity when there is none. */
  waitMs(now: number): number {
    this.#forget(now);
    return (this.#answeredAt[0] ?? Number.POSITIVE_INFINITY) + this.#lengthMs - now;
  }

  #forget(now: number): void {
    while ((this.#answeredAt[0] ?? now) <= now - this.#lengthMs) this.#answeredAt.shift();
  }
}
