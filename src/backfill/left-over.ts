import type { Account } from '../configuration/schema.ts';
import { demandPerMinute, periodOf } from '../rate-limit/demand.ts';
import type { PlannedSeries } from './history-plan.ts';

/** The history gets at least this share of the limit (0 to 1), whatever the exporter needs, so that it finishes. */
const LEAST_SHARE = 0.1;

/**
 * The share of a limit that a history leaves alone: the configured reserve, and what an exporter of the same
 * configuration needs: current data matters more than history.
 */
export function leftAlone(reserve: number, demand: number, limit: number): number {
  return Math.max(reserve, Math.min(1 - LEAST_SHARE, reserve + demand / limit));
}

/** Operations per minute by which an exporter keeps up with these series. */
export function demandOf({ collectors }: Account, series: readonly PlannedSeries[]): number {
  const demands = series.flatMap(({ api, product }) => {
    const collector = collectors[api];
    const schedule = collector?.products[product]?.schedule ?? collector?.schedule;
    if (schedule === undefined) return [];
    return [{ periodMs: periodOf(schedule).mean, cost: 1, weight: 1 }];
  });
  return demandPerMinute(demands);
}
