import type { Labels } from '../catalogue/family.ts';
import type { Product } from '../catalogue/products.ts';
import type { Store } from '../exposition/store.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Job } from '../schedule/job.ts';
import type { Configuration } from '../series/discovery.ts';
import type { State } from '../state/state.ts';

/** What a collector of settings is given to make its jobs. */
export interface CollectorContext {
  readonly account: string;
  /** The account's origin, which page links must not leave. */
  readonly origin: string;
  /** Cron pattern of its reads. */
  readonly schedule: string;
  /** The configurations of a product that the collector needs, as discovered. */
  configurations(product: Product): readonly Configuration[];
  readonly store: Store;
  readonly state: State;
  readonly platformClock: PlatformClock;
  /** Until when (local ms) what is published now may be shown without being renewed. */
  readonly freshUntil: () => number;
}

/** A part of the platform's settings that is exported. Adding one takes a file in `collectors/` and a line in `collectors.ts`. */
export interface Collector {
  /** What it collects, in a line for the configuration's documentation. */
  readonly about: string;
  /** Cron pattern where the configuration names none. */
  readonly schedule: string;
  /** Where the specification describes it. */
  readonly section: string;
  /** The permission that the token's user needs (section 5). */
  readonly permission: string;
  /** Products whose lists of configurations it needs. */
  readonly needs?: readonly Product[];
  /** The jobs that read it. A job whose id and labels stay the same goes on when others come and go. */
  jobs(context: CollectorContext): readonly Job[];
}

/** The labels of an account, which precede all others. */
export function accountLabels(account: string, labels: Labels): Labels {
  return { account, ...labels };
}
