import type { Family, Labels } from '../catalogue/family.ts';
import type { Product } from '../catalogue/products.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Resource } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import type { StateReader } from '../state/state.ts';
import type { Configuration } from '../targets/configuration-list.ts';

/** What a collector of settings is given to make its jobs. */
export interface CollectorContext {
  readonly account: string;
  /** The account's origin, which page links must not leave. */
  readonly origin: string;
  /** The collector's name in the configuration. */
  readonly collector: string;
  /** Cron pattern of its reads. */
  readonly schedule: string;
  /** Ids that the configuration names in place of any list; empty where it names none. */
  readonly named: readonly string[];
  /** The configurations of a product that the collector needs, as discovered; undefined while they are not. */
  configurations(product: Product): readonly Configuration[] | undefined;
  /** Whether it is still to be found out which configurations a product has. */
  isPending(product: Product): boolean;
  /** What was remembered of settings. */
  readonly memory: StateReader;
  readonly platformClock: PlatformClock;
}

/** A part of the platform's settings that is exported. Adding one takes a file in `collectors/` and a line in `collectors.ts`. */
export interface Collector {
  /** What it collects, in a line for the configuration's documentation. */
  readonly about: string;
  /** The plural of what it collects, in words. */
  readonly things: string;
  /** Cron pattern where the configuration names none. */
  readonly schedule: string;
  /** Where the specification describes it. */
  readonly section: string;
  /** The version of the API that it reads (section 9). */
  readonly version: Resource['version'];
  /** The permission that the token's user needs (section 5). */
  readonly permission: string;
  /** Permissions of which one is needed besides, to list what there is to read; empty where its own suffices. */
  readonly listPermissions: readonly string[];
  /** Paths that it reads. */
  readonly reads: readonly string[];
  /** What a read costs, in words. */
  readonly operations: string;
  /** All that it can show. */
  readonly families: readonly Family[];
  /** Names of the labels, besides the account's, that all of these have. */
  readonly labels: readonly string[];
  /** Products of whose lists of configurations it needs one, the likeliest first. */
  readonly needs: readonly Product[];
  /** Whether the configuration may name the ids of what it reads. */
  readonly takesIds: boolean;
  /** The jobs that read it. A job whose id and labels stay the same goes on when others come and go. */
  jobs(context: CollectorContext): readonly Job[];
}

/** The labels of an account, which precede all others. */
export function accountLabels(account: string, labels: Labels): Labels {
  return { account, ...labels };
}
