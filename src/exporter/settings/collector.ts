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
 * Fields of settings as the platform returns them. All but the id may be missing or null, since some answers lack them.
 * A field of another type than documented invalidates its row.
 */

/** Id: an integer, or occasionally the same as text. */
export const identifier = z.union([z.int(), z.string().min(1).max(200)]).transform(String);

export const text = z.string().transform(beginningOf).nullish();

export const flag = z.boolean().nullish();

export const amount = z.number().nonnegative().nullish();

/** Id of another setting, for joins. */
export const reference = identifier.nullish();

/** Value that is only compared, never exposed; reduced to a digest at once. */
export const content = z
  .unknown()
  .optional()
  .transform((value) => (value === undefined ? undefined : digest(value)));

/** Value like {@link content}, for a field whose absence means empty. */
export const optionalContent = z
  .unknown()
  .optional()
  .transform((value) => digest(value ?? null));

/** List of arbitrary items. */
export const items = z.array(z.unknown()).nullish();

/** Items that are only counted and compared, never exposed. Their order is irrelevant. */
export const members = items.transform(membersOf);

/** Returns the distinct texts of a list; items of other types are left out. */
export function texts(items: readonly unknown[] | null | undefined): readonly string[] {
  return [...new Set((items ?? []).filter((item) => typeof item === 'string').map(beginningOf))];
}

/** Number of members, and their digest. */
export interface Members {
  readonly count: number;
  readonly content: string;
}

/** Counts items and digests them, independent of their order. */
export function gather(items: readonly unknown[]): Members {
  return { count: items.length, content: digest(items.map(digest).sort()) };
}

/** Returns the number and digest of a list's items, for lists that are also exposed; undefined without a list. */
export function membersOf(items: readonly unknown[] | null | undefined): Members | undefined {
  return items === null || items === undefined ? undefined : gather(items);
}

/** Characters of a digest: 96 bits, which suffice against collisions within an account. */
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

/** Family of a setting, and a function of its samples, with labels besides those of the setting. */
export interface SettingSeries<Row> {
  readonly family: Family;
  values(row: Row): readonly { readonly labels?: Labels; readonly value: number }[];
}

type Maybe<Value> = Value | null | undefined;

/** Names of the fields of a row that have a value of this type, or none. */
type FieldOf<Row, Value> = {
  [Field in keyof Row]-?: [Row[Field]] extends [Maybe<Value>] ? Field : never;
}[keyof Row];

/** Field of a row, or a function that computes the value from the row. */
type Of<Row, Value> = FieldOf<Row, Value> | ((row: Row) => Maybe<Value>);

/** Returns constructors for the series of settings. @param api name of the API, which completes help texts */
export function seriesOf<Row>(api: string) {
  const read = <Value>(row: Row, of: Of<Row, Value>): Maybe<Value> =>
    // `FieldOf` excludes fields of other types, which the compiler cannot infer.
    typeof of === 'function' ? of(row) : (row[of] as Maybe<Value>);
  const series = (name: string, help: string, values: SettingSeries<Row>['values']): SettingSeries<Row> => ({
    family: { name, type: 'gauge', help: `${help} API: ${api}.` },
    values,
  });
  /** Creates a family of a number; no sample if the platform does not return it. */
  const measured = (name: string, help: string, of: Of<Row, number>) =>
    series(name, help, (row) => {
      const value = read(row, of);
      return value === null || value === undefined ? [] : [{ value }];
    });
  /** Creates a family of a Unix time; no sample without a valid time. */
  const timed = (name: string, help: string, of: Of<Row, string>) =>
    measured(name, help, (row) => {
      const ms = parseTimestamp(read(row, of) ?? '');
      return ms === undefined ? undefined : ms / 1_000;
    });
  /** Creates a family with one sample of value 1 for each set of labels. */
  const related = (name: string, help: string, of: (row: Row) => readonly Labels[]) =>
    series(name, help, (row) => of(row).map((labels) => ({ labels, value: 1 })));
  return {
    measured,
    timed,
    related,
    /** Creates a family of value 1 with fields as labels. A label that the platform does not return is empty. */
    info: (name: string, help: string, fields: Readonly<Record<string, FieldOf<Row, string>>>) =>
      related(name, help, (row) => [
        Object.fromEntries(Object.entries(fields).map(([label, field]) => [label, read(row, field) ?? ''])),
      ]),
    /** Creates a family that is 1 if a condition is true, else 0. */
    switched: (name: string, condition: string, of: Of<Row, boolean>, note = '') =>
      measured(name, `1 if ${condition}, else 0.${note}`, (row) => {
        const on = read(row, of);
        return on === null || on === undefined ? undefined : Number(on);
      }),
    /** Creates a family of the number of a list's members. */
    counted: (name: string, help: string, of: FieldOf<Row, Members>) =>
      measured(name, help, (row) => read<Members>(row, of)?.count),
    /** Creates a family of numbers by a label. */
    measuredBy: (
      name: string,
      help: string,
      label: string,
      of: (row: Row) => Maybe<Iterable<readonly [string, number]>>,
    ) =>
      series(name, help, (row) =>
        [...(of(row) ?? [])].map(([key, value]) => ({ labels: { [label]: key }, value })),
      ),
    /** Creates a family of the time of a setting's last modification; no sample without a valid time. */
    modified: (kind: string, thing: string, of: FieldOf<Row, string>) =>
      timed(
        `edge_${kind}_modified_timestamp_seconds`,
        `Last modification of ${thing} according to the platform, as a Unix time.`,
        of,
      ),
    /** Creates a family of the author of the last change; no sample if the platform does not name one. */
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
  /** Path, with `:id` in place of the item's id. */
  readonly path: string;
  /** Name of the field for a list answer; undefined if the answer is an object with fields. */
  readonly listAs?: string;
}

/** Reads of single items, in turns. */
export interface Details<Detailed> {
  /** Reads of an item: the first reads the item itself; results of the others may be missing. */
  readonly reads: readonly DetailRead[];
  readonly fields: z.ZodType<Detailed>;
}

/** Source of ids for items that are configurations. The first readable list supplies the ids. */
export interface ConfigurationIds {
  /** Products whose configurations the items may be, the likeliest first. If a list is not available, the next is read. */
  readonly products: readonly Product[];
  /** List to read if no product's list is available. */
  readonly otherwise: {
    readonly path: string;
    readonly version: Resource['version'];
    readonly permission: string;
  };
}

/** Description of one kind of settings. */
interface SettingsFacts {
  /** One-line description for the documentation of the configuration. */
  readonly about: string;
  /** Plural name of the settings. */
  readonly things: string;
  /** Default cron pattern. */
  readonly schedule: string;
  /** Section of the specification. */
  readonly section: string;
  /** Version of the API (section 9). */
  readonly version: Resource['version'];
  /** Permission that the token's user needs (section 5). */
  readonly permission: string;
}

/** Declaration of one kind of settings: its path, fields and series. */
export interface SettingsDeclaration<Listed extends Item, Detailed extends object> extends SettingsFacts {
  /** Weight of its freshness (`weightOf` in `src/exporter/catalogue/known-metrics.ts`). Default: 0.1. */
  readonly weight?: number;
  /** Kind in the names of its metrics: `edge_<kind>_…`. */
  readonly kind: string;
  /** Path of the list, or the source of the items' ids. */
  readonly list: string | ConfigurationIds;
  /** Ids of items that the list omits. */
  readonly unlisted?: readonly string[];
  /** Schema of the used fields of a row of the list. */
  readonly row: z.ZodType<Listed>;
  readonly details?: Details<Detailed>;
  /** Returns the labels of all series of an item; default: `<kind>_id` and `<kind>`. */
  readonly labels?: (item: Item) => Labels;
  readonly series: readonly SettingSeries<Listed & Partial<Detailed>>[];
  /** Fields that may change without a change of the setting: editor, time, number of uses. */
  readonly unwatched?: readonly Extract<keyof (Listed & Detailed), string>[];
}

/** Input from which a collector makes its jobs. */
export interface CollectorContext {
  readonly account: string;
  /** Name of the collector in the configuration. */
  readonly collector: string;
  /** Cron pattern of its reads. */
  readonly schedule: string;
  /** Ids in the configuration that replace any list; empty if there are none. */
  readonly named: readonly string[];
  /** Returns the discovered configurations of a product; undefined until they are discovered. */
  configurations(product: Product): readonly Configuration[] | undefined;
  /** Returns true if the list of a product's configurations has not been tried yet. */
  isPending(product: Product): boolean;
  /** State with the settings. */
  readonly state: StateReader;
  readonly memory: Pick<AccountMemory, 'of'>;
  readonly platformClock: PlatformClock;
  readonly access?: Access | undefined;
}

/** Collector of one part of the platform's settings. A new one takes a file in `collectors/` and a line in `collectors.ts`. */
export interface Collector extends SettingsFacts {
  /** Permissions to list the ids, of which one is needed; empty if the collector's own permission suffices. */
  readonly listPermissions: readonly string[];
  /** Paths that it reads. */
  readonly reads: readonly string[];
  /** Cost of a read, as a phrase. */
  readonly operations: string;
  /** All families that it can expose. */
  readonly families: readonly Family[];
  /** Names of the common labels of its families, besides the account's. */
  readonly labels: readonly string[];
  /** Products whose lists of configurations can supply the ids, the likeliest first. One list is needed. */
  readonly needs: readonly Product[];
  /** True if the configuration may list the ids to read. */
  readonly takesIds: boolean;
  /** Returns the jobs that read the settings. A job with the same id and labels as before continues. */
  jobs(context: CollectorContext): readonly Job[];
}
