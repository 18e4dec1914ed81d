import { weightOf } from '../catalogue/known-metrics.ts';
import type { Product, SeriesApi } from '../catalogue/products.ts';
import { hasWhole } from '../cluster/shard.ts';
import { COLLECTORS, type CollectorName } from '../collectors.ts';
import { type AccountConfig, type Config, DEFAULT_LIMITS } from '../configuration/schema.ts';
import type { Outcome } from '../platform/read.ts';
import type { Job, PollResult } from '../poll/job.ts';
import type { Access } from '../poll/refusals.ts';
import type { LimitScopes } from '../rate-limit/limit-scopes.ts';
import { ReconciliationJob } from '../series/reconciliation-job.ts';
import { SeriesSamples } from '../series/samples.ts';
import { type PushDestination, SeriesJob } from '../series/series-job.ts';
import type { Collector, CollectorContext } from '../settings/collector.ts';
import { mayTry } from '../settling/dimension-trial.ts';
import { readMode } from '../settling/learned.ts';
import { LearnedMetrics } from '../settling/learned-metrics.ts';
import { AccountMemory, type SavedPart } from '../state/account-memory.ts';
import type { StateReader } from '../state/state.ts';
import { type Target, targetName } from '../targets/target.ts';
import { AccountSources } from './account-sources.ts';
import { AccountTargets, type Listing, type ProductRead } from './account-targets.ts';
import { DiscoveryJob } from './discovery-job.ts';
import { MetadataJob } from './metadata-job.ts';
import { SettingNames } from './setting-names.ts';

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
  /** Those of them that read series. */
  readonly #series = new Set<SeriesJob>();
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
      series: () => this.series(),
      knownToRest: (target) => this.targets.knownToRest(target),
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
    const keep = (key: string, make: () => Job) => {
      const job = this.#jobs.get(key) ?? make();
      keys.add(key);
      this.#jobs.set(key, job);
      if (job instanceof SeriesJob) this.#series.add(job);
      return job;
    };
    for (const product of this.#listed()) {
      yield keep(`discovery ${product.api} ${product.slug}`, () => this.#discoveryOf(product));
    }
    this.sources.choice.jobsAreMade(this.#apis);
    const limits = this.#limits();
    const dropped: string[] = [];
    const readsAll = ({ product, settings }: ProductRead) =>
      product.api === 'analytics' && settings.metrics.includes('*') && this.sources.isRest(product.api);
    if (this.targets.products.some(readsAll)) yield keep('metadata', () => new MetadataJob());
    for (const read of this.targets.products) {
      const { product } = read;
      for (const { target, metric } of this.targets.reads(read)) {
        if (!this.sources.has(product, metric, target.by)) continue;
        const key = JSON.stringify([product.api, product.slug, target.by, target.id, target.name, metric]);
        if (keys.size < limits.jobs) yield keep(key, () => this.#seriesOf(target, metric, read));
        else dropped.push(`${product.api}/${product.slug}/${target.by}/${target.id}/${metric}`);
      }
    }
    for (const api of this.#options.account.reconciliation_share > 0 ? this.#apis : []) {
      yield keep(`reconciliation ${api}`, () => this.#reconciliationOf(api));
    }
    for (const [name, schedule] of this.#settings()) {
      for (const job of COLLECTORS[name].jobs(this.#collectorContext(name, schedule))) {
        yield keep(JSON.stringify([job.id, job.subject]), () => job);
      }
    }
    this.#forgetAllBut(keys);
    this.#wantedWithin = limits;
    this.dropped = { count: dropped.length, first: dropped[0] ?? '' };
  }

  /** Whether the lists of configurations could be read. Leaves out a missing list of a product that the source does not serve. */
  listings(): Listing[] {
    return this.targets.listings().filter(({ listed, product }) => listed || this.sources.serves(product));
  }

  #forgetAllBut(keys: ReadonlySet<string>): void {
    for (const [key, job] of this.#jobs) {
      if (keys.has(key)) continue;
      this.#jobs.delete(key);
      if (job instanceof SeriesJob) this.#series.delete(job);
    }
  }

  /** Records what a poll shows about what there is to read. Returns whether the jobs change. */
  learn(job: Job, outcome: Outcome, result: PollResult | undefined): boolean {
    const failed = outcome !== 'ok' && outcome !== 'empty';
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
    if (!(job instanceof SeriesJob) || !TELLING.includes(outcome)) return false;
    return this.targets.metrics.answered(job.target.product, job.metric, outcome === 'ok');
  }

  /** Memory that is learned gradually and saved from time to time. */
  *saved(): Generator<SavedPart<unknown>, void> {
    for (const { part } of this.learned) yield part;
    yield* this.sources.parts();
  }

  /** The jobs that read series. */
  series(): readonly SeriesJob[] {
    return [...this.#series];
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

  #seriesOf(target: Target, metric: string, { wants, schedule, settings }: ProductRead): Job {
    const { account, state, scopes } = this.#options;
    const { platformClock } = scopes;
    const { api, slug } = target.product;
    const learned = this.learned.of(api, slug, metric);
    const options = {
      target,
      metric,
      wants,
      most: settings.top,
      mode: () => readMode(this.memory.of(learned.part), platformClock.now()),
      mayTry: () => mayTry(this.memory.of(learned.part).trial, targetName(target), platformClock.now()),
      platformClock,
    };
    return new SeriesJob({
      target,
      metric,
      schedule,
      weight: weightOf(metric),
      reader: this.sources.readerOf(options),
      samples: new SeriesSamples(target, metric, account.units, wants),
      memory: this.memory,
      learned,
      delays: account,
      stored: (key) => state.get(key),
      outlet: this.#options.outlet ?? { pushed: undefined },
      isKnown: this.#isKnown,
      platformClock,
      access: this.#options.access,
    });
  }

  readonly #isKnown = (target: Target): boolean =>
    this.series().some(
      ({ hasData, target: other }) =>
        hasData && other.product === target.product && targetName(other) === targetName(target),
    );

  /** Each API has its own job, since it may have its own limit; both together keep to the share. */
  #reconciliationOf(api: SeriesApi): Job {
    const { account, scopes } = this.#options;
    const candidates = () => this.series().filter(({ subject }) => subject.collector === api);
    const part = () => candidates().length / Math.max(1, this.series().length);
    const group = () => this.sources.groupOf(api);
    return new ReconciliationJob(api, {
      account: account.name,
      group,
      perMinute: () => account.reconciliation_share * scopes.of(group()).limiter.allowance * part(),
      candidates,
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
