import { type Demand, demandPerMinute, intervalAt, levelOf } from '../quota/intervals.ts';
import type { Scopes } from '../quota/scopes.ts';
import type { Job } from './job.ts';

export interface ForesightOptions {
  readonly scopes: Scopes;
  /** Milliseconds between two runs of a cron pattern. */
  readonly periodOf: (schedule: string) => number;
}

/** What the jobs wanted ask of the quota, and at which intervals they will therefore be polled. */
export class Foresight {
  readonly #options: ForesightOptions;
  /** Level by scope name. */
  #levels = new Map<string, number>();
  #demand = 0;
  #stretch = 1;

  constructor(options: ForesightOptions) {
    this.#options = options;
  }

  /** Operations per minute that the schedules ask for. */
  get demandPerMinute(): number {
    return this.#demand;
  }

  /** Mean factor by which intervals are longer than scheduled. */
  get stretch(): number {
    return this.#stretch;
  }

  /** Looks ahead anew: with other jobs, or with what the quota allows now. */
  update(jobs: readonly Job[]): void {
    const demands = this.#demandsByScope(jobs);
    this.#levels = new Map(
      this.#options.scopes.all.map(({ name, budget }) => [
        name,
        levelOf(demands.get(name) ?? [], budget.perMinute),
      ]),
    );
    this.#demand = demandPerMinute([...demands.values()].flat());
    this.#stretch = this.#meanStretch(demands);
  }

  /** The interval (ms) at which a job will be polled; for work without a schedule, when its turn comes at the latest. */
  intervalOf({ schedule, group, weight }: Pick<Job, 'schedule' | 'group' | 'weight'>): number {
    const level = this.#levels.get(this.#options.scopes.of(group).name) ?? 0;
    const periodMs = schedule === undefined ? 0 : this.#options.periodOf(schedule);
    return intervalAt(level, { periodMs, weight });
  }

  #demandsByScope(jobs: readonly Job[]): Map<string, Demand[]> {
    const demands = new Map<string, Demand[]>();
    for (const job of jobs) {
      if (job.schedule === undefined) continue;
      const { name } = this.#options.scopes.of(job.group);
      const list = demands.get(name) ?? [];
      demands.set(name, list);
      list.push({ periodMs: this.#options.periodOf(job.schedule), cost: job.cost(), weight: job.weight });
    }
    return demands;
  }

  #meanStretch(demands: ReadonlyMap<string, readonly Demand[]>): number {
    let sum = 0;
    let count = 0;
    for (const [name, list] of demands) {
      const level = this.#levels.get(name) ?? 0;
      for (const demand of list) sum += intervalAt(level, demand) / demand.periodMs;
      count += list.length;
    }
    return count === 0 ? 1 : sum / count;
  }
}
