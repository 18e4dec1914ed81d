import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { RegistryMetric } from '../exposition/registry-text.ts';

/** Every delay is shown for at least so long (ms), and at most twice: a scrape each 30 s misses none. */
const SHOWN_MS = 30_000;
const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;

const QUANTILES: readonly (readonly [
  name: string,
  help: string,
  of: (delays: IntervalHistogram) => number,
])[] = [
  ['mean', 'Mean', ({ mean }) => mean],
  ['p50', 'Median', (delays) => delays.percentile(50)],
  ['p99', '99th percentile', (delays) => delays.percentile(99)],
  ['max', 'Longest', ({ max }) => max],
];

/** How long the event loop was held up: of two histograms that take turns, the one that has seen more. */
export class EventLoopDelay {
  #older = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #newer = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #timer: NodeJS.Timeout | undefined;

  get names(): readonly string[] {
    return QUANTILES.map(([name]) => nameOf(name));
  }

  start(): void {
    this.#older.enable();
    this.#newer.enable();
    this.#timer = setInterval(() => {
      this.#older.reset();
      [this.#older, this.#newer] = [this.#newer, this.#older];
    }, SHOWN_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#older.disable();
    this.#newer.disable();
  }

  /** Empty until something was measured. */
  metrics(): RegistryMetric[] {
    const delays = this.#older;
    if (delays.count === 0) return [];
    return QUANTILES.map(([name, help, of]) => ({
      name: nameOf(name),
      help: `${help} event loop delay over the last 30 to 60 s, including the ${RESOLUTION_MS} ms sampling interval.`,
      type: 'gauge',
      values: [{ labels: {}, value: of(delays) / NANOSECONDS }],
    }));
  }
}

function nameOf(quantile: string): string {
  return `nodejs_eventloop_lag_${quantile}_seconds`;
}
