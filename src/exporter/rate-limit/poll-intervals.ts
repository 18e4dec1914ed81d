import { CronPattern } from '../cron-pattern.ts';
import type { LimitScopes } from './limit-scopes.ts';

/** What decides at which interval work is done. */
export interface RecurringInterval {
  /** A cron pattern in UTC; undefined for work that only follows other work. */
  readonly schedule: string | undefined;
  /** The group of operations that it performs. */
  readonly group: string;
  /** How much its freshness matters, relative to the others. */
  readonly weight: number;
}

/** Between two polls of a job (ms). */
export interface Intervals {
  /** Given what other clients take now. */
  readonly usual: number;
  /** On a day when other clients take more than usual: pacing must not exceed it. */
  readonly careful: number;
  /** By schedules and limit alone. Lateness is judged by it, so that other clients are no excuse for old data. */
  readonly planned: number;
}

const YEAR_MS = 365 * 24 * 3_600_000;

/** Enough runs to see every gap of a pattern that is not even, such as office hours. */
const RUNS = 64;

/** How far ahead (ms) runs are counted: a pattern may name leap days alone, or February 30, which never comes. */
const FARTHEST_MS = 100 * YEAR_MS;

/** How far apart the runs of a cron pattern are, in ms. */
export interface Period {
  /** On average: what it costs. */
  readonly mean: number;
  /** At most: how long it may leave a value alone. */
  readonly longest: number;
}

/** By pattern, for all accounts: working one out takes milliseconds. */
const periods = new Map<string, Period>();

/** The period of a cron pattern, as of when it was asked for first. */
export function periodOf(pattern: string): Period {
  const known = periods.get(pattern) ?? periodFromNow(pattern);
  periods.set(pattern, known);
  return known;
}

function periodFromNow(pattern: string): Period {
  const now = Date.now();
  const runs: number[] = [];
  for (const run of new CronPattern(pattern).within(now, now + FARTHEST_MS)) {
    if (runs.push(run) === RUNS) break;
  }
  const gaps = runs.slice(1).map((run, index) => run - (runs[index] ?? run));
  // A pattern with a single run left has no gap: it is as rare as can be.
  if (gaps.length === 0) return { mean: YEAR_MS, longest: YEAR_MS };
  return { mean: gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length, longest: Math.max(...gaps) };
}

/** The interval (ms) at which a job is polled that is scheduled every `periodMs`, where its turn comes at a level of urgency. */
export function intervalAt(
  level: number,
  { periodMs, weight }: { readonly periodMs: number; readonly weight: number },
): number {
  return Math.max(periodMs, level / weight);
}

/** The urgency (weight times ms) at which the turns of jobs come, by the name of their limit scope. */
export type Levels = ReadonlyMap<string, number>;

const NONE: Levels = new Map();

/** The intervals at which the jobs of an account are polled, as its demand was measured last. */
export class PollIntervals {
  readonly #scopes: LimitScopes;
  #levels: Readonly<Record<keyof Intervals, Levels>> = { usual: NONE, careful: NONE, planned: NONE };

  constructor(scopes: LimitScopes) {
    this.#scopes = scopes;
  }

  /** Takes another measurement. */
  measured(levels: Readonly<Record<keyof Intervals, Levels>>): void {
    this.#levels = levels;
  }

  /** How often a job is polled; 0 for work without a schedule where the quota does not stretch it. */
  of({ schedule, group, weight }: RecurringInterval): Intervals {
    const { name } = this.#scopes.of(group);
    const periodMs = schedule === undefined ? 0 : periodOf(schedule).longest;
    const at = (levels: Levels) => intervalAt(levels.get(name) ?? 0, { periodMs, weight });
    const { usual, careful, planned } = this.#levels;
    return { usual: at(usual), careful: at(careful), planned: at(planned) };
  }
}
