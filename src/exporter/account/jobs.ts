import type { Product, SeriesApi } from '../catalogue/products.ts';
import { hasWhole } from '../cluster/shard.ts';
import { COLLECTORS, type CollectorName } from '../collectors.ts';
import { type AccountConfig, type Config, DEFAULT_LIMITS } from '../configuration/schema.ts';
import type { Outcome } from '../platform/read.ts';
import type { Job, PollResult } from '../poll/job.ts';
import type { Access } from '../poll/refusals.ts';
import type { LimitScopes } from '../rate-limit/limit-scopes.ts';
import type { PushDestination, Series } from '../series/metric-series.ts';
import { ReconciliationJob } from '../series/reconciliation-job.ts';
import { SeriesJob } from '../series/series-job.ts';
import type { Collector, CollectorContext } from '../settings/collector.ts';
import { LearnedMetrics } from '../settling/learned-metrics.ts';
import { AccountMemory, type SavedPart } from '../state/account-memory.ts';
import type { StateReader } from '../state/state.ts';
import { AccountSeries, type DroppedJobs } from './account-series.ts';
import { AccountSources } from './account-sources.ts';
import { AccountTargets, type Listing, type ProductRead } from './account-targets.ts';
import { DiscoveryJob } from './discovery-job.ts';
import { MetadataJob } from './metadata-job.ts';
import { SettingNames } from './setting-names.ts';
import { SourceProbe } from './source-probe.ts';

export interface AccountJobsOptions {
  readonly account: AccountConfig;
  /** State with the counters and settings. */
  readonly state: StateReader;
  /** Limit scopes of the platform; some jobs adapt their reads to them. */
  readonly scopes: LimitScopes;
  /** Returns the size limits of the account; default: those of the configuration schema. */
  readonly limits?: () => AccountLimits;
  /** Push destination; default: none. */
  readonly outlet?: PushDestination;
  readonly access?: Access;
  /** Targets of the account before a reload. */
  readonly formerTargets?: AccountTargets | undefined;
  /** Time (ms) for which a list of configurations waits for names; default: 5 minutes. */
  readonly namesWaitMs?: number;
}

/** Limits in `limits` that apply to each account. */
export type AccountLimits = Pick<Config['limits'], 'configurations' | 'jobs'>;

/** Outcomes that show if the product has the metric. */
const TELLING: readonly Outcome[] = ['ok', 'empty', 'not_found'];

/** Jobs of an account, derived from its configuration and the discovered configurations. */
export class AccountJobs {
  readonly #options: AccountJobsOptions;
  readonly targets: AccountTargets;
  /** Memory of all jobs between polls. */
  readonly memory: AccountMemory;
  /** Learned values by metric, shared by all targets. */
  readonly learned: LearnedMetrics;
  /** Sources of the series of each API. */
  readonly sources: AccountSources;
  readonly #names: SettingNames;
  /** Jobs by key. An unchanged job keeps its object, and so its state. */
  #jobs: ReadonlyMap<string, Job> = new Map();
  readonly #series: AccountSeries;
  /** Limits for which the jobs were last made. */
  #wantedWithin: AccountLimits | undefined;

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
    this.#series = new AccountSeries({
      account,
      outlet: options.outlet ?? { pushed: undefined },
      access: options.access,
      platformClock: scopes.platformClock,
      memory: this.memory,
      learned: this.learned,
      sources: this.sources,
      targets: this.targets,
    });
    this.#names = new SettingNames(scopes.platformClock, namesWaitMs);
  }

  /** Makes the jobs that are needed now, reusing unchanged ones, and returns them. */
  jobs(): readonly Job[] {
    const jobs = new Map<string, Job>();
    const keep = <Work extends Job>(key: string, make: () => Work): Work => {
      const known = this.#jobs.get(key);
      const job = known === undefined ? make() : (known as Work);
      jobs.set(key, job);
      return job;
    };
    for (const product of this.#listed())
      keep(`discovery ${product.api} ${product.slug}`, () => this.#discoveryOf(product));
    const readsAll = ({ product, settings }: ProductRead) =>
      product.api === 'analytics' && settings.metrics.includes('*') && this.sources.isRest(product.api);
    if (this.targets.products.some(readsAll)) keep('metadata', () => new MetadataJob());
    for (const api of this.#apis) {
      const probe = this.#series.probe(api);
      if (probe !== undefined) keep(`source ${api}`, () => probe);
    }
    this.sources.jobsAreMade(this.#apis);
    const limits = this.#limits();
    this.#series.makeJobs(limits.jobs - jobs.size, keep);
    for (const api of this.#options.account.reconciliation_share > 0 ? this.#apis : [])
      keep(`reconciliation ${api}`, () => this.#reconciliationOf(api));
    for (const [name, schedule] of this.#settings()) {
      for (const job of COLLECTORS[name].jobs(this.#collectorContext(name, schedule)))
        keep(JSON.stringify([job.id, job.subject]), () => job);
    }
    this.#jobs = jobs;
    this.#wantedWithin = limits;
    return [...jobs.values()];
  }

  /** Returns the results of the lists, without missing lists of products that the source does not serve. */
  listings(): Listing[] {
    return this.targets.listings().filter(({ listed, product }) => listed || this.sources.serves(product));
  }

  /** Records the evidence of a poll about the targets and metrics. Returns true if the jobs change. */
  learn(job: Job, outcome: Outcome, result: PollResult | undefined): boolean {
    const failed = outcome !== 'ok' && outcome !== 'empty';
    if (job instanceof SourceProbe) return this.sources.probed(job.api, outcome);
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
    // A metric that the catalogue lacks is read for one target first.
    const [only] = job instanceof SeriesJob ? job.series : [];
    if (only === undefined || !TELLING.includes(outcome)) return false;
    if (only.target.product.metrics.includes(only.metric)) return false;
    return this.targets.metrics.answered(only.target.product, only.metric, outcome === 'ok');
  }

  /** Returns the parts of the memory that are learned gradually and saved periodically. */
  *saved(): Generator<SavedPart<unknown>, void> {
    for (const { part } of this.learned) yield part;
    yield* this.sources.parts();
  }

  /** True if the source of every API is known, so that the list of series is complete. */
  get areSourcesReady(): boolean {
    return [...this.#apis].every((api) => this.sources.isReady(api));
  }

  /** Returns the series that are read. */
  series(): readonly Series[] {
    return this.#series.all;
  }

  /** Returns the jobs that read series. */
  seriesJobs(): readonly SeriesJob[] {
    return this.#series.jobsNow;
  }

  /** Series above the limit of jobs. */
  get dropped(): DroppedJobs {
    return this.#series.dropped;
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

  /** Each API has a separate job, since it may have a separate limit. Both together respect the share. */
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

  /** Returns the products whose configurations must be listed: those read by configuration, and those that a collector needs. */
  #listed(): Set<Product> {
    const byConfiguration = this.targets.products.filter(({ settings }) =>
      settings.by.includes('configuration'),
    );
    const needed = this.#settings().flatMap(([name]) => this.#neededBy(name));
    const products = [...byConfiguration.map(({ product }) => product), ...needed];
    // A missing list is no failure if no series of its product would be read.
    return new Set(
      products.filter((product) => this.sources.serves(product) || !this.targets.isUnlistable(product)),
    );
  }

  /** True if every list of configurations was tried. */
  get areListed(): boolean {
    return [...this.#listed()].every((product) => !this.targets.isPending(product));
  }

  /** Returns the lists that a collector needs: all up to the first that is pending or not empty. Failed ones are retried. */
  #neededBy(name: CollectorName): readonly Product[] {
    const { needs }: Collector = COLLECTORS[name];
    if ((this.#options.account.collectors[name]?.configurations ?? []).length > 0) return [];
    const usable = needs.findIndex(
      (product) => this.targets.isPending(product) || (this.targets.configurations(product) ?? []).length > 0,
    );
    return usable < 0 ? needs : needs.slice(0, usable + 1);
  }

  /** APIs whose series are read. */
  get #apis(): ReadonlySet<SeriesApi> {
    return new Set(this.targets.products.map(({ product }) => product.api));
  }
}

/** Returns the ids of jobs and of the series that they read. */
export function idsOf(jobs: readonly Job[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const job of jobs) {
    ids.add(job.id);
    if (job instanceof SeriesJob) for (const { id } of job.series) ids.add(id);
  }
  return ids;
}
