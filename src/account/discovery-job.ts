import type { Sample } from '../catalogue/family.ts';
import { EDGE_CONFIGURATION_INFO, EDGE_CONFIGURATIONS } from '../catalogue/platform-families.ts';
import type { Product } from '../catalogue/products.ts';
import { decodeSeries, isEmpty } from '../decode/decode.ts';
import { type Rejections, reject } from '../decode/points.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import type { FollowUp, Job, JobSubject } from '../poll/job.ts';
import type { Discovery, PollResult } from '../poll/result.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { madeInSlices } from '../slices.ts';
import {
  configurationsResource,
  type Discovered,
  decodeConfigurations,
} from '../targets/configuration-list.ts';
import { type Addressing, addresses, seriesResource } from '../targets/target.ts';

export interface DiscoveryJobOptions {
  readonly account: string;
  readonly product: Product;
  readonly schedule: string;
  /** Which id the API takes for a configuration, or that this is to be found out. */
  readonly addressing: Addressing | 'auto';
  readonly platformClock: PlatformClock;
  /** How many configurations are taken. */
  readonly most: () => number;
}

/** Everything else depends on these lists. */
const DISCOVERY_WEIGHT = 10;

/** A list that has lost more than this share of its items at once is doubted. */
const MOST_LOST = 0.5;

/** How many reads in a row must show that most of the list is gone. */
const READS = 3;

/** How long (ms) after a doubted read the next one comes: a fault that passes should be over by then. */
const READ_AGAIN_MS = MINUTE_MS;

interface Listed extends Discovered {
  /** Which id the API takes, where it is known. */
  readonly addressing: Addressing | undefined;
  readonly samples: readonly Sample[];
}

/** Lists the configurations of a product, periodically. */
export class DiscoveryJob implements Job<Listed> {
  readonly id: string;
  readonly subject: JobSubject;
  readonly schedule: string;
  readonly group: string;
  readonly weight = DISCOVERY_WEIGHT;
  readonly findsJobs = true;
  readonly #options: DiscoveryJobOptions;
  readonly #length = new ShrunkenList();
  #addressing: Addressing | undefined;

  constructor(options: DiscoveryJobOptions) {
    const { product, schedule, addressing } = options;
    this.id = `discovery/${product.api}/${product.slug}`;
    this.subject = { collector: 'discovery', product: product.slug };
    this.schedule = schedule;
    this.group = product.api;
    this.#options = options;
    this.#addressing = addressing === 'auto' ? undefined : addressing;
  }

  get product(): Product {
    return this.#options.product;
  }

  cost(): number {
    return 1;
  }

  async read(read: Read, signal: AbortSignal): Promise<Listed> {
    const { body } = await read(() => configurationsResource(this.#options.product), signal);
    const discovered = await madeInSlices(decodeConfigurations(body, this.#options.most()));
    const addressing = this.#addressing ?? (await findAddressing(this.#options, discovered, read, signal));
    const { account, product } = this.#options;
    const discovery = {
      product,
      configurations: discovered.configurations,
      addressing: addressing ?? 'domain',
    };
    const samples = await madeInSlices(configurationSamples(account, discovery));
    return { ...discovered, addressing, samples };
  }

  conclude({ configurations, rejected, overLimit, addressing: found, samples }: Listed): PollResult {
    const rejections: Rejections = new Map();
    reject(rejections, 'bad_value', rejected);
    reject(rejections, 'over_limit', overLimit);
    const { product } = this.#options;
    const addressing = found ?? 'domain';
    const discovery = { product, configurations, addressing };
    const listed = configurations.length;
    const judgement = this.#length.judge(listed);
    return {
      outcome: listed === 0 ? 'empty' : 'ok',
      rejected: rejections,
      warning: judgement.warning,
      ...(judgement.believed && { discovery }),
      adopt: () => {
        this.#length.note(listed, judgement);
        if (!judgement.believed) return [];
        this.#addressing = found;
        return [{ part: 'info', samples }];
      },
    };
  }

  /** This job again, where the list that it read is doubted. */
  followUp(): FollowUp | undefined {
    if (!this.#length.isDoubted) return undefined;
    return { job: this, notBefore: this.#options.platformClock.localNow() + READ_AGAIN_MS };
  }
}

/**
 * Whether the API takes a domain's id, as the specification says (section 4.13), or the configuration's own, as others
 * have seen. One small read of a configuration whose ids differ shows it; undefined if there is none.
 */
async function findAddressing(
  { account, product, platformClock }: DiscoveryJobOptions,
  { configurations }: Discovered,
  read: Read,
  signal: AbortSignal,
): Promise<Addressing | undefined> {
  const [metric] = product.metrics;
  const telling = configurations.find(
    ({ id, domains, active }) => active && domains.length > 0 && !domains.includes(id),
  );
  if (telling === undefined || metric === undefined) return undefined;
  for (const addressing of ['domain', 'configuration'] as const) {
    const [id = telling.id] = addresses(telling, addressing);
    const now = Math.floor(platformClock.now() / MINUTE_MS) * MINUTE_MS;
    const target = { account, product, by: 'configuration', id, name: telling.name } as const;
    const window = { from: now - 5 * MINUTE_MS, to: now };
    try {
      const { body } = await read(() => seriesResource({ target, metric, window }), signal);
      // An answer without points may mean that the platform does not know the id.
      if (!isEmpty(decodeSeries(body, { metric, id }, platformClock.now()))) return addressing;
    } catch (failure) {
      if (!(failure instanceof PlatformFailure)) throw failure;
      if (failure.outcome !== 'not_found') return undefined;
    }
  }
  return undefined;
}

/** In small steps, since there may be thousands of configurations. */
function* configurationSamples(
  account: string,
  { product, configurations, addressing }: Discovery,
): Generator<undefined, readonly Sample[]> {
  const common = { account, product: product.slug };
  const samples: Sample[] = [{ family: EDGE_CONFIGURATIONS, labels: common, value: configurations.length }];
  for (const configuration of configurations) {
    for (const id of addresses(configuration, addressing)) {
      const { name, active } = configuration;
      const own = { configuration_id: id, configuration: name, active: String(active) };
      // Not spread, see `labelsIn`: there may be thousands.
      samples.push({ family: EDGE_CONFIGURATION_INFO, labels: Object.assign({}, common, own), value: 1 });
    }
    yield;
  }
  return samples;
}

/** Whether a list is believed, judged by its length. */
export interface Judgement {
  readonly believed: boolean;
  /** What an operator should know of it; undefined where nothing is strange. */
  readonly warning: string | undefined;
}

/**
 * Keeps one short or empty list from withdrawing most of what there is: it is read again, and believed only when it
 * stays so.
 */
export class ShrunkenList {
  /** How many items the list had that was believed last. */
  #known = 0;
  #doubted = 0;

  /** Whether a list was doubted, and has not been read as often as it takes to be believed. */
  get isDoubted(): boolean {
    return this.#doubted > 0;
  }

  /** Judges a list of this length. */
  judge(items: number): Judgement {
    if (items >= this.#known * (1 - MOST_LOST)) return { believed: true, warning: undefined };
    const shrank = `the list of configurations shrank from ${this.#known} to ${items}`;
    if (this.#doubted + 1 >= READS) {
      return { believed: true, warning: `${shrank} in ${READS} reads: what is gone is withdrawn` };
    }
    return { believed: false, warning: `${shrank}: it is read again before anything is withdrawn` };
  }

  /** Records how a list of this length was judged. */
  note(items: number, { believed }: Judgement): void {
    this.#doubted = believed ? 0 : this.#doubted + 1;
    if (believed) this.#known = items;
  }
}
