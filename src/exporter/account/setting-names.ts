import { z } from 'zod';
import type { Product } from '../catalogue/products.ts';
import { COLLECTORS, type CollectorName } from '../collectors.ts';
import { readPages } from '../platform/pages.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { isPassing, PlatformFailure, type Read } from '../platform/read.ts';
import { identifier, text } from '../settings/setting-series.ts';
import { MINUTE_MS } from '../settling/window.ts';

/** Names by id. */
type Names = ReadonlyMap<string, string>;

/** Of which settings the configurations of a product are: their ids are the same. */
const SETTINGS: Readonly<Record<string, CollectorName>> = {
  content_delivery: 'edge_applications',
  edge_applications: 'edge_applications',
  edge_functions: 'edge_functions',
  image_optimization: 'edge_applications',
  image_processor: 'edge_applications',
  intelligent_dns: 'hosted_zones',
  l2_caching: 'edge_applications',
};

/** Products are listed one after the other: within this time (ms) they share what was read. */
const SHARED_MS = 5 * MINUTE_MS;

/** So long (ms) configurations wait for names that cannot be read for now: their series would change their labels. */
const LONGEST_WAIT_MS = 5 * MINUTE_MS;

const row = z.object({ id: identifier, name: text });

interface Known {
  readonly names: Names | undefined;
  /** When they were read (local ms), or when reading them failed first. */
  readonly at: number;
}

/** Names of configurations for a source that knows ids alone: those of the settings that have these ids. */
export class SettingNames {
  readonly #origin: string;
  readonly #clock: PlatformClock;
  readonly #known = new Map<CollectorName, Known>();
  /** The last read of each, so that no two are under way. */
  readonly #reading = new Map<CollectorName, Promise<unknown>>();

  constructor(apiUrl: string, clock: PlatformClock) {
    this.#origin = new URL(apiUrl).origin;
    this.#clock = clock;
  }

  /**
   * The names of a product's configurations; those read before where they cannot be read, none where the platform refuses.
   * @throws PlatformFailure where they may soon be read, and never were
   */
  async of({ slug }: Product, read: Read, signal: AbortSignal): Promise<Names> {
    const settings = SETTINGS[slug];
    if (settings === undefined) return new Map();
    const before = this.#reading.get(settings);
    const reading = Promise.resolve(before?.catch(() => undefined)).then(() =>
      this.#namesIn(settings, read, signal),
    );
    this.#reading.set(settings, reading);
    return reading;
  }

  async #namesIn(settings: CollectorName, read: Read, signal: AbortSignal): Promise<Names> {
    const known = this.#known.get(settings);
    if (known?.names !== undefined && this.#clock.localNow() < known.at + SHARED_MS) return known.names;
    try {
      const names = await this.#read(settings, read, signal);
      this.#known.set(settings, { names, at: this.#clock.localNow() });
      return names;
    } catch (failure) {
      if (!(failure instanceof PlatformFailure)) throw failure;
      if (known?.names !== undefined) return known.names;
      const { at } = known ?? { at: this.#clock.localNow() };
      this.#known.set(settings, { names: undefined, at });
      if (isPassing(failure.outcome) && this.#clock.localNow() < at + LONGEST_WAIT_MS) throw failure;
      return new Map();
    }
  }

  async #read(settings: CollectorName, read: Read, signal: AbortSignal): Promise<Names> {
    const { reads, version } = COLLECTORS[settings];
    const [path = ''] = reads;
    const [, group] = path.split('/');
    const names = new Map<string, string>();
    const ofSettings: Read = (resource, within) => read(resource, within, group);
    for await (const page of readPages(ofSettings, { path, version, origin: this.#origin }, signal))
      for (const item of page) {
        const { id, name } = row.safeParse(item).data ?? {};
        if (id !== undefined && name) names.set(id, name);
      }
    return names;
  }
}
