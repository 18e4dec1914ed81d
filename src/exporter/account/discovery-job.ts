import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Sample } from '../catalogue/family.ts';
import { EDGE_CONFIGURATION_INFO, EDGE_CONFIGURATIONS } from '../catalogue/platform-families.ts';
import type { Product } from '../catalogue/products.ts';
import { decodeSeries } from '../decode/decode.ts';
import { type Rejections, reject } from '../decode/points.ts';
import { ConfigurationsCut } from '../graphql/configurations-with-traffic.ts';
import { EarlyEnds } from '../platform/pages.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { isPassing, PlatformFailure, type Read } from '../platform/read.ts';
import { type Discovery, type Job, type JobSubject, type PollResult, RowsRejected } from '../poll/job.ts';
import { periodOf } from '../rate-limit/poll-intervals.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { type AccountMemory, changed, type MemoryPart } from '../state/account-memory.ts';
import type { StateKey } from '../state/state.ts';
import {
  type Configuration,
  type Discovered,
  decodeConfigurations,
  readListed,
} from '../targets/configuration-list.ts';
import { type Addressing, addresses, seriesResource } from '../targets/target.ts';
import type { NamesFound, SettingNames } from './setting-names.ts';

export interface DiscoveryJobOptions {
  readonly account: string;
  readonly product: Product;
  readonly schedule: string;
  /** Kind of id that the API takes for a configuration; `auto` finds out. */
  readonly addressing: Addressing | 'auto';
  readonly platformClock: PlatformClock;
  /** Most configurations taken. */
  readonly most: () => number;
  readonly memory: Pick<AccountMemory, 'of'>;
  /** Lists them by another API where this one cannot; undefined if there is none. */
  readonly elsewhere?: ListElsewhere | undefined;
  /** The names of those that another API lists, which knows their ids alone. */
  readonly names?: Pick<SettingNames, 'of' | 'cost'>;
  /** True for ids of this process' part of the account. Default: all. */
  readonly isOwn?: ((id: string) => boolean) | undefined;
  readonly counts?: boolean;
  /** Returns the kind of id that the source in use takes. */
  readonly addressed?: (addressing: Addressing) => Addressing;
}

/** Another API that lists a product's configurations. */
export interface ListElsewhere {
  /** @throws PlatformFailure */
  list(read: Read, signal: AbortSignal): Promise<readonly Configuration[]>;
  /** True if series are read by it. */
  isInUse(): boolean;
}

/** Everything else depends on these lists. */
const DISCOVERY_WEIGHT = 10;

/** A list that loses more than this share of its items at once is doubted. */
const MOST_LOST = 0.5;

/** Reads in a row that must confirm that most of the list is gone. */
const READS = 3;

/** Statuses of a list that mean that the API has none. */
const GONE: readonly (number | undefined)[] = [204, 404, 410];

const UNNAMED: NamesFound = { names: new Map(), warning: undefined };

/** Time (ms) from a doubted read to the next one: a passing fault should be over by then. */
const READ_AGAIN_MS = MINUTE_MS;

interface Listed extends Discovered {
  /** Kind of id that the API takes; undefined if unknown. */
  readonly addressing: Addressing | undefined;
  readonly samples: readonly Sample[];
  /** Names of configurations that another API listed; undefined if this API listed them. */
  readonly elsewhere: NamesFound | undefined;
  /** Pages of this API's list. */
  readonly pages: number;
}

const storedNames = z.array(z.tuple([z.string(), z.string()])).catch([]);

/** Lists the configurations of a product, periodically. */
export class DiscoveryJob implements Job<Listed> {
  readonly id: string;
  readonly subject: JobSubject;
  readonly schedule: string;
  readonly group: string;
  readonly weight = DISCOVERY_WEIGHT;
  readonly #options: DiscoveryJobOptions;
  readonly #ends = new EarlyEnds();
  readonly #part: MemoryPart<NamedListMemory> & { readonly key: StateKey };

  constructor(options: DiscoveryJobOptions) {
    const { product, schedule, addressing } = options;
    this.id = `discovery/${product.api}/${product.slug}`;
    this.subject = { collector: 'discovery', product: product.slug };
    this.schedule = schedule;
    this.group = product.api;
    this.#options = options;
    const known = addressing === 'auto' ? undefined : addressing;
    this.#part = {
      key: ['configuration names', options.account, product.api, product.slug],
      // Series keep their names after a restart, too, whether or not those can be read then.
      open: (stored) => ({
        known: 0,
        doubted: 0,
        pages: 1,
        addressing: known,
        names: new Map(storedNames.parse(stored)),
      }),
    };
  }

  get product(): Product {
    return this.#options.product;
  }

  cost(): number {
    const { product, names } = this.#options;
    return this.#memory.pages + (names?.cost(product, periodOf(this.schedule).mean) ?? 0);
  }

  async read(read: Read, signal: AbortSignal): Promise<Listed> {
    const { discovered, elsewhere, pages } = await this.#list(read, signal);
    const addressing =
      this.#memory.addressing ??
      (elsewhere ? undefined : await findAddressing(this.#options, discovered, read, signal));
    const { product, addressed = (same) => same } = this.#options;
    const discovery = {
      product,
      configurations: discovered.configurations,
      addressing: addressed(addressing ?? 'domain'),
    };
    const samples = configurationSamples(this.#options, discovery);
    return { ...discovered, addressing, samples, elsewhere, pages };
  }

  async #list(
    read: Read,
    signal: AbortSignal,
  ): Promise<{ readonly discovered: Discovered } & Pick<Listed, 'elsewhere' | 'pages'>> {
    const { product, most, elsewhere } = this.#options;
    try {
      const asked = { product, most: most(), ends: this.#ends };
      const { items, pages } = await readListed(asked, read, signal);
      return { discovered: decodeConfigurations(items, most()), elsewhere: undefined, pages };
    } catch (failure) {
      const isGone = failure instanceof PlatformFailure && GONE.includes(failure.status);
      // Series keep the names of the earlier list: another API knows fewer ids and no names.
      const wasListed = this.#memory.known > 0 && !this.#memory.isFromElsewhere;
      if (!isGone || wasListed || elsewhere === undefined) throw failure;
      const all = await elsewhere.list(read, signal).catch((other: unknown) => {
        throw this.#isRestToBlame(other) ? failure : other;
      });
      // This is how an account without the product looks.
      if (all.length === 0) throw failure;
      const taken = all.slice(0, most());
      const asked = { ids: taken.map(({ id }) => id), before: this.#memory.names };
      const found = (await this.#options.names?.of(product, asked, read, signal)) ?? UNNAMED;
      const configurations = taken.map((one) => ({ ...one, name: found.names.get(one.id) ?? one.name }));
      const overLimit = all.length - taken.length;
      return { discovered: { configurations, rejected: 0, overLimit }, elsewhere: found, pages: 1 };
    }
  }

  /** True if the failure of the other API says no more than that of REST, which is in use. */
  #isRestToBlame(failure: unknown): boolean {
    if (!(failure instanceof PlatformFailure) || failure instanceof ConfigurationsCut) return false;
    return this.#options.elsewhere?.isInUse() !== true && !isPassing(failure.outcome);
  }

  conclude(listed: Listed | PlatformFailure): PollResult {
    if (listed instanceof PlatformFailure) throw listed;
    const { configurations, rejected, overLimit, addressing: found, samples, elsewhere, pages } = listed;
    const rejections: Rejections = new Map();
    reject(rejections, 'bad_value', rejected);
    reject(rejections, 'over_limit', overLimit);
    // A list of another form than before is not an empty one.
    if (configurations.length === 0 && rejections.size > 0) throw new RowsRejected(rejections);
    const { product } = this.#options;
    const addressing = found ?? 'domain';
    const isFromElsewhere = elsewhere !== undefined;
    const discovery = { product, configurations, addressing, isFromElsewhere };
    const active = numberOfActive(configurations);
    const before = this.#memory;
    const judgement = judgeList(before, active);
    // A doubted list has few of them.
    const names = judgement.believed && elsewhere ? elsewhere.names : before.names;
    const namesWarning = elsewhere?.warning;
    const after = {
      ...afterList(before, active, judgement, found),
      names,
      namesWarning,
      isFromElsewhere,
      pages,
    };
    return {
      outcome: configurations.length === 0 ? 'empty' : 'ok',
      rejected: rejections,
      // It is the same with every list, as long as it lasts.
      warning: judgement.warning ?? (namesWarning === before.namesWarning ? undefined : namesWarning),
      ...(judgement.believed && { discovery }),
      // Names that the state refused are to be committed with the next list.
      memory: [changed(this.#part, after, { ...after, names: before.names })],
      ...(!isDeepStrictEqual(names, before.names) && {
        commit: [{ key: this.#part.key, value: [...names] }],
      }),
      exposures: () => (judgement.believed ? [{ part: 'info', samples }] : []),
    };
  }

  get #memory(): NamedListMemory {
    return this.#options.memory.of(this.#part);
  }

  /** While the list is doubted it is read again. */
  dueAt(): number | undefined {
    return this.#memory.doubted === 0 ? undefined : this.#options.platformClock.localNow() + READ_AGAIN_MS;
  }
}

/**
 * Returns the kind of id that the API takes: a domain's, as the specification says (section 4.13), or the
 * configuration's own, as others have seen. It reads one configuration whose ids differ; undefined if there is none.
 */
async function findAddressing(
  { account, product, platformClock }: DiscoveryJobOptions,
  { configurations }: Discovered,
  read: Read,
  signal: AbortSignal,
): Promise<Addressing | undefined> {
  const [metric] = product.metrics;
  const example = configurations.find(
    ({ id, domains, active }) => active && domains.length > 0 && !domains.includes(id),
  );
  if (example === undefined || metric === undefined) return undefined;
  for (const addressing of ['domain', 'configuration'] as const) {
    const [id = example.id] = addresses(example, addressing);
    const now = Math.floor(platformClock.now() / MINUTE_MS) * MINUTE_MS;
    const target = { account, product, by: 'configuration', id, name: example.name } as const;
    const window = { from: now - 5 * MINUTE_MS, to: now };
    try {
      const { body } = await read(() => seriesResource({ target, metric, window }), signal);
      // An answer without points may mean that the platform does not know the id.
      const { series } = decodeSeries(body, { metric, id }, platformClock.now());
      if ([...series.values()].some(({ timestamps }) => timestamps.length > 0)) return addressing;
    } catch (failure) {
      if (!(failure instanceof PlatformFailure)) throw failure;
      if (failure.outcome !== 'not_found') return undefined;
    }
  }
  return undefined;
}

function configurationSamples(
  { account, isOwn = () => true, counts = true }: DiscoveryJobOptions,
  { product, configurations, addressing }: Omit<Discovery, 'isFromElsewhere'>,
): readonly Sample[] {
  const common = { account, product: product.slug };
  const count = { family: EDGE_CONFIGURATIONS, labels: common, value: numberOfActive(configurations) };
  const samples: Sample[] = counts ? [count] : [];
  for (const configuration of configurations) {
    for (const id of addresses(configuration, addressing).filter(isOwn)) {
      const { name, active } = configuration;
      const own = { configuration_id: id, configuration: name, active: String(active) };
      // Not spread, see `labelsIn`: there may be thousands.
      samples.push({ family: EDGE_CONFIGURATION_INFO, labels: Object.assign({}, common, own), value: 1 });
    }
  }
  return samples;
}

/** One that is switched off is not read, unless the configuration names it: it is withdrawn as one that is deleted. */
function numberOfActive(configurations: readonly Configuration[]): number {
  return configurations.filter(({ active }) => active).length;
}

/** Verdict on a list, by its length. */
export interface ListVerdict {
  readonly believed: boolean;
  /** A warning for the operator; undefined if nothing is strange. */
  readonly warning: string | undefined;
}

/** Memory of a list of configurations. Its length is the number of active ones. */
export interface ListMemory {
  /** Length of the last list that was believed. */
  readonly known: number;
  /** Consecutive reads that were doubted. */
  readonly doubted: number;
  /** Kind of id that the API takes; undefined if unknown. */
  readonly addressing: Addressing | undefined;
  /** True if another API listed them. */
  readonly isFromElsewhere?: boolean;
}

interface NamedListMemory extends ListMemory {
  /** Names by id from another API, and what was wrong with the last ones. */
  readonly names: NamesFound['names'];
  readonly namesWarning?: NamesFound['warning'];
  /** Pages of the last list. */
  readonly pages: number;
}

/**
 * Judges a list by its length. One short or empty list must not withdraw most of what there is: it is believed only if
 * further reads confirm it.
 */
export function judgeList({ known, doubted }: ListMemory, items: number): ListVerdict {
  if (items >= known * (1 - MOST_LOST)) return { believed: true, warning: undefined };
  const shrank = `the list of active configurations shrank from ${known} to ${items}`;
  if (doubted + 1 >= READS) {
    return { believed: true, warning: `${shrank} in ${READS} reads: what is gone is withdrawn` };
  }
  return { believed: false, warning: `${shrank}: it is read again before anything is withdrawn` };
}

/** Returns the memory after a list of this length was judged. */
export function afterList(
  before: ListMemory,
  items: number,
  { believed }: ListVerdict,
  addressing: Addressing | undefined,
): ListMemory {
  if (!believed) return { ...before, doubted: before.doubted + 1 };
  return { known: items, doubted: 0, addressing };
}
