import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Family, Labels } from '../catalogue/family.ts';
import type { Product } from '../catalogue/products.ts';
import { type PlatformClock, parseTimestamp } from '../platform/platform-clock.ts';
import type { Resource } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import type { Access } from '../poll/refusals.ts';
import type { AccountMemory } from '../state/account-memory.ts';
import type { StateReader } from '../state/state.ts';
import type { Configuration } from '../targets/configuration-list.ts';
import { beginningOf } from '../text/received.ts';

/*
 * Fields of settings as the platform gives them. All but the id may be missing or null, since answers were seen without
 * and later ones bring more; one of another kind than documented makes its row a bad one.
 */

/** An id: an integer, now and then the same as text. */
export const identifier = z.union([z.int(), z.string().min(1).max(200)]).transform(String);

export const text = z.string().transform(beginningOf).nullish();

export const flag = z.boolean().nullish();

export const amount = z.number().nonnegative().nullish();

/** Id of another setting, for joins. */
export const reference = identifier.nullish();

/** Value that is never shown, only compared; reduced to a digest at once. */
export const content = z
  .unknown()
  .optional()
  .transform((value) => (value === undefined ? undefined : digest(value)));

/** The same for a field whose absence means empty. */
export const optionalContent = z
  .unknown()
  .optional()
  .transform((value) => digest(value ?? null));

/** List of arbitrary items. */
export const items = z.array(z.unknown()).nullish();

/** Items that are never shown, only counted and found to have changed. Their order means nothing. */
export const members = items.transform(membersOf);

/** Returns the texts of a list, each once; other items have no name to show. */
export function texts(items: readonly unknown[] | null | undefined): readonly string[] {
  return [...new Set((items ?? []).filter((item) => typeof item === 'string').map(beginningOf))];
}

/** Number and digest of all members. */
export interface Members {
  readonly count: number;
  readonly content: string;
}

/** Counts items and digests them, independent of their order. */
export function gather(items: readonly unknown[]): Members {
  return { count: items.length, content: digest(items.map(digest).sort()) };
}

/** The same for items that are shown as well. */
export function membersOf(items: readonly unknown[] | null | undefined): Members | undefined {
  return items === null || items === undefined ? undefined : gather(items);
}

/** 96 bits: no collisions within an account. */
const DIGEST_LENGTH = 16;

/** Returns the digest of a JSON value, independent of the order of an object's fields. */
export function digest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64url').slice(0, DIGEST_LENGTH);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join()}}`;
}

/** Family and its samples for a setting, with labels besides those of the setting. */
export interface SettingSeries<Row> {
  readonly family: Family;
  values(row: Row): readonly { readonly labels?: Labels; readonly value: number }[];
}

type Maybe<Value> = Value | null | undefined;

/** Fields of a row with such a value, which may be absent. */
type FieldOf<Row, Value> = {
  [Field in keyof Row]-?: [Row[Field]] extends [Maybe<Value>] ? Field : never;
}[keyof Row];

/** Field of a row, or a function that computes the value from the row. */
type Of<Row, Value> = FieldOf<Row, Value> | ((row: Row) => Maybe<Value>);

/** Returns the kinds of series of settings. `api` is the part of the API, which completes help texts. */
export function seriesOf<Row>(api: string) {
  const read = <Value>(row: Row, of: Of<Row, Value>): Maybe<Value> =>
    // `FieldOf` names no field of another type, which the compiler cannot see.
    typeof of === 'function' ? of(row) : (row[of] as Maybe<Value>);
  const series = (name: string, help: string, values: SettingSeries<Row>['values']): SettingSeries<Row> => ({
    family: { name, type: 'gauge', help: `${help} API: ${api}.` },
    values,
  });
  /** Family of a number; absent if the platform does not give it. */
  const measured = (name: string, help: string, of: Of<Row, number>) =>
    series(name, help, (row) => {
      const value = read(row, of);
      return value === null || value === undefined ? [] : [{ value }];
    });
  /** Family of a Unix time; absent without a valid time. */
  const timed = (name: string, help: string, of: Of<Row, string>) =>
    measured(name, help, (row) => {
      const ms = parseTimestamp(read(row, of) ?? '');
      return ms === undefined ? undefined : ms / 1_000;
    });
  /** One series of 1 for each of some sets of labels. */
  const related = (name: string, help: string, of: (row: Row) => readonly Labels[]) =>
    series(name, help, (row) => of(row).map((labels) => ({ labels, value: 1 })));
  return {
    measured,
    timed,
    related,
    /** Always 1, with fields as labels. A label that the platform does not give is empty. */
    info: (name: string, help: string, fields: Readonly<Record<string, FieldOf<Row, string>>>) =>
      related(name, help, (row) => [
        Object.fromEntries(Object.entries(fields).map(([label, field]) => [label, read(row, field) ?? ''])),
      ]),
    /** Family that is 1 if a condition holds, else 0. */
    switched: (name: string, condition: string, of: Of<Row, boolean>, note = '') =>
      measured(name, `1 if ${condition}, else 0.${note}`, (row) => {
        const on = read(row, of);
        return on === null || on === undefined ? undefined : Number(on);
      }),
    /** Family of the number of a list's members. */
    counted: (name: string, help: string, of: FieldOf<Row, Members>) =>
      measured(name, help, (row) => read<Members>(row, of)?.count),
    /** Family of numbers by a label. */
    measuredBy: (
      name: string,
      help: string,
      label: string,
      of: (row: Row) => Maybe<Iterable<readonly [string, number]>>,
    ) =>
      series(name, help, (row) =>
        [...(of(row) ?? [])].map(([key, value]) => ({ labels: { [label]: key }, value })),
      ),
    /** Family of the time of a setting's last modification; no sample without a valid time. */
    modified: (kind: string, thing: string, of: FieldOf<Row, string>) =>
      timed(
        `edge_${kind}_modified_timestamp_seconds`,
        `Last modification of ${thing} according to the platform, as a Unix time.`,
        of,
      ),
    /** Family of the author of the last change; no sample if the platform does not name one. */
    edited: (kind: string, thing: string, of: FieldOf<Row, string>) =>
      related(
        `edge_${kind}_last_editor_info`,
        `Author of the last change of ${thing} according to the platform, always 1.`,
        (row) => {
          const editor = read<string>(row, of);
          return editor ? [{ last_editor: editor }] : [];
        },
      ),
  };
}

/** Fields of every item of a list. */
export interface Item {
  readonly id: string;
  readonly name?: string | null | undefined;
}

/** Read of one item. */
export interface DetailRead {
  /** Path with `:id` in place of the item's. */
  readonly path: string;
  /** Field for the items if the answer is a list; otherwise the answer's own fields are taken. */
  readonly listAs?: string;
}

/** Reads of single items, in turns. */
export interface Details<Detailed> {
  /** Reads of an item: the first reads the item itself; results of the others may be missing. */
  readonly reads: readonly DetailRead[];
  readonly fields: z.ZodType<Detailed>;
}

/** Items that are configurations; their ids come from the first list that can be read. */
export interface ConfigurationIds {
  /** Products whose configurations they may be, the likeliest first. If a list is not available, the next is read. */
  readonly products: readonly Product[];
  /** List to read if none of these is available. */
  readonly otherwise: {
    readonly path: string;
    readonly version: Resource['version'];
    readonly permission: string;
  };
}

/** Description of one kind of settings. */
interface SettingsFacts {
  /** One line for the configuration's documentation. */
  readonly about: string;
  /** Plural name of the settings. */
  readonly things: string;
  /** Default cron pattern. */
  readonly schedule: string;
  /** Section of the specification. */
  readonly section: string;
  /** The version of the API that is read (section 9). */
  readonly version: Resource['version'];
  /** The permission that the token's user needs (section 5). */
  readonly permission: string;
}

/** One kind of settings: its path, fields and series. */
export interface SettingsDeclaration<Listed extends Item, Detailed extends object> extends SettingsFacts {
  /** Weight of its freshness (`weightOf` in `src/exporter/catalogue/known-metrics.ts`). Default: 0.1. */
  readonly weight?: number;
  /** The kind in the names of its metrics: `edge_<kind>_…`. */
  readonly kind: string;
  /** Path of the list, or the source of the items' ids. */
  readonly list: string | ConfigurationIds;
  /** Items that the list does not show. */
  readonly unlisted?: readonly string[];
  /** The fields used of a row of the list. */
  readonly row: z.ZodType<Listed>;
  readonly details?: Details<Detailed>;
  /** Labels of all of an item's series; default: `<kind>_id` and `<kind>`. */
  readonly labels?: (item: Item) => Labels;
  readonly series: readonly SettingSeries<Listed & Partial<Detailed>>[];
  /** Fields that change without a change of the setting: editor, time, number of uses. */
  readonly unwatched?: readonly Extract<keyof (Listed & Detailed), string>[];
}

/** Input from which a collector makes its jobs. */
export interface CollectorContext {
  readonly account: string;
  /** The collector's name in the configuration. */
  readonly collector: string;
  /** Cron pattern of its reads. */
  readonly schedule: string;
  /** Ids in the configuration that replace any list; empty without any. */
  readonly named: readonly string[];
  /** The configurations of a product that the collector needs, as discovered; undefined while they are not. */
  configurations(product: Product): readonly Configuration[] | undefined;
  /** Returns true if a product's configurations are still unknown. */
  isPending(product: Product): boolean;
  /** State with the settings. */
  readonly state: StateReader;
  readonly memory: Pick<AccountMemory, 'of'>;
  readonly platformClock: PlatformClock;
  readonly access?: Access | undefined;
}

/** A part of the platform's settings that is exported. Adding one takes a file in `collectors/` and a line in `collectors.ts`. */
export interface Collector extends SettingsFacts {
  /** Permissions of which one is also needed to list the ids; empty if its own suffices. */
  readonly listPermissions: readonly string[];
  /** Paths that it reads. */
  readonly reads: readonly string[];
  /** Cost of a read, in words. */
  readonly operations: string;
  /** All that it can show. */
  readonly families: readonly Family[];
  /** Names of the labels, besides the account's, that all of these have. */
  readonly labels: readonly string[];
  /** Products of whose lists of configurations it needs one, the likeliest first. */
  readonly needs: readonly Product[];
  /** True if the configuration may name the ids to read. */
  readonly takesIds: boolean;
  /** Returns the jobs that read it. A job whose id and labels stay the same continues when others come and go. */
  jobs(context: CollectorContext): readonly Job[];
}
