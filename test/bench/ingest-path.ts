/** What becomes of an answer inside the exporter, from its bytes to a body of `/metrics`, without HTTP, queue and schedule. */

import { AccountStore } from '../../src/exporter/account/account-store.ts';
import { PRODUCTS } from '../../src/exporter/catalogue/products.ts';
import { CONFIG } from '../../src/exporter/configuration/schema.ts';
import { Exposition } from '../../src/exporter/exposition/exposition.ts';
import { Store } from '../../src/exporter/exposition/store.ts';
import { PlatformClock } from '../../src/exporter/platform/platform-clock.ts';
import { refusalKey } from '../../src/exporter/poll/refusals.ts';
import { adopt } from '../../src/exporter/poll/runner.ts';
import { ScheduledJob } from '../../src/exporter/poll/schedule.ts';
import { Series } from '../../src/exporter/series/metric-series.ts';
import { RestSource } from '../../src/exporter/series/rest-source.ts';
import { SeriesSamples } from '../../src/exporter/series/samples.ts';
import { SeriesJob } from '../../src/exporter/series/series-job.ts';
import { SeriesReader } from '../../src/exporter/series/series-reader.ts';
import { LearnedMetrics } from '../../src/exporter/settling/learned-metrics.ts';
import { AccountMemory } from '../../src/exporter/state/account-memory.ts';
import { memoryState } from '../../src/exporter/state/open-state.ts';

/** What every configuration is read for. */
export const METRIC = 'status_code';

interface Configured {
  readonly job: SeriesJob;
  readonly scheduled: ScheduledJob;
}

/** The jobs of one account's configurations, and what takes their answers in. */
export class IngestPath {
  readonly #configured: readonly Configured[];
  readonly #state = memoryState();
  readonly #memory = new AccountMemory(this.#state);
  readonly #store = new Store({ seriesLimit: 2_000_000 });
  readonly #exposition = new Exposition(this.#store);
  readonly #exposed: AccountStore;
  /** The time of the exporter and the platform alike (ms since the epoch). */
  now: number;

  constructor(configurations: number, now: number) {
    this.now = now;
    const [config] = CONFIG.parse({
      accounts: [{ name: 'bench', api_url: 'https://api.example.net', token: 'x' }],
    }).accounts;
    if (config === undefined) throw new Error('one account was configured');
    this.#exposed = new AccountStore({
      config: { ...config, stale_after: 300_000 },
      platformClock: { skewMs: 0, localNow: () => this.now },
      intervals: { of: () => ({ usual: 60_000, careful: 60_000, planned: 60_000 }) },
      store: this.#store,
      outlet: { pushed: undefined },
    });
    const platformClock = new PlatformClock(() => this.now);
    const learned = new LearnedMetrics('bench');
    const mode = () => 'metric' as const;
    const product = PRODUCTS.find(({ slug }) => slug === 'edge_applications');
    if (product === undefined) throw new Error('the catalogue has no edge_applications');
    this.#configured = Array.from({ length: configurations }, (_, index) => {
      const id = String(1_600_000_000 + index * 7919);
      const name = `shop-${index}.example.com`;
      const target = { account: 'bench', product, by: 'configuration', id, name } as const;
      const series = new Series({
        target,
        metric: METRIC,
        wants: () => true,
        schedule: '* * * * *',
        weight: 1,
        samples: new SeriesSamples(target, METRIC, {}),
        memory: this.#memory,
        learned: learned.of(product.api, product.slug, METRIC),
        delays: { publish_delay: 'auto', settle_delay: 'auto' },
        outlet: { pushed: undefined },
        platformClock,
      });
      const reader = { target, metric: METRIC, wants: () => true, mode, mayTry: () => false, platformClock };
      const job = new SeriesJob({
        id: series.id,
        subject: series.subject,
        schedule: series.schedule,
        source: new RestSource(new SeriesReader(reader)),
        memory: this.#memory,
        refusalKey: refusalKey(series.key),
        isKnown: () => true,
        platformClock,
      });
      job.assign([series]);
      return { job, scheduled: new ScheduledJob(job, now) };
    });
  }

  /** Takes in one answer for each configuration, and has scrapes see them after every so many. */
  async poll(answerTo: (query: Readonly<Record<string, string>>) => Buffer, atOnce: number): Promise<void> {
    const { signal } = new AbortController();
    for (const [index, { job }] of this.#configured.entries()) {
      const answer = await job.read(async (resource) => {
        const bytes = answerTo(resource().query ?? {});
        return { body: JSON.parse(bytes.toString()), bytes: bytes.length };
      }, signal);
      const result = await job.conclude(answer);
      const { commit = [] } = result;
      if (commit.length > 0) await this.#state.commit(commit);
      adopt(this.#memory, result, true);
      this.#exposed.expose(job, result.exposures(true));
      if (index % atOnce === atOnce - 1) await this.#show();
    }
    await this.#show();
  }

  /** Bytes of a compressed scrape. */
  get bytes(): number {
    return this.#exposition.snapshot('text', 'gzip').reduce((sum, { length }) => sum + length, 0);
  }

  async #show(): Promise<void> {
    await this.#exposition.refresh();
  }
}
