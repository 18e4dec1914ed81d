/** Mean and largest age (ms) of the known data, over all jobs of a time span. */
export interface AgeFigures {
  readonly mean: number;
  readonly worst: number;
  /** The worst age of each job. */
  readonly worstByJob: Float64Array;
}

/** Sum of the ages of each job's newest bucket, measured from the bucket's end, over a time span. */
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

  /** The figures of the span that ends now. */
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
