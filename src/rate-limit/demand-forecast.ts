import { type Demand, demandPerMinute, intervalAt, levelOf, periodOf } from './demand.ts';
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
  #alike: readonly Alike[] = [];
  /** By the name of the scope, as are the levels. */
  #demands: ReadonlyMap<string, readonly JoinedDemand[]> = new Map();
  #levels: ReadonlyMap<string, number> = new Map();
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

  /** What the schedules asked of each scope that they draw on, when it was measured last. */
  demands(): ScopeDemand[] {
    return this.#scopes.all.flatMap((scope) => {
      const list = this.#demands.get(scope.name);
      if (list === undefined) return [];
      return [{ scope, jobs: sumOf(list.map(({ jobs }) => jobs)), perMinute: demandPerMinute(list) }];
    });
  }

  /** With other jobs than before, a job a step: there may be thousands. What was measured last stands until the end. */
  *replace(jobs: readonly RecurringWork[]): Generator<undefined, void> {
    this.#alike = yield* alikeOf(jobs);
    yield* this.measure();
  }

  /** Measures anew, a job a step: costs are learned, limits change, and so does what the token's other clients take. */
  *measure(): Generator<undefined, void> {
    const alike = this.#alike;
    const demands = yield* this.#measured(alike);
    // Other jobs have come meanwhile: they are measured by themselves.
    if (alike !== this.#alike) return;
    this.#demands = demands;
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
    return periodOf(schedule).longest;
  }

  /** How long (ms) after one poll of a job the next one's turn comes; work without a schedule has no period. */
  intervalOf({ schedule, group, weight }: Pick<RecurringWork, 'schedule' | 'group' | 'weight'>): number {
    const level = this.#levels.get(this.#scopes.of(group).name) ?? 0;
    return intervalAt(level, { periodMs: schedule === undefined ? 0 : this.periodOf(schedule), weight });
  }

  /** The interval (ms) of the jobs that are polled most often; Infinity where none has a schedule. */
  shortestIntervalMs(): number {
    return Math.min(...this.#alike.map((jobs) => this.intervalOf(jobs)));
  }

  *#measured(alike: readonly Alike[]): Generator<undefined, Map<string, JoinedDemand[]>> {
    const demands = new Map<string, JoinedDemand[]>();
    for (const { schedule, group, weight, jobs } of alike) {
      let cost = 0;
      for (const job of jobs) {
        cost += job.cost();
        yield;
      }
      const { name } = this.#scopes.of(group);
      const list = demands.get(name) ?? [];
      demands.set(name, list);
      list.push({ periodMs: periodOf(schedule).mean, cost, weight, jobs: jobs.length });
    }
    return demands;
  }

  #meanStretch(demands: ReadonlyMap<string, readonly JoinedDemand[]>): number {
    let sum = 0;
    let count = 0;
    for (const [name, list] of demands) {
      const level = this.#levels.get(name) ?? 0;
      for (const demand of list) sum += demand.jobs * (intervalAt(level, demand) / demand.periodMs);
      count += sumOf(list.map(({ jobs }) => jobs));
    }
    return count === 0 ? 1 : sum / count;
  }
}

/** Work that differs in nothing but what it costs; an account has thousands of jobs, and few kinds of them. */
interface Alike {
  readonly schedule: string;
  readonly group: string;
  readonly weight: number;
  readonly jobs: readonly RecurringWork[];
}

/** What work that is alike asks for in all. */
interface JoinedDemand extends Demand {
  readonly jobs: number;
}

function* alikeOf(work: readonly RecurringWork[]): Generator<undefined, Alike[]> {
  const alike = new Map<string, Alike & { readonly jobs: RecurringWork[] }>();
  for (const job of work) {
    yield;
    const { schedule, group, weight } = job;
    if (schedule === undefined) continue;
    const key = `${schedule} ${group} ${weight}`;
    const known = alike.get(key) ?? { schedule, group, weight, jobs: [] };
    alike.set(key, known);
    known.jobs.push(job);
  }
  return [...alike.values()];
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
