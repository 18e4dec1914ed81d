import { THRESHOLDS, type Thresholds } from '../../../config/prometheus/source/thresholds.ts';
import { momentsOf } from './running-moments.ts';
import { median, SlidingMedian } from './sliding-median.ts';

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
  const drifts = new SlidingMedian(Number(process.env['DH'] ?? 6) * 12, Number(process.env['Q'] ?? 0.5));
  const deviations = new SlidingMedian(steps(times.recent));
  const half = steps(times.hour / 2);
  const threshold = hourly.map((hour, at) => {
    const before = seasonal[at - half] ?? Number.NaN;
    const drift = drifts.push((hour + little) / (before + little));
    const variation = deviations.push((deviation[at] ?? Number.NaN) / (hour + little));
    const season = seasonal[at] ?? Number.NaN;
    const usual = (season + little) * Math.min(Number(process.env['CAP'] ?? 4), Math.max(1, drift)) - little;
    const noise = usual + Number(process.env['DEV'] ?? 4) * variation * (usual + little);
    return largest(spike.seasonal * season, Number(process.env['R'] ?? 2) * usual, noise, season * 0 + floor);
  });
  return { hourly, seasonal, threshold, step };
}

function seasonalOf(
  hourly: Float64Array,
  { hour, day, week, baseline: interval }: Thresholds['times'],
  steps: (ms: number) => number,
): Float64Array {
  const weeksAgo = [1, 2, 3].map((weeks) => steps(weeks * week - hour / 2));
  const dayAgo = steps(day - hour / 2);
  const whileAgo = steps(2 * interval);
  return hourly.map((_, at) => {
    const found = weeksAgo
      .map((ago) => hourly[at - ago] ?? Number.NaN)
      .filter((value) => !Number.isNaN(value));
    if (found.length > 0)
      return median(
        found.sort((a, b) => a - b),
        found.length,
      );
    const yesterday = hourly[at - dayAgo] ?? Number.NaN;
    return Number.isNaN(yesterday) ? (hourly[at - whileAgo] ?? Number.NaN) : yesterday;
  });
}

function largest(...values: readonly number[]): number {
  const present = values.filter((value) => !Number.isNaN(value));
  return present.length === 0 ? Number.NaN : Math.max(...present);
}

/** The minutes in which a spike alert's condition holds. */
export function spikes(values: Float64Array, floor: number, thresholds: Thresholds = THRESHOLDS): Uint8Array {
  const { threshold, step } = baseline(values, floor, thresholds);
  const N = Number(process.env['N'] ?? 5);
  const M = Number(process.env['M'] ?? 12);
  const above = Float64Array.from(values, (value, minute) => {
    const limit = threshold[Math.floor(minute / step)] ?? Number.NaN;
    return Number.isNaN(value) || Number.isNaN(limit) ? Number.NaN : value > limit ? 1 : 0;
  });
  let sum = 0;
  return Uint8Array.from(above, (value, minute) => {
    sum += value || 0;
    if (minute >= M) sum -= above[minute - M] || 0;
    return sum >= N ? 1 : 0;
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
      const enough = now.requests >= errors5xx.minimumRequests && now.errors >= errors5xx.minimumErrors;
      return enough && now.errors / now.requests > share && before > share;
    };
  });
  return Uint8Array.from(errors, (_, minute) => (conditions.some((holds) => holds(minute)) ? 1 : 0));
}
