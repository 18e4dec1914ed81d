import { createTask } from 'node-cron';

const YEAR_MS = 365 * 24 * 3_600_000;

/** Enough runs to see every gap of a pattern that is not even, such as office hours. */
const RUNS = 64;

/** How far apart the runs of a cron pattern are, in ms. */
export interface Period {
  /** On average: what it costs. */
  readonly mean: number;
  /** At most: how long it may leave a value alone. */
  readonly longest: number;
}

/** By pattern, for all accounts: it takes milliseconds to work one out, and only the configuration brings new ones. */
const periods = new Map<string, Period>();

/** The period of a cron pattern, as of when it was asked for first. */
export function periodOf(pattern: string): Period {
  const known = periods.get(pattern) ?? periodFromNow(pattern);
  periods.set(pattern, known);
  return known;
}

function periodFromNow(pattern: string): Period {
  const task = createTask(pattern, () => undefined, { timezone: 'Etc/UTC' });
  const runs = task.getNextRuns(RUNS).map((run) => run.getTime());
  task.destroy();
  const gaps = runs.slice(1).map((run, index) => run - (runs[index] ?? run));
  // A pattern with a single run left has no gap: it is as rare as can be.
  if (gaps.length === 0) return { mean: YEAR_MS, longest: YEAR_MS };
  return { mean: gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length, longest: Math.max(...gaps) };
}

/** What one job asks of the quota. */
export interface Demand {
  /** Milliseconds between its polls as scheduled. */
  readonly periodMs: number;
  /** Operations per poll. */
  readonly cost: number;
  readonly weight: number;
}

/** Operations per minute that these jobs ask for. */
export function demandPerMinute(demands: readonly Demand[]): number {
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
export function expectedIntervals(demands: readonly Demand[], perMinute: number): number[] {
  const level = levelOf(demands, perMinute);
  return demands.map((demand) => intervalAt(level, demand));
}

/** The interval (ms) of a job at a level. */
export function intervalAt(level: number, { periodMs, weight }: Pick<Demand, 'periodMs' | 'weight'>): number {
  return Math.max(periodMs, level / weight);
}

/**
 * The urgency (weight times ms) at which a job's turn comes; 0 when everything fits.
 *
 * The most urgent job goes first, and urgency is weight times age: so all jobs that do not get their schedule settle
 * at intervals inversely proportional to their weights, level / weight, and the others keep their period. This finds
 * the level at which the operations add up to what is allowed.
 */
export function levelOf(demands: readonly Demand[], perMinute: number): number {
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
