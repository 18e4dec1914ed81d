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
  /** Kind of id that the API takes for a configuration; `auto` finds it out by a read. */
  readonly addressing: Addressing | 'auto';
  readonly platformClock: PlatformClock;
  /** Returns the maximum number of configurations. */
  readonly most: () => number;
  readonly memory: Pick<AccountMemory, 'of'>;
  /** Another API that lists the configurations if this one cannot; undefined if there is none. */
  readonly elsewhere?: ListElsewhere | undefined;
  /** Names of configurations that the other API lists by id only. */
  readonly names?: Pick<SettingNames, 'of' | 'cost'>;
  /** Returns true for ids in this process' shard of the account; default: all. */
  readonly isOwn?: ((id: string) => boolean) | undefined;
  readonly counts?: boolean;
  /** Returns the kind of id that the source in use takes; default: the one of the list. */
  readonly addressed?: (addressing: Addressing) => Addressing;
}

/** Another API that lists a product's configurations. */
export interface ListElsewhere {
  /** Returns the configurations of the product. @throws PlatformFailure if they cannot be read */
  list(read: Read, signal: AbortSignal): Promise<readonly Configuration[]>;
  /** Returns true if the series are read from this API. */
  isInUse(): boolean;
}

/** Weight of the lists, above all other jobs, since those depend on them. */
const DISCOVERY_WEIGHT = 10;

/** Share of active configurations that a list may lose at once before it is doubted. */
const MOST_LOST = 0.5;

/** Consecutive reads that must confirm a doubted list. */
const READS = 3;

/** Statuses that mean that the API has no such list. */
const GONE: readonly (number | undefined)[] = [204, 404, 410];

const UNNAMED: NamesFound = { names: new Map(), warning: undefined };

/** Time (ms) from a doubted read to the next one, in which a temporary fault should pass. */
const READ_AGAIN_MS = MINUTE_MS;

interface Listed extends Discovered {
  /** Kind of id that the API takes; undefined if it is unknown. */
  readonly addressing: Addressing | undefined;
  readonly samples: readonly Sample[];
  /** Names of configurations that another API listed; undefined if this API listed them. */
  readonly elsewhere: NamesFound | undefined;
  /** Number of pages of this API's list. */
  readonly pages: number;
}

const storedNames = z.array(z.tuple([z.string(), z.string()])).catch([]);

/** Job that lists the configurations of a product periodically. */
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
      // Stored names keep the labels of series after a restart, even if names cannot be read then.
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
      // The names of the earlier list stay: another API has fewer ids and no names.
      const wasListed = this.#memory.known > 0 && !this.#memory.isFromElsewhere;
      if (!isGone || wasListed || elsewhere === undefined) throw failure;
      const all = await elsewhere.list(read, signal).catch((other: unknown) => {
        throw this.#isRestToBlame(other) ? failure : other;
      });
      // An account without the product has an empty list.
      if (all.length === 0) throw failure;
      const taken = all.slice(0, most());
      const asked = { ids: taken.map(({ id }) => id), before: this.#memory.names };
      const found = (await this.#options.names?.of(product, asked, read, signal)) ?? UNNAMED;
      const configurations = taken.map((one) => ({ ...one, name: found.names.get(one.id) ?? one.name }));
      const overLimit = all.length - taken.length;
      return { discovered: { configurations, rejected: 0, overLimit }, elsewhere: found, pages: 1 };
    }
  }

  /** Returns true if REST is in use and the failure of the other API is permanent, so that the REST failure is reported. */
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
    // A list whose items were all rejected is not an empty list.
    if (configurations.length === 0 && rejections.size > 0) throw new RowsRejected(rejections);
    const { product } = this.#options;
    const addressing = found ?? 'domain';
    const isFromElsewhere = elsewhere !== undefined;
    const discovery = { product, configurations, addressing, isFromElsewhere };
    const active = numberOfActive(configurations);
    const before = this.#memory;
    const judgement = judgeList(before, active);
    // A doubted list has only a few names.
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
      // A warning is the same for each list while it lasts, so it is reported once.
      warning: judgement.warning ?? (namesWarning === before.namesWarning ? undefined : namesWarning),
      ...(judgement.believed && { discovery }),
      // If the state refuses the commit, the former names stay, and the next list commits the new ones.
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

  /** Returns the time (local ms) to read a doubted list again; undefined if the list is not doubted. */
  dueAt(): number | undefined {
    return this.#memory.doubted === 0 ? undefined : this.#options.platformClock.localNow() + READ_AGAIN_MS;
  }
}

/**
 * Returns the kind of id that the API takes: a domain's, as specified (section 4.13), or the configuration's, as some platforms
 * do. It reads one configuration whose ids differ. Undefined if there is none, or if no read has data.
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
      // A spread takes more memory, see `labelsIn`, and there may be thousands of samples.
      samples.push({ family: EDGE_CONFIGURATION_INFO, labels: Object.assign({}, common, own), value: 1 });
    }
  }
  return samples;
}

/** Returns the number of active configurations. An inactive one is read only if the configuration names it. */
function numberOfActive(configurations: readonly Configuration[]): number {
  return configurations.filter(({ active }) => active).length;
}

/** Verdict on a list, from its length. */
export interface ListVerdict {
  readonly believed: boolean;
  /** Warning for the operator; undefined if the length is plausible. */
  readonly warning: string | undefined;
}

/** Memory of a list of configurations. Its length is the number of active configurations. */
export interface ListMemory {
  /** Length of the last list that was believed. */
  readonly known: number;
  /** Number of consecutive reads that were doubted. */
  readonly doubted: number;
  /** Kind of id that the API takes; undefined if it is unknown. */
  readonly addressing: Addressing | undefined;
  /** True if another API listed the configurations. */
  readonly isFromElsewhere?: boolean;
}

interface NamedListMemory extends ListMemory {
  /** Names by id from another API, and the warning of the last read of names. */
  readonly names: NamesFound['names'];
  readonly namesWarning?: NamesFound['warning'];
  /** Number of pages of the last list. */
  readonly pages: number;
}

/**
 * Judges a list by its length. A much shorter list is believed only if further reads confirm it. So one short or empty answer does
 * not withdraw most samples.
 */
export function judgeList({ known, doubted }: ListMemory, items: number): ListVerdict {
  if (items >= known * (1 - MOST_LOST)) return { believed: true, warning: undefined };
  const shrank = `the list of active configurations shrank from ${known} to ${items}`;
  if (doubted + 1 >= READS) {
    return { believed: true, warning: `${shrank} in ${READS} reads: what is gone is withdrawn` };
  }
  return { believed: false, warning: `${shrank}: it is read again before anything is withdrawn` };
}

/** Returns the memory after a list of this length is judged. */
export function afterList(
  before: ListMemory,
  items: number,
  { believed }: ListVerdict,
  addressing: Addressing | undefined,
): ListMemory {
  if (!believed) return { ...before, doubted: before.doubted + 1 };
  return { known: items, doubted: 0, addressing };
}
