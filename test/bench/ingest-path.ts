/** What becomes of an answer inside the exporter, from its bytes to a body of `/metrics`, without HTTP, queue and schedule. */
import { PRODUCTS } from '../../src/catalogue/products.ts';
import { Exposition } from '../../src/exposition/exposition.ts';
import { Store } from '../../src/exposition/store.ts';
import { PlatformClock } from '../../src/platform/platform-clock.ts';
import { ExposedResults } from '../../src/poll/exposed-results.ts';
import { ScheduledJob } from '../../src/poll/scheduled-job.ts';
import { SeriesSamples } from '../../src/series/samples.ts';
import { SeriesJob } from '../../src/series/series-job.ts';
import { ReadModes, SeriesReader } from '../../src/series/series-reader.ts';
import { LearnedDelays } from '../../src/settling/delays.ts';
import { memoryState } from '../../src/state/state.ts';

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
  readonly #store = new Store({ seriesLimit: 2_000_000 });
  readonly #exposition = new Exposition([this.#store]);
  readonly #exposed: ExposedResults;
  /** The time of the exporter and the platform alike (ms since the epoch). */
  now: number;

  constructor(configurations: number, now: number) {
    this.now = now;
    const clock = { now: () => this.now, wall: () => this.now, sleep: () => Promise.resolve() };
    this.#exposed = new ExposedResults({
      account: 'bench',
      clock,
      forecast: { intervalOf: () => 60_000 },
      store: this.#store,
      exposes: () => true,
      staleAfter: 300_000,
    });
    const platformClock = new PlatformClock(() => this.now);
    const delays = new LearnedDelays({ publish_delay: 'auto', settle_delay: 'auto' });
    const modes = new ReadModes();
    const product = PRODUCTS.find(({ slug }) => slug === 'edge_applications');
    if (product === undefined) throw new Error('the catalogue has no edge_applications');
    this.#configured = Array.from({ length: configurations }, (_, index) => {
      const id = String(1_600_000_000 + index * 7919);
      const name = `shop-${index}.example.com`;
      const target = { account: 'bench', product, by: 'configuration', id, name } as const;
      const job = new SeriesJob({
        target,
        metric: METRIC,
        schedule: '* * * * *',
        weight: 1,
        reader: new SeriesReader({ target, metric: METRIC, wants: () => true, modes, platformClock }),
        samples: new SeriesSamples(target, METRIC, {}),
        delays: delays.of(product.slug, METRIC),
        stored: (key) => this.#state.get(key),
        isPushed: () => false,
        platformClock,
      });
      return { job, scheduled: new ScheduledJob(job, now) };
    });
  }

  /** Takes in one answer for each configuration, and has scrapes see them after every so many. */
  async poll(answerTo: (query: Readonly<Record<string, string>>) => Buffer, atOnce: number): Promise<void> {
    const { signal } = new AbortController();
    for (const [index, { job, scheduled }] of this.#configured.entries()) {
      const answer = await job.read(async (resource) => {
        const bytes = answerTo(resource().query ?? {});
        return { body: JSON.parse(bytes.toString()), bytes: bytes.length };
      }, signal);
      const { commit = [], adopt } = job.conclude(answer);
      if (commit.length > 0) await this.#state.commit(commit);
      for (const exposure of adopt(true)) this.#exposed.expose(scheduled, exposure);
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
