import type { Product, SeriesApi } from '../catalogue/products.ts';
import { COLLECTORS, type CollectorName } from '../collectors.ts';
import { type Account, type Config, DEFAULT_LIMITS } from '../configuration/schema.ts';
import { isPassing, type Outcome } from '../platform/outcome.ts';
import type { Job } from '../poll/job.ts';
import type { PollResult } from '../poll/result.ts';
import type { JobState } from '../poll/scheduled-job.ts';
import type { LimitScopes } from '../rate-limit/limit-scopes.ts';
import { SeriesJob } from '../series/series-job.ts';
import type { Collector } from '../settings/collector.ts';
import { LearnedDelays } from '../settling/delays.ts';
import type { StateReader } from '../state/state.ts';
import { wantedDimensions } from '../targets/target.ts';
import { AccountTargets } from './account-targets.ts';
import { DiscoveryJob } from './discovery-job.ts';
import { JobMaker } from './job-maker.ts';
import { MetadataJob } from './metadata-job.ts';

export interface AccountJobsOptions {
  readonly account: Account;
  /** What was remembered of counters and settings. */
  readonly memory: StateReader;
  /** The platform's limits, by which some jobs use more or less. */
  readonly scopes: LimitScopes;
  /** Size limits of the account; default: those of the configuration schema. */
  readonly limits?: () => AccountLimits;
  /** Whether any receiver is configured; default: none. */
  readonly isPushed?: () => boolean;
  /** Called when the jobs that exceed the limit change. */
  readonly onDropped?: (dropped: DroppedJobs) => void;
}

/** The part of `limits` that bounds an account. */
export type AccountLimits = Pick<Config['limits'], 'configurations' | 'jobs'>;

export interface DroppedJobs {
  readonly count: number;
  /** The first of them; empty when there are none. */
  readonly first: string;
}

/** Outcomes of a read that show whether the product has the metric. */
const TELLING: readonly Outcome[] = ['ok', 'empty', 'not_found'];

/** The jobs of an account, derived from its configuration and the discovered configurations. */
export class AccountJobs {
  readonly #options: AccountJobsOptions;
  readonly targets: AccountTargets;
  /** Learned by metric, and shared by all targets. */
  readonly delays: LearnedDelays;
  readonly #make: JobMaker;
  /** Jobs by what they were made from: a job that stays is the same object, with all that it has learned. */
  readonly #jobs = new Map<string, Job>();
  /** What limited the jobs when they were made last. */
  #wantedWithin: AccountLimits | undefined;
  /** How many jobs exceed the limit. */
  #dropped = 0;

  constructor(options: AccountJobsOptions) {
    this.#options = options;
    this.targets = new AccountTargets(options.account);
    this.delays = new LearnedDelays(options.account);
    this.#make = new JobMaker({
      ...options,
      targets: this.targets,
      delays: this.delays,
      series: () => this.series(),
      mostConfigurations: () => this.#limits().configurations,
    });
  }

  /** The jobs wanted now. */
  jobs(): readonly Job[] {
    return [...this.wanted()];
  }

  /** The jobs wanted now, each made when it is asked for. Those that are not wanted any more are forgotten at the end. */
  *wanted(): Generator<Job, void> {
    const keys = new Set<string>();
    const keep = (key: string, make: () => Job) => {
      const job = this.#jobs.get(key) ?? make();
      keys.add(key);
      this.#jobs.set(key, job);
      return job;
    };
    for (const product of this.#listed()) {
      yield keep(`discovery ${product.api} ${product.slug}`, () => this.#make.discovery(product));
    }
    const limits = this.#limits();
    const dropped: string[] = [];
    if (this.#readsAllAnalytics()) yield keep('metadata', () => new MetadataJob());
    for (const read of this.targets.products()) {
      const { product, settings, schedule } = read;
      const wants = wantedDimensions(settings.dimensions);
      for (const { target, metric } of this.targets.reads(read)) {
        const key = JSON.stringify([product.api, product.slug, target.by, target.id, target.name, metric]);
        if (keys.size < limits.jobs)
          yield keep(key, () => this.#make.series(target, metric, wants, schedule));
        else dropped.push(`${product.api}/${product.slug}/${target.by}/${target.id}/${metric}`);
      }
    }
    for (const api of this.#reconciledApis()) {
      yield keep(`reconciliation ${api}`, () => this.#make.reconciliation(api));
    }
    for (const [name, schedule] of this.#settings()) {
      for (const job of COLLECTORS[name].jobs(this.#make.collectorContext(name, schedule))) {
        yield keep(JSON.stringify([job.id, job.subject]), () => job);
      }
    }
    for (const key of this.#jobs.keys()) if (!keys.has(key)) this.#jobs.delete(key);
    this.#wantedWithin = limits;
    this.#tellDropped({ count: dropped.length, first: dropped[0] ?? '' });
  }

  /** Records what a poll shows about what there is to read. Returns whether the jobs change. */
  learn(job: Job, outcome: Outcome, result: PollResult | undefined): boolean {
    const failed = outcome !== 'ok' && outcome !== 'empty';
    if (job instanceof DiscoveryJob && failed) return this.targets.listingFailed(job.product, outcome);
    if (result?.discovery !== undefined) {
      const { product, configurations, addressing } = result.discovery;
      const changed = this.targets.discovered(product, configurations, addressing);
      return changed || this.#limits() !== this.#wantedWithin;
    }
    if (result?.metrics !== undefined) {
      this.targets.metrics.list(result.metrics);
      return true;
    }
    if (!(job instanceof SeriesJob) || !TELLING.includes(outcome)) return false;
    return this.targets.metrics.answered(job.target.product, job.metric, outcome === 'ok');
  }

  /** The jobs that read series. */
  series(): readonly SeriesJob[] {
    return [...this.#jobs.values()].filter((job) => job instanceof SeriesJob);
  }

  #limits(): AccountLimits {
    return this.#options.limits?.() ?? DEFAULT_LIMITS;
  }

  #tellDropped(dropped: DroppedJobs): void {
    if (dropped.count === this.#dropped) return;
    this.#dropped = dropped.count;
    this.#options.onDropped?.(dropped);
  }

  #settings(): [CollectorName, string][] {
    const { collectors } = this.#options.account;
    return (Object.keys(COLLECTORS) as CollectorName[]).flatMap((name) => {
      const schedule = collectors[name]?.schedule;
      return schedule === undefined ? [] : [[name, schedule]];
    });
  }

  /** Products whose configurations must be listed: those read by configuration, and those that a collector needs. */
  #listed(): Set<Product> {
    const byConfiguration = this.targets
      .products()
      .filter(({ settings }) => settings.by.includes('configuration'));
    const needed = this.#settings().flatMap(([name]) => this.#neededBy(name));
    return new Set([...byConfiguration.map(({ product }) => product), ...needed]);
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

  #readsAllAnalytics(): boolean {
    return this.targets
      .products()
      .some(({ product, settings }) => product.api === 'analytics' && settings.metrics.includes('*'));
  }

  #reconciledApis(): Set<SeriesApi> {
    const wanted = this.#options.account.reconciliation_share > 0;
    return new Set(wanted ? this.targets.products().map(({ product }) => product.api) : []);
  }
}

/** What kind of thing a job reads. */
export type JobPart = 'discovery' | 'settings' | 'series' | 'other';

/** Which part of the work a job belongs to. */
export function partOf({ subject: { collector } }: Job): JobPart {
  if (collector === 'discovery') return 'discovery';
  if (Object.hasOwn(COLLECTORS, collector)) return 'settings';
  return collector === 'metrics' || collector === 'analytics' ? 'series' : 'other';
}

/** Whether all lists were read once (or refused), so that what there is to poll is known. */
export function isSurveyed(states: readonly JobState[]): boolean {
  const lists = states.filter(({ job }) => partOf(job) === 'discovery' || partOf(job) === 'settings');
  return lists.every(
    ({ lastSuccessAt, lastOutcome }) =>
      lastSuccessAt !== undefined || (lastOutcome !== undefined && !isPassing(lastOutcome)),
  );
}
