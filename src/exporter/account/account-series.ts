import { DIMENSIONS } from '../catalogue/catalogue.ts';
import { weightOf } from '../catalogue/known-metrics.ts';
import type { SeriesApi } from '../catalogue/products.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import type { Group } from '../graphql/question-groups.ts';
import { groupedBy } from '../grouped-by.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import { type Access, refusalKey } from '../poll/refusals.ts';
import { type PushDestination, Series } from '../series/metric-series.ts';
import { RestSource } from '../series/rest-source.ts';
import { SeriesSamples } from '../series/samples.ts';
import { SeriesJob, type SeriesJobOptions } from '../series/series-job.ts';
import type { SeriesAsked } from '../series/series-source.ts';
import { mayTry, readMode } from '../settling/learned.ts';
import type { LearnedMetric, LearnedMetrics } from '../settling/learned-metrics.ts';
import { hourBefore } from '../settling/window.ts';
import type { AccountMemory } from '../state/account-memory.ts';
import { type Target, targetName } from '../targets/target.ts';
import type { AccountSources } from './account-sources.ts';
import type { AccountTargets, ProductRead } from './account-targets.ts';
import type { SourceProbe } from './source-probe.ts';

export interface DroppedJobs {
  readonly count: number;
  /** Name of the first dropped series; empty if there is none. */
  readonly first: string;
}

/** A series, and the learned memory of its metric. */
interface ReadBySeries extends SeriesAsked {
  readonly learned: LearnedMetric;
}

/** Maximum number of probe reads, each of a different target. */
const MOST_PROBED = 3;

interface AccountSeriesOptions {
  readonly account: AccountConfig;
  readonly outlet: PushDestination;
  readonly access: Access | undefined;
  readonly platformClock: PlatformClock;
  readonly memory: AccountMemory;
  readonly learned: LearnedMetrics;
  readonly sources: AccountSources;
  readonly targets: AccountTargets;
}

/** Series of an account, and the jobs that read them. */
export class AccountSeries {
  readonly #options: AccountSeriesOptions;
  /** Series by key: API, product, target and metric. */
  #series: ReadonlyMap<string, Series> = new Map();
  #jobs: ReadonlySet<SeriesJob> = new Set();
  dropped: DroppedJobs = { count: 0, first: '' };

  constructor(options: AccountSeriesOptions) {
    this.#options = options;
  }

  get all(): readonly Series[] {
    return [...this.#series.values()];
  }

  get jobsNow(): readonly SeriesJob[] {
    return [...this.#jobs];
  }

  /**
   * Makes the jobs that read series: one for each series by REST, one for each group by GraphQL.
   * @param most maximum number of series
   * @param keep returns the job of a key, or makes it if there is none
   */
  makeJobs(most: number, keep: <Work extends Job>(key: string, make: () => Work) => Work): void {
    const all = this.#wantedSeries();
    const together: Series[] = [];
    const jobs = new Set<SeriesJob>();
    const wanted = new Map<string, Series>();
    for (const { key, source, make } of all.slice(0, most)) {
      const series = this.#series.get(key) ?? make();
      wanted.set(key, series);
      if (source === 'graphql') together.push(series);
      else jobs.add(keep(key, () => this.#restJobOf(series)));
    }
    const { graphql } = this.#options.sources;
    for (const group of together.length === 0 ? [] : graphql.groups(together)) {
      const job = keep(`graphql ${group.id}`, () => this.#groupJobOf(group));
      job.assign(group.series);
      jobs.add(job);
    }
    this.#series = wanted;
    this.#jobs = jobs;
    this.dropped = { count: Math.max(0, all.length - most), first: all[most]?.name ?? '' };
  }

  /** Returns the series to read, each with its source. */
  #wantedSeries() {
    const { sources, targets } = this.#options;
    return targets.products
      .filter(({ product }) => sources.isReady(product.api))
      .flatMap((read) =>
        targets.reads(read).flatMap(({ target, metric }) => {
          const { product, by, id, name } = target;
          const source = sources.sourceOf(product, metric, by);
          if (source === undefined) return [];
          return {
            key: JSON.stringify([product.api, product.slug, by, id, name, metric]),
            name: `${product.api}/${product.slug}/${by}/${id}/${metric}`,
            source,
            make: () => this.#seriesOf(target, metric, read),
          };
        }),
      );
  }

  #seriesOf(target: Target, metric: string, { wants, schedule, settings }: ProductRead): Series {
    const { account, platformClock, memory, learned, outlet } = this.#options;
    const { api, slug } = target.product;
    return new Series({
      target,
      metric,
      wants,
      top: settings.top,
      schedule,
      weight: weightOf(metric),
      samples: new SeriesSamples(target, metric, account.units, wants),
      memory,
      learned: learned.of(api, slug, metric),
      delays: account,
      outlet,
      platformClock,
    });
  }

  #restSourceOf({ target, metric, wants, learned }: ReadBySeries): RestSource {
    const { platformClock, memory } = this.#options;
    return new RestSource({
      target,
      metric,
      wants,
      mode: () => readMode(memory.of(learned.part), platformClock.now()),
      mayTry: () => this.#isKnown(target) && mayTry(memory.of(learned.part), platformClock.now()),
      platformClock,
    });
  }

  #restJobOf(series: Series): SeriesJob {
    const job = this.#seriesJob({
      id: series.id,
      subject: series.subject,
      schedule: series.schedule,
      source: this.#restSourceOf(series),
      refusalKey: refusalKey(series.key),
    });
    job.assign([series]);
    return job;
  }

  #groupJobOf({ id, metrics, series: [first] }: Group<Series>): SeriesJob {
    if (first === undefined) throw new Error('a group has series');
    const { product, by } = first.target;
    const { api, slug } = product;
    return this.#seriesJob({
      id: `${api}/${slug}/${by}/graphql/${id}`,
      subject: { collector: api, product: slug, metric: metrics.join(', ') },
      schedule: first.schedule,
      source: this.#options.sources.graphql.source(),
    });
  }

  #seriesJob(
    given: Pick<SeriesJobOptions, 'id' | 'subject' | 'schedule' | 'source' | 'refusalKey'>,
  ): SeriesJob {
    const { platformClock, access, memory } = this.#options;
    return new SeriesJob({
      ...given,
      memory,
      isKnown: this.#isKnown,
      platformClock,
      access,
    });
  }

  /** Returns true if the platform has ever had data of a target. */
  readonly #isKnown = (target: Target): boolean =>
    this.all.some(
      ({ hasData, target: other }) =>
        hasData && other.product === target.product && targetName(other) === targetName(target),
    );

  /** Returns the job that finds the source of an API's series; undefined without targets, or if no probe is needed. */
  probe(api: SeriesApi): SourceProbe | undefined {
    if (!this.#hasTargets(api)) return undefined;
    return this.#options.sources.probe(api, {
      reads: () => this.#probeReads(api),
      jobs: (source) =>
        this.jobsNow.filter((job) => job.subject.collector === api && job.source.name === source),
    });
  }

  #hasTargets(api: SeriesApi): boolean {
    return this.#options.targets.products.some(
      (read) => read.product.api === api && this.#options.targets.reads(read).length > 0,
    );
  }

  /** Returns the reads that show which source has the series of an API, of different targets if there are several. */
  #probeReads(api: SeriesApi): ReturnType<ConstructorParameters<typeof SourceProbe>[1]['reads']> {
    const { platformClock } = this.#options;
    const window = () => hourBefore(platformClock.now());
    const reads = this.#options.targets.products
      .filter(({ product }) => product.api === api)
      .flatMap((read) => this.#options.targets.reads(read).map((one) => ({ ...one, read })))
      .filter(({ target, metric }) => target.product.metrics.includes(metric));
    const different = differentReads(reads);
    const rest = different.map(({ target, metric }) => {
      // One dimension suffices if each dimension takes a separate operation.
      const [first] = DIMENSIONS[metric] ?? [];
      const learned = this.#options.learned.of(api, target.product.slug, metric);
      const source = this.#restSourceOf({
        target: this.#options.targets.knownToRest(target) ?? target,
        metric,
        wants: (dimension) => dimension === first,
        learned,
      });
      return (read: Read, signal: AbortSignal) => source.answer(read, window, signal);
    });
    const graphql = different.map(({ target, metric, read: given }) => (read: Read, signal: AbortSignal) => {
      const series = this.#seriesOf(target, metric, given);
      const source = this.#options.sources.graphql.source();
      return source.read({ series: [series], window, isPast: true }, read, signal);
    });
    return { rest, graphql };
  }
}

/** Returns at most {@link MOST_PROBED} reads that differ in target and metric as far as possible. */
function differentReads<Of extends { readonly target: Target; readonly metric: string }>(
  reads: readonly Of[],
): Of[] {
  const byTarget = [...groupedBy(reads, ({ target }) => targetName(target)).values()];
  const different = Array.from({ length: MOST_PROBED }, (_, index) => {
    const mine = byTarget[index % byTarget.length] ?? [];
    return mine[index % mine.length];
  });
  return [...new Set(different)].filter((read) => read !== undefined);
}
