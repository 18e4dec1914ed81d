import type { UnitOverrides } from '../catalogue/units.ts';
import type { SeriesAsked } from '../series/series-source.ts';
import type { RowsAsked } from './dataset-reading.ts';
import { type Column, columnOf } from './dataset-rows.ts';
import { fieldsOf, type MetricFields } from './fields.ts';
import type { KnownFields } from './known-fields.ts';

/** Rows in a bucket for each key that are assumed until answers show them: with a breakdown into any values, and into known parts. */
const ASSUMED_OPEN = 10;
const ASSUMED_SPLIT = 4;

/** Part of a metric that one question about a dataset brings. It is the same for thousands of targets. */
export class MetricPart {
  readonly fields: MetricFields;
  readonly asked: RowsAsked;
  /** Equal for parts whose questions can be one. */
  readonly signature: string;
  readonly columns: readonly Column[];
  /** Fields that a question selects for it. */
  readonly selects: readonly string[];
  readonly assumedPerKey: number;
  readonly #schema: KnownFields;
  #known:
    | {
        readonly by: KnownFields['known'];
        readonly served: readonly Column[];
        readonly dimensions: ReadonlySet<string>;
      }
    | undefined;

  /** @param isWhole true for the sum of all keys */
  constructor(fields: MetricFields, columns: readonly Column[], isWhole: boolean, schema: KnownFields) {
    const { dataset, key, summed, split } = fields;
    this.fields = fields;
    this.columns = columns;
    this.asked = { dataset, key: isWhole ? undefined : key, summed, split };
    this.signature = [dataset, isWhole ? '' : key, summed, split?.by].join();
    // A sum comes as one field, however it is broken down.
    const isOne = summed !== undefined && columns.length > 0;
    this.selects = isOne ? ['sum'] : [...new Set(columns.flatMap((column) => column.fields))];
    this.assumedPerKey = split === undefined ? 1 : split.isOpen === true ? ASSUMED_OPEN : ASSUMED_SPLIT;
    this.#schema = schema;
  }

  /** True if its values are whatever the platform names. */
  get isOpen(): boolean {
    return this.fields.split?.isOpen === true;
  }

  /** Columns of which the account has all fields. */
  get served(): readonly Column[] {
    return this.#now.served;
  }

  /** Dimensions of these columns. */
  get dimensions(): ReadonlySet<string> {
    return this.#now.dimensions;
  }

  /** Looked up once more when more is known of the fields. */
  get #now() {
    const by = this.#schema.known;
    if (this.#known?.by === by) return this.#known;
    const served = this.#served();
    this.#known = { by, served, dimensions: new Set(served.map(({ dimension }) => dimension)) };
    return this.#known;
  }

  #served(): readonly Column[] {
    const { dataset, summed, split } = this.fields;
    const schema = this.#schema;
    if (schema.lacksDataset(dataset) || schema.refuses(dataset, summed)) return [];
    if (split !== undefined) return schema.lacks(dataset, split.by) ? [] : this.columns;
    return this.columns.filter(({ fields }) => fields.every((field) => !schema.lacks(dataset, field)));
  }

  /** Fields that it needs and that the account does not have, as `dataset.field`. */
  missing(): string[] {
    const { dataset, summed, split } = this.fields;
    const schema = this.#schema;
    const needed = summed === undefined ? this.columns.flatMap(({ fields }) => fields) : [];
    const absent = [...(split === undefined ? [] : [split.by]), ...needed].filter((field) =>
      schema.isAbsent(dataset, field),
    );
    // A measure that can be summed need not be a field of the rows.
    if (summed !== undefined && schema.isRefused(dataset, summed)) absent.push(summed);
    return absent.map((field) => `${dataset}.${field}`);
  }
}

/** Returns the parts of a metric, each with the dimensions that are wanted. */
export function partsOf(
  { target, metric, wants }: SeriesAsked,
  units: UnitOverrides,
  schema: KnownFields,
): MetricPart[] {
  return fieldsOf(target.product, metric).map((fields) => {
    const wanted = [...fields.dimensions].filter(
      ([dimension]) => fields.split?.isOpen === true || wants(dimension),
    );
    const columns = wanted.map(([dimension, given]) => columnOf(target, metric, dimension, given, units));
    return new MetricPart(fields, columns, target.by === 'product', schema);
  });
}
