import { PRODUCTS } from '../../../src/exporter/catalogue/products.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import type { Exposure } from '../../../src/exporter/poll/job.ts';
import { refusalKey } from '../../../src/exporter/poll/refusals.ts';
import { adopt } from '../../../src/exporter/poll/runner.ts';
import { type Applied, apply } from '../../../src/exporter/series/apply.ts';
import type { Counter } from '../../../src/exporter/series/counting.ts';
import { EMPTY_LEDGER, type Ledger } from '../../../src/exporter/series/ledger.ts';
import { restoreLedger, storeLedger } from '../../../src/exporter/series/ledger-record.ts';
import { countedUntil, pastRead, presentWindow } from '../../../src/exporter/series/ledger-windows.ts';
import { Series } from '../../../src/exporter/series/metric-series.ts';
import { RestSource } from '../../../src/exporter/series/rest-source.ts';
import { SeriesSamples } from '../../../src/exporter/series/samples.ts';
import { SeriesJob } from '../../../src/exporter/series/series-job.ts';
import type { SeriesSource, WindowedAnswer } from '../../../src/exporter/series/series-source.ts';
import {
  type ConfiguredDelay,
  learn,
  type MetricEvidence,
  type MetricMemory,
  NOTHING_LEARNED,
  nothingShown,
} from '../../../src/exporter/settling/learned.ts';
import { LearnedMetrics } from '../../../src/exporter/settling/learned-metrics.ts';
import type { Window } from '../../../src/exporter/settling/window.ts';
import { AccountMemory, changed } from '../../../src/exporter/state/account-memory.ts';
import { NO_MEMORY, type StateReader } from '../../../src/exporter/state/state.ts';

const wants = () => true;

const refuses = () => false;

const UNITS = {};

/** Parts that all jobs of one metric of an account share. */
export class SeriesBed {
  now: number;
  readonly memory: AccountMemory;
  readonly #learned = new LearnedMetrics('a');
  readonly #platformClock = new PlatformClock(() => this.now);
  readonly #metric: string;
  readonly #publishDelay: ConfiguredDelay;

  constructor(metric: string, now: number, publishDelay: ConfiguredDelay, state: StateReader = NO_MEMORY) {
    this.now = now;
    this.#metric = metric;
    this.#publishDelay = publishDelay;
    this.memory = new AccountMemory(state);
  }

  series(id: string): Series {
    const product = PRODUCTS.find(({ slug }) => slug === 'edge_applications');
    if (product === undefined) throw new Error('no such product');
    const metric = this.#metric;
    const target = { account: 'a', product, by: 'configuration', id, name: `shop-${id}` } as const;
    return new Series({
      target,
      metric,
      wants,
      schedule: '* * * * *',
      weight: 1,
      samples: new SeriesSamples(target, metric, UNITS, wants),
      memory: this.memory,
      learned: this.#learned.of('metrics', product.slug, metric),
      delays: { publish_delay: this.#publishDelay, settle_delay: 600_000 },
      outlet: { pushed: undefined },
      platformClock: this.#platformClock,
    });
  }

  /**
   * Returns a job of one series.
   * @param given source of the series; undefined for REST
   */
  job(id: string, given?: SeriesSource): SeriesJob {
    return this.jobOf([this.series(id)], given);
  }

  /** Returns a job of several series. */
  jobOf(series: readonly Series[], given?: SeriesSource): SeriesJob {
    const [first] = series;
    if (first === undefined) throw new Error('a job has series');
    const { target, metric } = first;
    const reader = {
      target,
      metric,
      wants,
      mode: () => 'metric' as const,
      mayTry: refuses,
      platformClock: this.#platformClock,
    } as const;
    const job = new SeriesJob({
      id: first.id,
      subject: first.subject,
      schedule: first.schedule,
      source: given ?? new RestSource(reader),
      memory: this.memory,
      refusalKey: refusalKey(first.key),
      isKnown: wants,
      platformClock: this.#platformClock,
    });
    job.assign(series);
    return job;
  }

  taken(job: SeriesJob, answer: WindowedAnswer): readonly Exposure[] {
    const answers = [...job.series].map((series) => [series, answer] as const);
    const result = job.conclude({ answers, rejected: answer.decoded.rejected });
    if (result instanceof Promise) throw new Error('only a job of several series concludes later');
    adopt(this.memory, result, true);
    return result.exposures(true);
  }

  /** Changes the learned values of the metric, as if polls of other targets had changed them. */
  learn(change: (known: MetricMemory) => MetricMemory): void {
    const { part } = this.#learned.of('metrics', 'edge_applications', this.#metric);
    this.memory.adopt(changed(part, change(this.memory.of(part))), true);
  }
}

/** Result of a poll without information on the platform. */
export const NO_EVIDENCE: MetricEvidence = nothingShown(0);

/** Returns the learned values after a number of restatements at a time. */
export function restated(
  known: MetricMemory,
  { up, down, now }: { up: number; down: number; now: number },
): MetricMemory {
  return learn(known, { ...NO_EVIDENCE, changes: up + down, downwards: down, now });
}

/**
 * Returns the learned values after a number of buckets with the given completeness (in percent) at each
 * minute of age.
 */
export function grown(buckets: number, shown: readonly number[], known = NOTHING_LEARNED): MetricMemory {
  const one = shown.map((value, minute) => ({
    minute,
    shown: value,
    laterMinute: minute + 1,
    later: shown[minute + 1] ?? 100,
  }));
  return learn(known, { ...NO_EVIDENCE, grown: Array.from({ length: buckets }, () => one).flat() });
}

/** Ledger together with the queries of its readers. */
export class CountedSeries {
  ledger: Ledger = EMPTY_LEDGER;
  readonly counts: (dimension: string) => boolean;

  constructor(counts: (dimension: string) => boolean = () => true) {
    this.counts = counts;
  }

  /** Counters by dimension. */
  get counters(): ReadonlyMap<string, Counter> {
    return new Map(
      [...this.ledger.dimensions].flatMap(([name, { counter }]) => (counter ? [[name, counter]] : [])),
    );
  }

  get countedUntil(): number | undefined {
    return countedUntil(this.ledger, this.counts);
  }

  presentWindow(now: number, settle: number): Window {
    return presentWindow(this.ledger, this.counts, now, {
      horizon: settle,
      expected: undefined,
      isFree: true,
    });
  }

  /** Returns the window of the past to read now; undefined if there is none. */
  pastWindow(now: number, settle: number): Window | undefined {
    const next = pastRead(this.ledger, this.counts, now, settle);
    return next === undefined || next.at > now ? undefined : next.window;
  }

  /** Returns the result of applying an answer, without changing the ledger. */
  count(answer: WindowedAnswer, settle: number): Applied {
    return apply(this.ledger, answer, {
      counts: this.counts,
      delays: { publish: 0, settle, horizon: settle, lag: 0 },
      certainNow: answer.now,
    });
  }

  restart(): void {
    const stored = storeLedger(this.ledger);
    this.ledger = restoreLedger(stored && JSON.parse(JSON.stringify(stored)));
  }
}
