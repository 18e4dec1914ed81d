import { weightOf } from '../catalogue/known-metrics.ts';
import type { Product, SeriesApi } from '../catalogue/products.ts';
import { hasWhole } from '../cluster/shard.ts';
import { COLLECTORS, type CollectorName } from '../collectors.ts';
import { type AccountConfig, type Config, DEFAULT_LIMITS } from '../configuration/schema.ts';
import type { Group } from '../graphql/question-groups.ts';
import { QuestionSource } from '../graphql/question-source.ts';
import type { Outcome, Read } from '../platform/read.ts';
import { type Job, type PollResult, refusalKey } from '../poll/job.ts';
import type { Access } from '../poll/refusals.ts';
import type { LimitScopes } from '../rate-limit/limit-scopes.ts';
import { ReconciliationJob } from '../series/reconciliation-job.ts';
import { RestSource } from '../series/rest-source.ts';
import { SeriesSamples } from '../series/samples.ts';
import { type PushDestination, Series } from '../series/series.ts';
import { SeriesJob, type SeriesJobOptions } from '../series/series-job.ts';
import { SeriesReader } from '../series/series-reader.ts';
import type { SeriesAsked, SourceName } from '../series/series-source.ts';
import type { Collector, CollectorContext } from '../settings/collector.ts';
import { mayTry } from '../settling/dimension-trial.ts';
import { readMode } from '../settling/learned.ts';
import { type LearnedMetric, LearnedMetrics } from '../settling/learned-metrics.ts';
import { hourBefore } from '../settling/window.ts';
import { AccountMemory, type SavedPart } from '../state/account-memory.ts';
import type { StateReader } from '../state/state.ts';
import { type Target, targetName } from '../targets/target.ts';
import { AccountSources } from './account-sources.ts';
import { AccountTargets, type Listing, type ProductRead } from './account-targets.ts';
import { DiscoveryJob } from './discovery-job.ts';
import { MetadataJob } from './metadata-job.ts';
import { SettingNames } from './setting-names.ts';
import { SourceProbe } from './source-probe.ts';

export interface AccountJobsOptions {
  readonly account: AccountConfig;
  /** What was remembered of counters and settings. */
  readonly state: StateReader;
  /** The platform's limits: some jobs adapt their reads to them. */
  readonly scopes: LimitScopes;
  /** Size limits of the account; default: those of the configuration schema. */
  readonly limits?: () => AccountLimits;
  /** Default: nothing is pushed. */
  readonly outlet?: PushDestination;
  readonly access?: Access;
  /** Targets of the account before a reload. */
  readonly formerTargets?: AccountTargets | undefined;
  /** For how long (ms) configurations wait for names that may soon be read; default: some minutes. */
  readonly namesWaitMs?: number;
}

/** The part of `limits` that bounds an account. */
export type AccountLimits = Pick<Config['limits'], 'configurations' | 'jobs'>;

export interface DroppedJobs {
  readonly count: number;
  /** The first of them; empty when there are none. */
  readonly first: string;
}

/** A series, and what is learned of its metric. */
interface ReadBySeries extends SeriesAsked {
  readonly learned: LearnedMetric;
}

/** So many different reads show whether a source has series. */
const MOST_PROBED = 3;

/** Outcomes that show whether the product has the metric. */
const TELLING: readonly Outcome[] = ['ok', 'empty', 'not_found'];

/** The jobs of an account, derived from its configuration and the discovered configurations. */
export class AccountJobs {
  readonly #options: AccountJobsOptions;
  readonly targets: AccountTargets;
  /** What all jobs remember between polls. */
  readonly memory: AccountMemory;
  /** Learned by metric, and shared by all targets. */
  readonly learned: LearnedMetrics;
  /** Which source the series of each API are read by. */
  readonly sources: AccountSources;
  readonly #names: SettingNames;
  /** Jobs by what they were made from: a job that stays keeps its object, and all that it has learned. */
  readonly #jobs = new Map<string, Job>();
  /** Series by what they were made from. */
  #series: ReadonlyMap<string, Series> = new Map();
  #seriesJobsNow: ReadonlySet<SeriesJob> = new Set();
  /** The limits for which the jobs were last made. */
  #wantedWithin: AccountLimits | undefined;
  /** The jobs that exceed the limit. */
  dropped: DroppedJobs = { count: 0, first: '' };

  constructor(options: AccountJobsOptions) {
    this.#options = options;
    const { account, scopes, namesWaitMs } = options;
    this.memory = new AccountMemory(options.state);
    this.sources = new AccountSources({
      account,
      scopes,
      memory: this.memory,
      apis: () => this.#apis,
    });
    this.targets = new AccountTargets(account, options.formerTargets, (api, addressing) =>
      this.sources.addressed(api, addressing),
    );
    this.learned = new LearnedMetrics(account.name);
    this.#names = new SettingNames(scopes.platformClock, namesWaitMs);
  }

  /** The jobs wanted now. */
  jobs(): readonly Job[] {
    return [...this.wanted()];
  }

  /** The jobs wanted now, each made when it is asked for. Jobs no longer wanted are forgotten at the end. */
  *wanted(): Generator<Job, void> {
    const keys = new Set<string>();
    const keep = <Work extends Job>(key: string, make: () => Work): Work => {
      const known = this.#jobs.get(key);
      const job = known === undefined ? make() : (known as Work);
      keys.add(key);
      this.#jobs.set(key, job);
      return job;
    };
    for (const product of this.#listed()) {
      yield keep(`discovery ${product.api} ${product.slug}`, () => this.#discoveryOf(product));
    }
    const readsAll = ({ product, settings }: ProductRead) =>
      product.api === 'analytics' && settings.metrics.includes('*') && this.sources.isRest(product.api);
    if (this.targets.products.some(readsAll)) yield keep('metadata', () => new MetadataJob());
    for (const api of this.#apis) {
      const probe = this.#hasTargets(api) ? this.#probeOf(api) : undefined;
      if (probe !== undefined) yield keep(`source ${api}`, () => probe);
    }
    this.sources.jobsAreMade(this.#apis);
    const limits = this.#limits();
    yield* this.#seriesJobs(limits.jobs - keys.size, keep);
    for (const api of this.#options.account.reconciliation_share > 0 ? this.#apis : []) {
      yield keep(`reconciliation ${api}`, () => this.#reconciliationOf(api));
    }
    for (const [name, schedule] of this.#settings()) {
      for (const job of COLLECTORS[name].jobs(this.#collectorContext(name, schedule))) {
        yield keep(JSON.stringify([job.id, job.subject]), () => job);
      }
    }
    for (const key of this.#jobs.keys()) if (!keys.has(key)) this.#jobs.delete(key);
    this.#wantedWithin = limits;
  }

  /** Jobs that read series: by REST one for each series, by GraphQL one for each group. */
  *#seriesJobs(
    most: number,
    keep: <Work extends Job>(key: string, make: () => Work) => Work,
  ): Generator<Job, void> {
    const { kept, dropped } = this.#wantedSeries(most);
    const jobs = new Set<SeriesJob>();
    const together: Series[] = [];
    for (const [key, { series, source }] of kept) {
      if (source === 'graphql') together.push(series);
      else {
        const job = keep(key, () => this.#restJobOf(series));
        jobs.add(job);
        yield job;
      }
    }
    for (const group of together.length === 0 ? [] : this.sources.graphql.groups(together)) {
      const job = keep(`graphql ${group.id}`, () => this.#groupJobOf(group));
      if (job.source instanceof QuestionSource) job.source.assign(this.sources.graphql.members(group.series));
      job.assign(group.series);
      jobs.add(job);
      yield job;
    }
    this.#series = new Map([...kept].map(([key, { series }]) => [key, series]));
    this.#seriesJobsNow = jobs;
    this.dropped = { count: dropped.length, first: dropped[0] ?? '' };
  }

  /** Series that are to be read, each with its source, and the names of those above a limit. */
  #wantedSeries(most: number) {
    const kept = new Map<string, { readonly series: Series; readonly source: SourceName }>();
    const dropped: string[] = [];
    for (const read of this.targets.products) {
      const { product } = read;
      if (!this.sources.isChosen(product.api)) continue;
      for (const { target, metric } of this.targets.reads(read)) {
        const source = this.sources.sourceOf(product, metric, target.by);
        if (source === undefined) continue;
        const { by, id, name } = target;
        if (kept.size >= most) dropped.push(`${product.api}/${product.slug}/${by}/${id}/${metric}`);
        else {
          const key = JSON.stringify([product.api, product.slug, by, id, name, metric]);
          const series = this.#series.get(key) ?? this.#seriesOf(target, metric, read);
          kept.set(key, { series, source });
        }
      }
    }
    return { kept, dropped };
  }

  /** Whether the lists of configurations could be read. Leaves out a missing list of a product that the source does not serve. */
  listings(): Listing[] {
    return this.targets.listings().filter(({ listed, product }) => listed || this.sources.serves(product));
  }

  /** Records what a poll shows about what there is to read. Returns whether the jobs change. */
  learn(job: Job, outcome: Outcome, result: PollResult | undefined): boolean {
    const failed = outcome !== 'ok' && outcome !== 'empty';
    if (job instanceof SourceProbe) return this.sources.probed(job.api);
    if (job instanceof DiscoveryJob && failed) return this.targets.listingFailed(job.product, outcome);
    if (result?.discovery !== undefined) {
      const { product, configurations, addressing, isFromElsewhere } = result.discovery;
      const changed = this.targets.discovered(product, configurations, addressing);
      const isSwitched = this.sources.listed(product.api, isFromElsewhere);
      return changed || isSwitched || this.#limits() !== this.#wantedWithin;
    }
    if (result?.metrics !== undefined) {
      this.targets.metrics.list(result.metrics);
      return true;
    }
    const [only] = job instanceof SeriesJob && job.findsJobs ? job.series : [];
    if (only === undefined || !TELLING.includes(outcome)) return false;
    return this.targets.metrics.answered(only.target.product, only.metric, outcome === 'ok');
  }

  /** Memory that is learned gradually and saved from time to time. */
  *saved(): Generator<SavedPart<unknown>, void> {
    for (const { part } of this.learned) yield part;
    yield* this.sources.parts();
  }

  /** Series that are read. */
  series(): readonly Series[] {
    return [...this.#series.values()];
  }

  /** Jobs that read series. */
  seriesJobs(): readonly SeriesJob[] {
    return [...this.#seriesJobsNow];
  }

  #discoveryOf(product: Product): Job {
    const { account, scopes } = this.#options;
    return new DiscoveryJob({
      account: account.name,
      product,
      schedule: account.discovery,
      addressing: account.collectors[product.api]?.products[product.slug]?.address_by ?? 'auto',
      platformClock: scopes.platformClock,
      most: () => this.#limits().configurations,
      memory: this.memory,
      elsewhere: this.sources.listElsewhere(product),
      names: this.#names,
      isOwn: this.targets.isOwn,
      counts: hasWhole(account),
      addressed: (addressing) => this.sources.addressed(product.api, addressing),
    });
  }

  #seriesOf(target: Target, metric: string, { wants, schedule, settings }: ProductRead): Series {
    const { account, state, scopes } = this.#options;
    const { api, slug } = target.product;
    return new Series({
      target,
      metric,
      wants,
      top: settings.top,
      schedule,
      weight: weightOf(metric),
      samples: new SeriesSamples(target, metric, account.units, wants),
      memory: this.memory,
      learned: this.learned.of(api, slug, metric),
      delays: account,
      stored: (key) => state.get(key),
      outlet: this.#options.outlet ?? { pushed: undefined },
      platformClock: scopes.platformClock,
    });
  }

  #readerOf({ target, metric, wants, learned }: ReadBySeries): SeriesReader {
    const { platformClock } = this.#options.scopes;
    return new SeriesReader({
      target,
      metric,
      wants,
      mode: () => readMode(this.memory.of(learned.part), platformClock.now()),
      mayTry: () => mayTry(this.memory.of(learned.part).trial, targetName(target), platformClock.now()),
      platformClock,
    });
  }

  #restJobOf(series: Series): SeriesJob {
    const job = this.#seriesJob({
      id: series.id,
      subject: series.subject,
      schedule: series.schedule,
      source: new RestSource(this.#readerOf(series)),
      refusalKey: refusalKey(series.key),
    });
    job.assign([series]);
    return job;
  }

  #groupJobOf({ id, metrics, series: [first] }: Group<Series>): SeriesJob {
    if (first === undefined) throw new Error('a group has series');
    const { account, product, by } = first.target;
    const { api, slug } = product;
    return this.#seriesJob({
      id: `${api}/${slug}/${by}/graphql/${id}`,
      subject: { collector: api, product: slug, metric: metrics.join(', ') },
      schedule: first.schedule,
      source: this.sources.graphql.source(),
      refusalKey: ['refused', account, api, slug, by, 'graphql', id],
    });
  }

  #seriesJob(
    given: Pick<SeriesJobOptions, 'id' | 'subject' | 'schedule' | 'source' | 'refusalKey'>,
  ): SeriesJob {
    const { scopes, access } = this.#options;
    return new SeriesJob({
      ...given,
      memory: this.memory,
      isKnown: this.#isKnown,
      platformClock: scopes.platformClock,
      access,
    });
  }

  /** Returns true if the platform ever had data of a series' target. */
  readonly #isKnown = ({ target }: Series): boolean =>
    this.series().some(
      ({ hasData, target: other }) =>
        hasData && other.product === target.product && targetName(other) === targetName(target),
    );

  #probeOf(api: SeriesApi): SourceProbe | undefined {
    return this.sources.probe(api, {
      reads: () => this.#probeReads(api),
      jobs: (source) =>
        this.seriesJobs().filter((job) => job.subject.collector === api && job.source.name === source),
    });
  }

  #hasTargets(api: SeriesApi): boolean {
    return this.targets.products.some(
      (read) => read.product.api === api && this.targets.reads(read).length > 0,
    );
  }

  /** Reads that show which source has the series of an API: of different targets, as far as there are any. */
  #probeReads(api: SeriesApi): ReturnType<ConstructorParameters<typeof SourceProbe>[1]['reads']> {
    const { platformClock } = this.#options.scopes;
    const window = () => hourBefore(platformClock.now());
    const reads = this.targets.products
      .filter(({ product }) => product.api === api)
      .flatMap((read) => this.targets.reads(read).map((one) => ({ ...one, read })))
      .filter(({ target, metric }) => target.product.metrics.includes(metric));
    const byTarget = new Map(reads.map((one) => [targetName(one.target), one]));
    const different = [...new Set([...byTarget.values(), ...reads])].slice(0, MOST_PROBED);
    const rest = different.map(({ target, metric, read: { wants } }) => {
      const learned = this.learned.of(api, target.product.slug, metric);
      const reader = this.#readerOf({
        target: this.targets.knownToRest(target) ?? target,
        metric,
        wants,
        learned,
      });
      return (read: Read, signal: AbortSignal) => reader.read(read, window, signal);
    });
    const graphql = different.map(({ target, metric, read: given }) => (read: Read, signal: AbortSignal) => {
      const series = this.#seriesOf(target, metric, given);
      const source = this.sources.graphql.source();
      source.assign(this.sources.graphql.members([series]));
      return source.read({ series: [series], window, isPast: true }, read, signal);
    });
    return { rest, graphql };
  }

  /** Each API has its own job, since it may have its own limit; both together keep to the share. */
  #reconciliationOf(api: SeriesApi): Job {
    const { account, scopes } = this.#options;
    const jobs = () => this.seriesJobs().filter(({ subject }) => subject.collector === api);
    const part = () =>
      this.series().filter(({ subject }) => subject.collector === api).length /
      Math.max(1, this.series().length);
    const group = () => jobs()[0]?.group ?? api;
    return new ReconciliationJob(api, {
      account: account.name,
      group,
      perMinute: () => account.reconciliation_share * scopes.of(group()).limiter.allowance * part(),
      jobs,
      platformClock: scopes.platformClock,
      memory: this.memory,
    });
  }

  /** What a collector's jobs need to know. */
  #collectorContext(collector: CollectorName, schedule: string): CollectorContext {
    const { account, state, scopes } = this.#options;
    return {
      account: account.name,
      collector,
      schedule,
      named: account.collectors[collector]?.configurations ?? [],
      configurations: (product) => this.targets.configurations(product),
      isPending: (product) => this.targets.isPending(product),
      state,
      memory: this.memory,
      platformClock: scopes.platformClock,
      access: this.#options.access,
    };
  }

  #limits(): AccountLimits {
    return this.#options.limits?.() ?? DEFAULT_LIMITS;
  }

  #settings(): [CollectorName, string][] {
    const { account } = this.#options;
    if (!hasWhole(account)) return [];
    return (Object.keys(COLLECTORS) as CollectorName[]).flatMap((name) => {
      const schedule = account.collectors[name]?.schedule;
      return schedule === undefined ? [] : [[name, schedule]];
    });
  }

  /** Products whose configurations must be listed: those read by configuration, and those that a collector needs. */
  #listed(): Set<Product> {
    const byConfiguration = this.targets.products.filter(({ settings }) =>
      settings.by.includes('configuration'),
    );
    const needed = this.#settings().flatMap(([name]) => this.#neededBy(name));
    const products = [...byConfiguration.map(({ product }) => product), ...needed];
    // That a list is missing of which nothing would be read is no failure.
    return new Set(
      products.filter((product) => this.sources.serves(product) || !this.targets.isUnlistable(product)),
    );
  }

  /** Whether each list of configurations has been tried, so that it is known what there is to poll. */
  get areListed(): boolean {
    return [...this.#listed()].every((product) => !this.targets.isPending(product));
  }

  /** If a list cannot be read or is empty, the next one is used; the first is retried, since that may change. */
  #neededBy(name: CollectorName): readonly Product[] {
    const { needs }: Collector = COLLECTORS[name];
    if ((this.#options.account.collectors[name]?.configurations ?? []).length > 0) return [];
    const usable = needs.findIndex(
      (product) => this.targets.isPending(product) || (this.targets.configurations(product) ?? []).length > 0,
    );
    return usable < 0 ? needs : needs.slice(0, usable + 1);
  }

  /** Of which series are read. */
  get #apis(): ReadonlySet<SeriesApi> {
    return new Set(this.targets.products.map(({ product }) => product.api));
  }
}
