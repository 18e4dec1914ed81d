import picomatch from 'picomatch';
import { weightOf } from '../catalogue/metric-weights.ts';
import type { Product, SeriesApi } from '../catalogue/products.ts';
import { COLLECTORS, type CollectorName } from '../collectors.ts';
import type { ProductSettings } from '../configuration/collectors.ts';
import type { Account } from '../configuration/schema.ts';
import type { Store } from '../exposition/store.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Job } from '../schedule/job.ts';
import type { SeriesObserver } from '../series/bookkeeper.ts';
import { SeriesJob } from '../series/job.ts';
import { ReadModes } from '../series/read-modes.ts';
import { SeriesReader } from '../series/reader.ts';
import { ReconciliationJob } from '../series/reconciliation-job.ts';
import { SeriesSamples } from '../series/samples.ts';
import type { Collector, CollectorContext, SettingsObserver } from '../settings/collector.ts';
import type { State } from '../state/state.ts';
import { discoveryJob } from '../targets/discovery-job.ts';
import type { Target } from '../targets/target.ts';
import { AccountTargets, metricsOf, type UnmatchedNames } from './account-targets.ts';
import { LearnedDelays, type MetricDelays } from './learned-delays.ts';

/** How often a job comes round. */
export interface Pace {
  readonly schedule: string;
  readonly weight: number;
  /** Of operations, for their limit scope. */
  readonly group: string;
}

export interface AccountJobsOptions {
  readonly account: Account;
  readonly store: Store;
  readonly state: State;
  readonly platformClock: PlatformClock;
  readonly observer: SeriesObserver & SettingsObserver;
  /** Until when (local ms) what a job of this schedule publishes now may be shown. */
  readonly freshUntil: (pace: Pace) => number;
  /** Operations per minute that the exporter may use. */
  readonly allowance: (group: string) => number;
  /** Called when other jobs are wanted than before. */
  readonly onChange: (jobs: readonly Job[]) => void;
}

/** Which jobs an account wants: from its configuration, and from the configurations that were discovered. */
export class AccountJobs {
  readonly #options: AccountJobsOptions;
  readonly #modes = new ReadModes();
  readonly #targets: AccountTargets;
  readonly #delays: LearnedDelays;
  /** Jobs by what they are made from: a job that is still wanted stays the same object, with all that it has learned. */
  #jobs = new Map<string, Job>();

  constructor(options: AccountJobsOptions) {
    this.#options = options;
    this.#targets = new AccountTargets(options.account);
    this.#delays = new LearnedDelays(options.account);
  }

  /** The jobs wanted now. */
  jobs(): readonly Job[] {
    const made = new Map<string, Job>();
    const keep = (key: string, make: () => Job) => made.set(key, this.#jobs.get(key) ?? make());
    for (const product of this.#listed()) {
      keep(`discovery ${product.api} ${product.slug}`, () => this.#discovery(product));
    }
    for (const read of this.#targets.products()) {
      const { product, settings, schedule } = read;
      for (const target of this.#targets.of(read)) {
        for (const metric of metricsOf(read)) {
          const key = JSON.stringify([product.api, product.slug, target.by, target.id, target.name, metric]);
          keep(key, () => this.#series(target, metric, settings, schedule));
        }
      }
    }
    for (const api of this.#reconciledApis()) {
      keep(`reconciliation ${api}`, () => this.#reconciliation(api));
    }
    for (const [name, schedule] of this.#settings()) {
      for (const job of COLLECTORS[name].jobs(this.#context(name, schedule))) {
        keep(JSON.stringify([job.id, job.subject]), () => job);
      }
    }
    this.#jobs = made;
    return [...made.values()];
  }

  /** The jobs that read series. */
  series(): readonly SeriesJob[] {
    return [...this.#jobs.values()].filter((job) => job instanceof SeriesJob);
  }

  /** What was learned of the delays, by metric. */
  delays(): Iterable<MetricDelays> {
    return this.#delays.all();
  }

  /** Names of configurations to be read that match none, as far as the lists were read. */
  unmatched(): UnmatchedNames[] {
    return this.#targets.unmatched();
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
    const byConfiguration = this.#targets
      .products()
      .filter(({ settings }) => settings.by.includes('configuration'));
    const needed = this.#settings().flatMap(([name]) => (COLLECTORS[name] as Collector).needs ?? []);
    return new Set([...byConfiguration.map(({ product }) => product), ...needed]);
  }

  #discovery(product: Product): Job {
    const { account, store, platformClock, freshUntil, onChange } = this.#options;
    return discoveryJob({
      account: account.name,
      product,
      schedule: account.discovery,
      addressing: account.collectors[product.api]?.products[product.slug]?.address_by ?? 'auto',
      store,
      platformClock,
      freshUntil: () => freshUntil({ schedule: account.discovery, weight: 1, group: product.api }),
      onDiscovered: (configurations, addressing) => {
        this.#targets.discovered(product, configurations, addressing);
        onChange(this.jobs());
      },
    });
  }

  #series(target: Target, metric: string, settings: ProductSettings, schedule: string): Job {
    const { account, state, store, platformClock, observer, freshUntil } = this.#options;
    const weight = weightOf(metric);
    const wants = picomatch([...settings.dimensions]);
    return new SeriesJob({
      target,
      metric,
      collector: target.product.api,
      schedule,
      weight,
      reader: new SeriesReader({ target, metric, wants, modes: this.#modes, platformClock }),
      samples: new SeriesSamples(target, metric, account.units, wants),
      delays: this.#delays.of(target.product.slug, metric),
      state,
      store,
      platformClock,
      observer,
      freshUntil: () => freshUntil({ schedule, weight, group: target.product.api }),
    });
  }

  #reconciledApis(): Set<SeriesApi> {
    const wanted = this.#options.account.reconciliation_share > 0;
    return new Set(wanted ? this.#targets.products().map(({ product }) => product.api) : []);
  }

  /** Each API has its own job, since it may have its own limit; both together keep to the share. */
  #reconciliation(api: SeriesApi): Job {
    const { account, store, platformClock, freshUntil, allowance } = this.#options;
    const owner = `${account.name}/reconciliation/${api}`;
    const candidates = () => this.series().filter(({ group }) => group === api);
    const part = () => candidates().length / Math.max(1, this.series().length);
    return new ReconciliationJob(api, {
      account: account.name,
      perMinute: () => account.reconciliation_share * allowance(api) * part(),
      candidates,
      platformClock,
      publish: (samples, pace) => store.publish(owner, samples, freshUntil(pace)),
      withdraw: () => store.withdraw(owner),
    });
  }

  #context(collector: CollectorName, schedule: string): CollectorContext {
    const { account, store, state, platformClock, observer, freshUntil } = this.#options;
    return {
      account: account.name,
      origin: new URL(account.api_url).origin,
      collector,
      schedule,
      configurations: (product) => this.#targets.configurations(product),
      store,
      state,
      platformClock,
      observer,
      freshUntil: (weight, group) => freshUntil({ schedule, weight, group }),
    };
  }
}
