import type { LimitScope, LimitScopes } from './limit-scopes.ts';
import {
  intervalAt,
  type Levels,
  PollIntervals,
  periodOf,
  type RecurringInterval,
} from './poll-intervals.ts';

/** Work that asks for operations again and again. */
export interface RecurringWork extends RecurringInterval {
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

/** What an account's jobs ask of its quota, and the intervals at which they will therefore be polled. */
export class DemandForecast {
  /** At which its jobs are polled. */
  readonly intervals: PollIntervals;
  readonly #scopes: LimitScopes;
  #alike: readonly Alike[] = [];
  /** By the name of the scope. */
  #demands: ReadonlyMap<string, readonly JoinedDemand[]> = new Map();
  #perMinute = 0;
  #stretch = 1;

  constructor(scopes: LimitScopes) {
    this.#scopes = scopes;
    this.intervals = new PollIntervals(scopes);
  }

  /** Operations per minute that the schedules asked for when it was measured last. */
  get perMinute(): number {
    return this.#perMinute;
  }

  /** Mean factor by which intervals are longer than scheduled, by what is proven of other clients, when it was measured last. */
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

  /** Takes other jobs, one a step, as there may be thousands. The last measurement stands until the end. */
  *replace(jobs: readonly RecurringWork[]): Generator<undefined, void> {
    this.#alike = yield* alikeOf(jobs);
    yield* this.measure();
  }

  /** Measures again, a job a step: costs, limits and what other clients take have changed. */
  *measure(): Generator<undefined, void> {
    const alike = this.#alike;
    const demands = yield* this.#measured(alike);
    // The jobs were replaced meanwhile: `replace` measures the new ones.
    if (alike !== this.#alike) return;
    this.#demands = demands;
    this.#perMinute = demandPerMinute([...demands.values()].flat());
    const levels = (perMinuteOf: (limiter: LimitScope['limiter']) => number) =>
      new Map(
        this.#scopes.all.map(({ name, limiter }) => [
          name,
          levelOf(demands.get(name) ?? [], perMinuteOf(limiter)),
        ]),
      );
    this.intervals.measured({
      usual: levels((limiter) => limiter.perMinute),
      careful: levels((limiter) => limiter.carefulPerMinute),
      planned: levels((limiter) => limiter.allowedPerMinute),
    });
    this.#stretch = meanStretch(
      demands,
      levels((limiter) => limiter.provenPerMinute),
    );
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
}

function meanStretch(demands: ReadonlyMap<string, readonly JoinedDemand[]>, levels: Levels): number {
  let sum = 0;
  let count = 0;
  for (const [name, list] of demands) {
    const level = levels.get(name) ?? 0;
    for (const demand of list) sum += demand.jobs * (intervalAt(level, demand) / demand.periodMs);
    count += sumOf(list.map(({ jobs }) => jobs));
  }
  return count === 0 ? 1 : sum / count;
}

/** Jobs that differ at most in cost: an account has thousands of jobs, but few kinds. */
interface Alike {
  readonly schedule: string;
  readonly group: string;
  readonly weight: number;
  readonly jobs: readonly RecurringWork[];
}

/** What jobs of one kind ask for together. */
interface JoinedDemand extends JobDemand {
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

/** What one job asks of the quota. */
export interface JobDemand {
  /** Milliseconds between its polls as scheduled. */
  readonly periodMs: number;
  /** Operations per poll. */
  readonly cost: number;
  readonly weight: number;
}

/** Operations per minute that these jobs ask for. */
export function demandPerMinute(demands: readonly JobDemand[]): number {
  return demands.reduce((sum, { cost, periodMs }) => sum + (cost / periodMs) * 60_000, 0);
}

/** Whether a demand fits what is allowed, both in operations per minute; a sum of shares is not exact. */
export function fits(demand: number, allowance: number): boolean {
  return demand <= allowance * (1 + 1e-9);
}

/**
 * The interval (ms) at which each job is really polled when together they may perform `perMinute` operations: its
 * period, or level / weight where that is longer.
 */
export function expectedIntervals(demands: readonly JobDemand[], perMinute: number): number[] {
  const level = levelOf(demands, perMinute);
  return demands.map((demand) => intervalAt(level, demand));
}

/**
 * The urgency (weight times ms) at which a job's turn comes; 0 when everything fits.
 *
 * The most urgent job goes first, and urgency is weight times age: so all jobs that do not get their schedule settle
 * at intervals inversely proportional to their weights, level / weight, and the others keep their period. This finds
 * the level at which the operations add up to what is allowed.
 */
export function levelOf(demands: readonly JobDemand[], perMinute: number): number {
  if (fits(demandPerMinute(demands), perMinute)) return 0;
  const used = (level: number) =>
    demands.reduce((sum, demand) => sum + (demand.cost / intervalAt(level, demand)) * 60_000, 0);
  let low = 0;
  let high = 60_000;
  while (used(high) > perMinute) high *= 2;
  // Fifty halvings bring the level to within a nanosecond.
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2;
    if (used(middle) > perMinute) low = middle;
    else high = middle;
  }
  return high;
}
