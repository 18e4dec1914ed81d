import type { z } from 'zod';
import type { Labels } from '../catalogue/family.ts';
import type { Product } from '../catalogue/products.ts';
import type { Resource } from '../platform/read.ts';
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

/** One kind of settings: where it is read, which fields are used, and what is shown of them. */
export interface SettingsDeclaration<Listed extends Item, Detailed extends object> {
  readonly about: string;
  readonly schedule: string;
  readonly section: string;
  readonly version: Resource['version'];
  readonly permission: string;
  /** How much its freshness matters (`src/catalogue/metric-weights.ts`); 0.1 unless told. */
  readonly weight?: number;
  /** The kind in the names of its metrics: `edge_<kind>_…`. */
  readonly kind: string;
  /** The plural, in words. */
  readonly things: string;
  /** The path of the list, or where the ids of the items come from. */
  readonly list: string | ConfigurationIds;
  /** Items that the list does not show. */
  readonly unlisted?: readonly string[];
  /** The fields used of a row of the list. */
  readonly row: z.ZodType<Listed>;
  readonly details?: Details<Detailed>;
  /** The labels that all of an item's series have; by name `<kind>_id` and `<kind>` unless told. */
  readonly labels?: (item: Item) => Labels;
  readonly series: readonly SettingSeries<Listed & Partial<Detailed>>[];
  /** Fields that may differ without anything having been set: who changed it and when, how often it is used. */
  readonly unwatched?: readonly Extract<keyof (Listed & Detailed), string>[];
}
