import type { z } from 'zod';
import type { Family, Labels } from '../catalogue/family.ts';
import type { Product } from '../catalogue/products.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Resource } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import type { AccountMemory, StateReader } from '../state/state.ts';
import type { Configuration } from '../targets/configuration-list.ts';
import type { SettingSeries } from './setting-series.ts';

/** What every item of a list has. */
export interface Item {
  readonly id: string;
  readonly name?: string | null | undefined;
}

/** A read of one item by itself. */
export interface DetailRead {
  /** With `:id` in the place of the item's. */
  readonly path: string;
  /** The field that the items go into, where the answer is a list; otherwise the answer's own fields are taken. */
  readonly listAs?: string;
}

/** What is read of each item by itself, in turns. */
export interface Details<Detailed> {
  /** The first reads the item itself; what the further ones bring may be missing. */
  readonly reads: readonly DetailRead[];
  readonly fields: z.ZodType<Detailed>;
}

/** Items that are configurations; their ids come from the first list that can be read. */
export interface ConfigurationIds {
  /** Products whose configurations they may be, the likeliest first: where a list is not available, the next is read. */
  readonly products: readonly Product[];
  /** The list to be read where none of these is available. */
  readonly otherwise: {
    readonly path: string;
    readonly version: Resource['version'];
    readonly permission: string;
  };
}

/** What there is to say of one kind of settings. */
interface SettingsFacts {
  /** What is collected, in a line for the configuration's documentation. */
  readonly about: string;
  /** The plural of what is collected, in words. */
  readonly things: string;
  /** Cron pattern where the configuration names none. */
  readonly schedule: string;
  /** Where the specification describes it. */
  readonly section: string;
  /** The version of the API that is read (section 9). */
  readonly version: Resource['version'];
  /** The permission that the token's user needs (section 5). */
  readonly permission: string;
}

/** One kind of settings: where it is read, which fields are used, and what is shown of them. */
export interface SettingsDeclaration<Listed extends Item, Detailed extends object> extends SettingsFacts {
  /** How much its freshness matters (`weightOf` in `src/exporter/catalogue/known-metrics.ts`); 0.1 by default. */
  readonly weight?: number;
  /** The kind in the names of its metrics: `edge_<kind>_…`. */
  readonly kind: string;
  /** The path of the list, or where the ids of the items come from. */
  readonly list: string | ConfigurationIds;
  /** Items that the list does not show. */
  readonly unlisted?: readonly string[];
  /** The fields used of a row of the list. */
  readonly row: z.ZodType<Listed>;
  readonly details?: Details<Detailed>;
  /** The labels that all of an item's series have; by name `<kind>_id` and `<kind>` by default. */
  readonly labels?: (item: Item) => Labels;
  readonly series: readonly SettingSeries<Listed & Partial<Detailed>>[];
  /** Fields that may differ without anything having been set: who changed it and when, how often it is used. */
  readonly unwatched?: readonly Extract<keyof (Listed & Detailed), string>[];
}

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
  readonly state: StateReader;
  readonly memory: Pick<AccountMemory, 'of'>;
  readonly platformClock: PlatformClock;
}

/** A part of the platform's settings that is exported. Adding one takes a file in `collectors/` and a line in `collectors.ts`. */
export interface Collector extends SettingsFacts {
  /** One of these permissions is needed as well, to list what there is to read; empty where its own suffices. */
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
