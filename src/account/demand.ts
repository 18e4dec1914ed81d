import { demandPerMinute, expectedIntervals, type Demand as JobDemand } from '../quota/intervals.ts';
import { periodOf } from '../quota/period.ts';
import type { Job } from '../schedule/job.ts';

/** What the jobs of an account ask of its quota, and by how much their intervals stretch because of it. */
export class Demand {
  readonly #allowance: () => number;
  /** Looked up often, and it takes milliseconds to work one out. */
  readonly #periods = new Map<string, number>();
  #jobs: readonly Job[] = [];
  #stretch = 1;

  /** @param allowance operations per minute that the exporter may use now */
  constructor(allowance: () => number) {
    this.#allowance = allowance;
  }

  /** How many jobs there are, on a schedule of their own or not. */
  get jobs(): number {
    return this.#jobs.length;
  }

  /** Operations per minute that the jobs ask for. */
  get perMinute(): number {
    return demandPerMinute(this.#demands());
  }

  get allowance(): number {
    return this.#allowance();
  }

  /** Mean factor by which intervals are longer than scheduled, when it was measured last. */
  get stretch(): number {
    return this.#stretch;
  }

  replace(jobs: readonly Job[]): void {
    this.#jobs = jobs;
    this.measure();
  }

  /** Measures anew: costs are learned and limits change. */
  measure(): void {
    const demands = this.#demands();
    const intervals = expectedIntervals(demands, this.#allowance());
    const factors = intervals.map((interval, index) => interval / (demands[index]?.periodMs ?? interval));
    const sum = factors.reduce((all, factor) => all + factor, 0);
    this.#stretch = factors.length === 0 ? 1 : sum / factors.length;
  }

  /** Milliseconds between two moments of a schedule. */
  periodOf(schedule: string): number {
    const known = this.#periods.get(schedule) ?? periodOf(schedule);
    this.#periods.set(schedule, known);
    return known;
  }

  /** Roughly how long (ms) until a job of this schedule and weight is polled again. */
  intervalOf(schedule: string, weight: number): number {
    return this.periodOf(schedule) * Math.max(1, this.#stretch / weight);
  }

  #demands(): JobDemand[] {
    return this.#jobs.flatMap((job) =>
      job.schedule === undefined
        ? []
        : [{ periodMs: this.periodOf(job.schedule), cost: job.cost(), weight: job.weight }],
    );
  }
}
