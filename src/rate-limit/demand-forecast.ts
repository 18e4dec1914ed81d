import { type Demand, demandPerMinute, intervalAt, levelOf, type Period, periodOf } from './demand.ts';
import type { LimitScope, LimitScopes } from './limit-scopes.ts';

/** Work that asks for operations again and again. */
export interface RecurringWork {
  /** A cron pattern in UTC; undefined for work that only follows other work. */
  readonly schedule: string | undefined;
  /** The group of operations that it performs. */
  readonly group: string;
  /** How much its freshness matters, relative to the others. */
  readonly weight: number;
  /** Operations each time, as far as is known. */
  cost(): number;
}

/** What the jobs of one limit scope ask for. */
export interface ScopeDemand {
  readonly scope: LimitScope;
  /** On a schedule of their own. */
  readonly jobs: number;
  /** Operations per minute. */
  readonly perMinute: number;
}

/** What the jobs of an account ask of its quota, and at which intervals they will therefore be polled. */
export class DemandForecast {
  readonly #scopes: LimitScopes;
  /** Looked up often, and it takes milliseconds to work one out. */
  readonly #periods = new Map<string, Period>();
  #jobs: readonly RecurringWork[] = [];
  /** By the name of the scope. */
  #levels = new Map<string, number>();
  #perMinute = 0;
  #stretch = 1;

  constructor(scopes: LimitScopes) {
    this.#scopes = scopes;
  }

  /** Operations per minute that the schedules asked for when it was measured last. */
  get perMinute(): number {
    return this.#perMinute;
  }

  /** Mean factor by which intervals are longer than scheduled, when it was measured last. */
  get stretch(): number {
    return this.#stretch;
  }

  /** What the schedules ask of each scope that they draw on. */
  demands(): ScopeDemand[] {
    const demands = this.#demands();
    return this.#scopes.all.flatMap((scope) => {
      const list = demands.get(scope.name);
      return list === undefined ? [] : [{ scope, jobs: list.length, perMinute: demandPerMinute(list) }];
    });
  }

  /** With other jobs than before. */
  replace(jobs: readonly RecurringWork[]): void {
    this.#jobs = jobs;
    this.measure();
  }

  /** Measures anew: costs are learned, limits change, and so does what the token's other users take. */
  measure(): void {
    const demands = this.#demands();
    this.#perMinute = demandPerMinute([...demands.values()].flat());
    this.#levels = new Map(
      this.#scopes.all.map(({ name, limiter }) => [
        name,
        levelOf(demands.get(name) ?? [], limiter.perMinute),
      ]),
    );
    this.#stretch = this.#meanStretch(demands);
  }

  /** Milliseconds between two moments of a schedule, at most. */
  periodOf(schedule: string): number {
    return this.#periodOf(schedule).longest;
  }

  /** How long (ms) after one poll of a job the next one's turn comes; work without a schedule has no period. */
  intervalOf({ schedule, group, weight }: Pick<RecurringWork, 'schedule' | 'group' | 'weight'>): number {
    const level = this.#levels.get(this.#scopes.of(group).name) ?? 0;
    return intervalAt(level, { periodMs: schedule === undefined ? 0 : this.periodOf(schedule), weight });
  }

  /** By the name of the scope that they draw on. */
  #demands(): Map<string, Demand[]> {
    const demands = new Map<string, Demand[]>();
    for (const job of this.#jobs) {
      if (job.schedule === undefined) continue;
      const { name } = this.#scopes.of(job.group);
      const list = demands.get(name) ?? [];
      demands.set(name, list);
      list.push({ periodMs: this.#periodOf(job.schedule).mean, cost: job.cost(), weight: job.weight });
    }
    return demands;
  }

  #periodOf(schedule: string): Period {
    const known = this.#periods.get(schedule) ?? periodOf(schedule);
    this.#periods.set(schedule, known);
    return known;
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
