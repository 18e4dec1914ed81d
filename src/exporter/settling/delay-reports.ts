import {
  type DelaySettings,
  delaysOf,
  type MetricMemory,
  USUAL_PUBLISH_MS,
  USUAL_SETTLE_MS,
} from './learned.ts';
import type { LearnedMetric } from './learned-metrics.ts';

/** A learned delay has become another one (ms). */
export interface DelayChange {
  readonly product: string;
  readonly metric: string;
  readonly delay: 'publish' | 'settle';
  readonly before: number;
  readonly after: number;
}

/** Settle delays move by seconds all the time: only a change of this much (ms) is reported. */
const LEAST_CHANGE_MS = 60_000;

/** Learned delays that were reported last. */
export class DelayReports {
  readonly #settings: DelaySettings;
  readonly #reported = new Map<string, number>();

  constructor(settings: DelaySettings) {
    this.#settings = settings;
  }

  /** The delays of a metric that have changed since the last call. @param now the platform's time */
  changes({ product, metric }: LearnedMetric, known: MetricMemory, now: number): DelayChange[] {
    const settings = this.#settings;
    const { publish, settle } = delaysOf(known, settings, now);
    const of = (delay: DelayChange['delay'], after: number, usual: number): DelayChange[] => {
      if (settings[`${delay}_delay`] !== 'auto') return [];
      const key = `${product} ${metric} ${delay}`;
      const before = this.#reported.get(key) ?? usual;
      if (Math.abs(after - before) < LEAST_CHANGE_MS) return [];
      this.#reported.set(key, after);
      return [{ product, metric, delay, before, after }];
    };
    return [...of('publish', publish, USUAL_PUBLISH_MS), ...of('settle', settle, USUAL_SETTLE_MS)];
  }
}
