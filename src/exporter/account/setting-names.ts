import { z } from 'zod';
import type { Product } from '../catalogue/products.ts';
import { COLLECTORS, type CollectorName } from '../collectors.ts';
import { readPages } from '../platform/pages.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { type Outcome, PlatformFailure, type Read } from '../platform/read.ts';
import { identifier, text } from '../settings/collector.ts';
import { MINUTE_MS } from '../settling/window.ts';

/** Names by id. */
export type Names = ReadonlyMap<string, string>;

/** Collectors whose settings name the configurations of a product, by the product's slug. */
const SETTINGS: Readonly<Record<string, CollectorName>> = {
  content_delivery: 'edge_applications',
  edge_applications: 'edge_applications',
  edge_functions: 'edge_functions',
  image_optimization: 'edge_applications',
  image_processor: 'edge_applications',
  intelligent_dns: 'hosted_zones',
  l2_caching: 'edge_applications',
};

/** Time (ms) after which names are read again: a list of thousands takes a hundred operations. */
const USUAL_MS = 60 * MINUTE_MS;

/** Time (ms) after which names are read again while an id has no name, or while reading fails. */
const SOON_MS = 9 * MINUTE_MS;

/** Time (ms) for which a list of configurations waits for names, since later names would change the labels of series. */
const USUAL_WAIT_MS = 5 * MINUTE_MS;

/** Failures that mean that the token or account has no access to names. */
const REFUSED: readonly Outcome[] = ['forbidden', 'not_found'];

const row = z.object({ id: identifier, name: text });

/** Names from the settings of a collector, as last read. */
interface SettingList {
  names: Names;
  /** Time (local ms) of the last attempt to read names; undefined before the first. */
  at: number | undefined;
  /** Failure of the last read, and the time (local ms) since which reads fail; undefined if it succeeded. */
  failure: PlatformFailure | undefined;
  failingSince: number | undefined;
  /** Operations of the last read. */
  operations: number;
  /** Time (ms) after which names are read again. */
  every: number;
  /** Products whose configurations have these names. */
  readonly products: Set<Product>;
  /** Last read; the next one waits for it. */
  reading: Promise<unknown>;
}

/** Names of configurations. */
export interface NamesFound {
  /** Names by id, for the requested ids. */
  readonly names: Names;
  /** Why ids replace names, as a sentence; undefined if all ids have names, or if no read failed. */
  readonly warning: string | undefined;
}

/** Names of configurations from the settings with the same ids, for a source that knows only ids. */
export class SettingNames {
  readonly #clock: PlatformClock;
  readonly #waitMs: number;
  readonly #lists = new Map<CollectorName, SettingList>();

  /** @param waitMs time for which a list without any name fails, so that it is retried; 0 for a single read */
  constructor(clock: PlatformClock, waitMs = USUAL_WAIT_MS) {
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /**
   * Returns the names of a product's configurations. An id without a name in the settings keeps its former name.
   * @throws PlatformFailure if no name is known, no list went without names before, and a retry may succeed
   */
  async of(
    product: Product,
    asked: { readonly ids: readonly string[]; readonly before: Names },
    read: Read,
    signal: AbortSignal,
  ): Promise<NamesFound> {
    const settings = SETTINGS[product.slug];
    if (settings === undefined) return { names: new Map(), warning: undefined };
    const list = this.#lists.get(settings) ?? {
      names: new Map(),
      at: undefined,
      failure: undefined,
      failingSince: undefined,
      operations: 0,
      every: USUAL_MS,
      products: new Set(),
      reading: Promise.resolve(),
    };
    this.#lists.set(settings, list);
    list.products.add(product);
    const nameOf = (id: string) => list.names.get(id) ?? asked.before.get(id);
    const isKnown = (id: string) => nameOf(id) !== undefined;
    const interval = () => (list.failure === undefined && asked.ids.every(isKnown) ? USUAL_MS : SOON_MS);
    const reading = list.reading
      .catch(() => undefined)
      .then(async () => {
        if (list.at === undefined || this.#clock.localNow() >= list.at + interval())
          await this.#renew(settings, list, () => asked.ids.some(isKnown), { read, signal });
      });
    list.reading = reading;
    await reading;
    list.every = interval();
    const names = new Map(
      asked.ids.map((id) => [id, nameOf(id) ?? ''] as const).filter(([, name]) => name !== ''),
    );
    const reason = names.size < asked.ids.length ? list.failure?.message : undefined;
    return { names, warning: reason && `${reason}: ids stand for names` };
  }

  /** Returns the mean number of operations for names per read of a product's list. @param intervalMs interval of the list */
  cost({ slug }: Product, intervalMs: number): number {
    const settings = SETTINGS[slug];
    const list = settings && this.#lists.get(settings);
    if (list === undefined) return 0;
    return (list.operations * Math.min(1, intervalMs / list.every)) / list.products.size;
  }

  async #renew(
    settings: CollectorName,
    list: SettingList,
    knowsAny: () => boolean,
    by: Reading,
  ): Promise<void> {
    const { reads, version } = COLLECTORS[settings];
    const [path = ''] = reads;
    const [, group] = path.split('/');
    const names = new Map<string, string>();
    let operations = 0;
    const ofSettings: Read = (resource, signal) => {
      operations += 1;
      return by.read(resource, signal, group);
    };
    try {
      for await (const page of readPages(ofSettings, { path, version }, by.signal))
        for (const item of page) {
          const { id, name } = row.safeParse(item).data ?? {};
          if (id !== undefined && name) names.set(id, name);
        }
      list.names = names;
      list.failure = undefined;
      list.failingSince = undefined;
    } catch (failure) {
      if (!(failure instanceof PlatformFailure)) throw failure;
      // The original object is reused, since it records which server answered.
      failure.message = `names of configurations (${path}): ${failure.message}`;
      list.failingSince ??= this.#clock.localNow();
      const mayPass = !REFUSED.includes(failure.outcome);
      const waits = this.#clock.localNow() < list.failingSince + this.#waitMs;
      if (mayPass && waits && list.at === undefined && !knowsAny()) throw failure;
      list.failure = failure;
    } finally {
      list.operations = operations;
    }
    list.at = this.#clock.localNow();
  }
}

interface Reading {
  readonly read: Read;
  readonly signal: AbortSignal;
}
