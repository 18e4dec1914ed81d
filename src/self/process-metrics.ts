import { collectDefaultMetrics, Registry } from 'prom-client';
import type { ExpositionPart } from '../exposition/exposition.ts';
import { type RegistryMetric, writeRegistry } from '../exposition/registry-text.ts';
import { makeSegment, type Page } from '../exposition/segment.ts';
import { EventLoopDelay } from './event-loop-delay.ts';

/** How often they are measured (ms): a scrape finds them ready, and no older than this. */
const EVERY_MS = 1_000;

/**
 * prom-client's gauges that are called `_total`, which a counter alone may be; and its delays of the event loop, which
 * every scrape begins anew, so that two scrapers hide them from each other, and which are NaN where none was measured.
 */
const REMOVED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  ...['', '_min', '_max', '_mean', '_stddev', '_p50', '_p90', '_p99'].map(
    (part) => `nodejs_eventloop_lag${part}_seconds`,
  ),
];

/** prom-client's metrics of the process: CPU, memory, descriptors, event loop, garbage collection. */
export class ProcessMetrics implements ExpositionPart {
  readonly #registry = new Registry();
  readonly #eventLoop = new EventLoopDelay();
  #measured: readonly RegistryMetric[] = [];
  #pages: readonly Page[] = [];
  #listener: () => void = () => undefined;

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    for (const name of REMOVED) this.#registry.removeSingleMetric(name);
  }

  /** The metrics that it may show. */
  get names(): readonly string[] {
    return [...this.#registry.getMetricsAsArray().map(({ name }) => name), ...this.#eventLoop.names];
  }

  /** Measures now and from now on, until the returned function is called. */
  async start(): Promise<() => void> {
    this.#eventLoop.start();
    const timer = setInterval(() => void this.#measure(), EVERY_MS).unref();
    await this.#measure();
    return () => {
      clearInterval(timer);
      this.#eventLoop.stop();
    };
  }

  onChange(listener: () => void): void {
    this.#listener = listener;
    if (this.#measured.length > 0) listener();
  }

  *refresh(): Generator<undefined, void> {
    const measured = this.#measured;
    if (measured.length === 0) return;
    this.#measured = [];
    const [text, openmetrics] = [writeRegistry(measured, 'text'), writeRegistry(measured, 'openmetrics')];
    this.#pages = [{ text: [makeSegment(text)], openmetrics: [makeSegment(openmetrics)] }];
    yield;
  }

  pages(): readonly Page[] {
    return this.#pages;
  }

  async #measure(): Promise<void> {
    this.#measured = [...(await this.#registry.getMetricsAsJSON()), ...this.#eventLoop.metrics()];
    this.#listener();
  }
}
