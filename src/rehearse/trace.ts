/** What an alert looked like over time: one point for each step, NaN where there was nothing. */
export interface Trace {
  /** ms since the epoch. */
  readonly start: number;
  /** Between two points: ms. */
  readonly step: number;
  readonly value: readonly number[];
  readonly usual: readonly number[];
  readonly threshold: readonly number[];
}

export interface TracePoint {
  readonly value: number;
  readonly usual: number;
  readonly threshold: number;
}

/** More points than a chart can show: what lasts for days is kept more coarsely. */
const MOST_POINTS = 720;

/** A trace that grows. Whatever it is of, it does not grow without end. */
export class GrowingTrace {
  readonly #start: number;
  #step: number;
  #points: TracePoint[] = [];

  constructor(start: number, step: number) {
    this.#start = start;
    this.#step = step;
  }

  /** Adds the point of a moment that comes after all before. */
  add(moment: number, point: TracePoint): void {
    if ((moment - this.#start) % this.#step !== 0) return;
    this.#points.push(point);
    if (this.#points.length < MOST_POINTS) return;
    this.#points = this.#points.filter((_, index) => index % 2 === 0);
    this.#step *= 2;
  }

  get trace(): Trace {
    return {
      start: this.#start,
      step: this.#step,
      value: this.#points.map(({ value }) => value),
      usual: this.#points.map(({ usual }) => usual),
      threshold: this.#points.map(({ threshold }) => threshold),
    };
  }
}
