import { weightOf } from '../catalogue/metric-weights.ts';
import type { Product, SeriesApi } from '../catalogue/products.ts';
import type { CollectorName } from '../collectors.ts';
import type { Account } from '../configuration/schema.ts';
import type { Job } from '../poll/job.ts';
import type { LimitScopes } from '../rate-limit/limit-scopes.ts';
import { Checkpoints, ReconciliationJob } from '../series/reconciliation-job.ts';
import { SeriesSamples } from '../series/samples.ts';
import { SeriesJob } from '../series/series-job.ts';
import { ReadModes, SeriesReader } from '../series/series-reader.ts';
import type { CollectorContext } from '../settings/collector.ts';
import type { LearnedDelays } from '../settling/delays.ts';
import type { StateReader } from '../state/state.ts';
import type { Target } from '../targets/target.ts';
import type { AccountTargets } from './account-targets.ts';
import { DiscoveryJob } from './discovery-job.ts';

/** What the jobs of an account share. */
export interface JobMakerOptions {
  readonly account: Account;
  /** What was remembered of counters and settings. */
  readonly memory: StateReader;
  readonly scopes: LimitScopes;
  readonly targets: AccountTargets;
  readonly delays: LearnedDelays;
  /** The jobs that read series. */
  readonly series: () => readonly SeriesJob[];
  /** How many configurations of a product are taken. */
  readonly mostConfigurations: () => number;
  /** Whether any receiver is configured; default: none. */
  readonly isPushed?: () => boolean;
}

/** Makes the jobs of an account, of each kind. */
export class JobMaker {
  readonly #options: JobMakerOptions;
  readonly #modes = new ReadModes();

  constructor(options: JobMakerOptions) {
    this.#options = options;
  }

  discovery(product: Product): Job {
    const { account, scopes } = this.#options;
    return new DiscoveryJob({
      account: account.name,
      product,
      schedule: account.discovery,
      addressing: account.collectors[product.api]?.products[product.slug]?.address_by ?? 'auto',
      platformClock: scopes.platformClock,
      most: this.#options.mostConfigurations,
    });
  }

  series(target: Target, metric: string, wants: (dimension: string) => boolean, schedule: string): Job {
    const { account, memory, scopes } = this.#options;
    const { platformClock } = scopes;
    return new SeriesJob({
      target,
      metric,
      schedule,
      weight: weightOf(metric),
      reader: new SeriesReader({ target, metric, wants, modes: this.#modes, platformClock }),
      samples: new SeriesSamples(target, metric, account.units, wants),
      delays: this.#options.delays.of(target.product.slug, metric),
      stored: (key) => memory.get(key),
      isPushed: this.#options.isPushed ?? (() => false),
      platformClock,
      checkpoints: account.reconciliation_share > 0 ? new Checkpoints() : undefined,
    });
  }

  /** Each API has its own job, since it may have its own limit; both together keep to the share. */
  reconciliation(api: SeriesApi): Job {
    const { account, scopes } = this.#options;
    const candidates = () => this.#options.series().filter(({ group }) => group === api);
    const part = () => candidates().length / Math.max(1, this.#options.series().length);
    return new ReconciliationJob(api, {
      account: account.name,
      perMinute: () => account.reconciliation_share * scopes.of(api).limiter.allowance * part(),
      candidates,
      platformClock: scopes.platformClock,
    });
  }

  /** What a collector's jobs need to know. */
  collectorContext(collector: CollectorName, schedule: string): CollectorContext {
    const { account, memory, scopes } = this.#options;
    const { platformClock } = scopes;
    return {
      account: account.name,
      origin: new URL(account.api_url).origin,
      collector,
      schedule,
      named: account.collectors[collector]?.configurations ?? [],
      configurations: (product) => this.#options.targets.configurations(product),
      isPending: (product) => this.#options.targets.isPending(product),
      memory,
      platformClock,
    };
  }
}
