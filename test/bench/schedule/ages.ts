/** Mean and largest age (ms) of the known data, over all jobs of a time span. */
export interface AgeFigures {
  readonly mean: number;
  readonly worst: number;
  /** Largest age (ms) of each job. */
  readonly worstByJob: Float64Array;
}

/** Accumulates the age of each job's newest bucket over a time span. The age counts from the bucket's end. */
export class Ages {
  readonly #from: number;
  readonly #heldFrom: Float64Array;
  readonly #summedTo: Float64Array;
  readonly #worst: Float64Array;
  #area = 0;

  constructor(jobs: number, from: number, start: number) {
    this.#from = from;
    this.#heldFrom = new Float64Array(jobs).fill(start);
    this.#summedTo = new Float64Array(jobs).fill(from);
    this.#worst = new Float64Array(jobs);
  }

  renew(job: number, now: number, bucketClosedAt: number): void {
    const held = this.#heldFrom[job] ?? 0;
    if (bucketClosedAt <= held) return;
    this.#sumUp(job, now);
    this.#heldFrom[job] = bucketClosedAt;
  }

  /** Returns the figures of the time span that ends at `now`. */
  figures(now: number): AgeFigures {
    for (let job = 0; job < this.#heldFrom.length; job += 1) this.#sumUp(job, now);
    const mean = this.#area / ((now - this.#from) * this.#heldFrom.length);
    return { mean, worst: this.#worst.reduce((a, b) => Math.max(a, b), 0), worstByJob: this.#worst };
  }

  #sumUp(job: number, now: number): void {
    const since = this.#summedTo[job] ?? now;
    if (now <= since) return;
    const held = this.#heldFrom[job] ?? now;
    this.#area += (now - since) * ((now + since) / 2 - held);
    this.#summedTo[job] = now;
    this.#worst[job] = Math.max(this.#worst[job] ?? 0, now - held);
  }
}
