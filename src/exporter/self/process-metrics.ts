import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import gc from 'prom-client/lib/metrics/gc.js';
import heap from 'prom-client/lib/metrics/heapSizeAndUsed.js';
import heapSpaces from 'prom-client/lib/metrics/heapSpacesSizeAndUsed.js';
import memory from 'prom-client/lib/metrics/osMemoryHeap.js';
import handles from 'prom-client/lib/metrics/processHandles.js';
import maxOpenFiles from 'prom-client/lib/metrics/processMaxFileDescriptors.js';
import openFiles from 'prom-client/lib/metrics/processOpenFileDescriptors.js';
import requests from 'prom-client/lib/metrics/processRequests.js';
import resources from 'prom-client/lib/metrics/processResources.js';
import startTime from 'prom-client/lib/metrics/processStartTime.js';
import nodeVersion from 'prom-client/lib/metrics/version.js';
import Registry from 'prom-client/lib/registry.js';
import { type FamilyMetadata, formatThreshold } from '../exposition/text-format.ts';
import type { OwnFamily, OwnLine } from './own-family.ts';
import type { OwnMetrics } from './own-metrics.ts';

/** Scrapes that follow one another closer than this (ms) get the same measurement. */
const REMEASURED_AFTER_MS = 1_000;

/** Every delay is shown for at least so long (ms), and at most twice: a scrape each 30 s misses none. */
const WINDOW_MS = 30_000;

/** How often the event loop is looked at (ms). Every 20 ms would cost a third of a percent of a core, more than all else of an idle exporter. */
const RESOLUTION_MS = 50;

/**
 * prom-client's default metrics, one by one: as a whole it loads OpenTelemetry, which its CPU time refers to, quantiles and a
 * push client, 60 files more. The CPU time is ours, and so is the delay of the event loop: with theirs every scrape begins anew, so
 * that two scrapers hide delays from each other, and they are NaN where none was measured.
 */
const THEIRS = [
  startTime,
  memory,
  openFiles,
  maxOpenFiles,
  resources,
  handles,
  requests,
  heap,
  heapSpaces,
  nodeVersion,
  gc,
];

/** prom-client's gauges that are called `_total`, which a counter alone may be. */
const REMOVED = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`);

const TYPES: readonly FamilyMetadata['type'][] = ['counter', 'gauge', 'histogram', 'summary'];

const THRESHOLD_LABELS = { histogram: 'le', summary: 'quantile', counter: undefined, gauge: undefined };

/** A metric as prom-client's `registry.getMetricsAsJSON()` describes it; its own types leave out some of this. */
export interface RegistryMetric {
  readonly name: string;
  readonly help: string;
  /** `counter`, `gauge`, `histogram` or `summary`, whatever prom-client's types say. */
  readonly type: unknown;
  readonly values: readonly {
    /** Where it is not the metric's: `_bucket`, `_sum` and `_count` lines. */
    readonly metricName?: string;
    readonly labels: Readonly<Record<string, string | number | undefined>>;
    readonly value: number;
  }[];
}

/** Measures the process, when it is asked to: CPU, memory, descriptors, garbage collection by prom-client, and the event loop. */
export class ProcessMetrics {
  readonly #registry = new Registry();
  readonly #eventLoop = new EventLoopDelay();
  readonly #show: ReturnType<typeof registryFamilies>;
  #measuredAt = Number.NEGATIVE_INFINITY;

  /** @param own what gets the measurements */
  constructor(own: OwnMetrics) {
    this.#show = registryFamilies(own);
    for (const collect of THEIRS) collect(this.#registry);
    for (const name of REMOVED) this.#registry.removeSingleMetric(name);
  }

  /** The metrics that it may show. */
  get names(): readonly string[] {
    const theirs = this.#registry.getMetricsAsArray();
    return [...cpuTime(), ...theirs].map(({ name }) => name).concat(NAMES.map(nameOf));
  }

  /** Watches the event loop until the returned function is called. */
  start(): () => void {
    return this.#eventLoop.start();
  }

  /** Brings the metrics up to date, some 0.2 ms; those of a moment ago stay. */
  async measure(): Promise<void> {
    const now = performance.now();
    if (now - this.#measuredAt < REMEASURED_AFTER_MS) return;
    this.#measuredAt = now;
    const theirs = await this.#registry.getMetricsAsJSON();
    this.#show([...cpuTime(), ...theirs, ...this.#eventLoop.metrics()]);
  }
}

/** The CPU time of all threads since the process began. */
function cpuTime(): RegistryMetric[] {
  const { user, system } = process.cpuUsage();
  const metric = (name: string, what: string, microseconds: number) => ({
    name: `process_cpu_${name}`,
    help: `Total ${what} CPU time spent in seconds.`,
    type: 'counter',
    values: [{ labels: {}, value: microseconds / 1e6 }],
  });
  return [
    metric('user_seconds_total', 'user', user),
    metric('system_seconds_total', 'system', system),
    metric('seconds_total', 'user and system', user + system),
  ];
}

/**
 * What shows values of prom-client's metrics in place of those that these metrics had before.
 * It throws a TypeError for a type that prom-client does not have.
 */
export function registryFamilies(own: OwnMetrics): (metrics: readonly RegistryMetric[]) => void {
  /** By name, each with its lines that are shown, by their texts. */
  const families = new Map<string, { readonly family: OwnFamily; lines: ReadonlyMap<string, OwnLine> }>();
  const familyOf = ({ name, help, type: given }: RegistryMetric) => {
    const type = TYPES.find((one) => one === given);
    if (type === undefined) throw new TypeError(`Metric ${name} is of unknown type ${String(given)}.`);
    return { family: own.family({ name, help, type }), lines: new Map<string, OwnLine>() };
  };
  return (metrics) => {
    for (const metric of metrics) {
      const known = families.get(metric.name) ?? familyOf(metric);
      families.set(metric.name, known);
      const { family, lines: before } = known;
      const lines = new Map<string, OwnLine>();
      for (const given of metric.values) {
        const made = lineOf(family, given);
        const line = before.get(made.text) ?? made;
        lines.set(line.text, line);
        family.set(line, given.value);
      }
      for (const [text, line] of before) if (!lines.has(text)) family.remove(line);
      known.lines = lines;
    }
  };
}

function lineOf(family: OwnFamily, { metricName, labels }: RegistryMetric['values'][number]): OwnLine {
  const { name, type } = family.metadata;
  const texts = Object.entries(labels).map(([label, given = '']) => {
    const isThreshold = typeof given === 'number' && label === THRESHOLD_LABELS[type];
    return [label, isThreshold ? formatThreshold(given) : String(given)];
  });
  return family.line(Object.fromEntries(texts), metricName?.slice(name.length));
}

const NANOSECONDS = 1e9;

const QUANTILES = {
  mean: { what: 'Mean', of: ({ mean }: IntervalHistogram) => mean },
  p50: { what: 'Median', of: (delays: IntervalHistogram) => delays.percentile(50) },
  p99: { what: '99th percentile', of: (delays: IntervalHistogram) => delays.percentile(99) },
  max: { what: 'Longest', of: ({ max }: IntervalHistogram) => max },
} as const;

type Quantile = keyof typeof QUANTILES;

const NAMES = Object.keys(QUANTILES) as Quantile[];

/** Mean, quantiles and maximum of some delays, in seconds. */
type LoopDelays = Readonly<Record<Quantile, number>>;

/** How long the event loop was held up, in the last half-minute that has ended and in the one that goes on. */
class EventLoopDelay {
  /**
   * Made when it is enabled: Node aborts when handles are listed, as prom-client does, and one that never was is collected.
   */
  #delays: IntervalHistogram | undefined;
  #before: LoopDelays | undefined;

  start(): () => void {
    const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#delays = delays;
    delays.enable();
    const timer = setInterval(() => {
      this.#before = delaysOf(delays);
      delays.reset();
    }, WINDOW_MS).unref();
    return () => {
      clearInterval(timer);
      delays.disable();
    };
  }

  /** Empty until something was measured. A window that has just begun says little but of its longest delay. */
  metrics(): RegistryMetric[] {
    const now = this.#delays && delaysOf(this.#delays);
    const shown = this.#before ?? now;
    if (shown === undefined) return [];
    const max = Math.max(shown.max, now?.max ?? 0);
    return NAMES.map((quantile) => ({
      name: nameOf(quantile),
      help: `${QUANTILES[quantile].what} event loop delay over the last 30 to 60 s, including the ${RESOLUTION_MS} ms sampling interval.`,
      type: 'gauge',
      values: [{ labels: {}, value: quantile === 'max' ? max : shown[quantile] }],
    }));
  }
}

function delaysOf(delays: IntervalHistogram): LoopDelays | undefined {
  if (delays.count === 0) return undefined;
  const entries = NAMES.map((quantile) => [quantile, QUANTILES[quantile].of(delays) / NANOSECONDS]);
  return Object.fromEntries(entries) as LoopDelays;
}

function nameOf(quantile: Quantile): string {
  return `nodejs_eventloop_lag_${quantile}_seconds`;
}
