import { THRESHOLDS, type Thresholds } from '../../../config/prometheus/source/thresholds.ts';
import { momentsOf } from './running-moments.ts';
import { quantile, SlidingQuantile } from './sliding-quantile.ts';

const MINUTE_MS = 60_000;

/** What the recording rules make of a series of minutes, at every baseline evaluation. */
export interface Baseline {
  readonly hourly: Float64Array;
  readonly seasonal: Float64Array;
  readonly threshold: Float64Array;
  /** Minutes between two evaluations. */
  readonly step: number;
}

/** The recording rules of a spike, value by value as Prometheus would record them. */
export function baseline(values: Float64Array, floor: number, { times, spike }: Thresholds): Baseline {
  const step = times.baseline / MINUTE_MS;
  const steps = (ms: number): number => Math.round(ms / times.baseline);
  const { mean: hourly, deviation } = momentsOf(values, times.hour / MINUTE_MS, step);
  const seasonal = seasonalOf(hourly, times, steps);
  const little = floor * 0.1;
  const drifts = new SlidingQuantile(steps(times.day), 0.9);
  const variations = new SlidingQuantile(steps(times.recent), 0.5);
  const half = steps(times.hour / 2);
  const threshold = hourly.map((hour, at) => {
    const before = seasonal[at - half] ?? Number.NaN;
    const raise = drifts.push((hour + little) / (before + little));
    const variation = variations.push((deviation[at] ?? Number.NaN) / (hour + little));
    const season = seasonal[at] ?? Number.NaN;
    const raised = (season + little) * Math.min(spike.highestRaise, Math.max(1, raise)) - little;
    const usual = Number.isNaN(raised) ? season : raised;
    const noise = usual + spike.deviations * variation * (usual + little);
    return largest(spike.usual * usual, noise, usual * 0 + floor);
  });
  return { hourly, seasonal, threshold, step };
}

/** The median of the same hour yesterday and in the last three weeks, or else the hour until a while ago. */
function seasonalOf(
  hourly: Float64Array,
  { hour, day, week, baseline: interval }: Thresholds['times'],
  steps: (ms: number) => number,
): Float64Array {
  const before = [day, week, 2 * week, 3 * week].map((time) => steps(time - hour / 2));
  const whileAgo = steps(2 * interval);
  return hourly.map((_, at) => {
    const found = before.map((ago) => hourly[at - ago] ?? Number.NaN).filter((value) => !Number.isNaN(value));
    if (found.length === 0) return hourly[at - whileAgo] ?? Number.NaN;
    return quantile(
      found.sort((a, b) => a - b),
      found.length,
      0.5,
    );
  });
}

function largest(...values: readonly number[]): number {
  const present = values.filter((value) => !Number.isNaN(value));
  return present.length === 0 ? Number.NaN : Math.max(...present);
}

/** The minutes in which a spike alert's condition holds: enough of the last minutes were above the threshold. */
export function spikes(values: Float64Array, floor: number, thresholds: Thresholds = THRESHOLDS): Uint8Array {
  const { threshold, step } = baseline(values, floor, thresholds);
  const { above: enough, of } = thresholds.spike.minutes;
  const above = Uint8Array.from(values, (value, minute) =>
    value > (threshold[Math.floor(minute / step)] ?? Number.NaN) ? 1 : 0,
  );
  let count = 0;
  return above.map((now, minute) => {
    count += now - (above[minute - of] ?? 0);
    return count >= enough && !Number.isNaN(values[minute] ?? Number.NaN) ? 1 : 0;
  });
}

/** The minutes in which the burn rates that page hold. */
export function burns(
  errors: Float64Array,
  requests: Float64Array,
  { times, errors5xx }: Thresholds = THRESHOLDS,
): Uint8Array {
  const means = (values: Float64Array, ms: number): Float64Array => momentsOf(values, ms / MINUTE_MS, 1).mean;
  const conditions = (['fast', 'slow'] as const).map((burn) => {
    const [short, long] = times.burn[burn].map((window) => ({
      errors: means(errors, window),
      requests: means(requests, window),
    }));
    const share = errors5xx.burn[burn] * errors5xx.budget;
    return (minute: number): boolean => {
      const now = {
        errors: short?.errors[minute] ?? Number.NaN,
        requests: short?.requests[minute] ?? Number.NaN,
      };
      const before = (long?.errors[minute] ?? Number.NaN) / (long?.requests[minute] ?? Number.NaN);
      const enough = now.requests >= errors5xx.minimumRequests[burn] && now.errors >= errors5xx.minimumErrors;
      return enough && now.errors / now.requests > share && before > share;
    };
  });
  return Uint8Array.from(errors, (_, minute) => (conditions.some((holds) => holds(minute)) ? 1 : 0));
}
