import type { UnitOverrides } from '../catalogue/units.ts';
import type { SeriesAsked } from '../series/series-source.ts';
import { type Column, columnOf } from './dataset-rows.ts';
import { fieldsOf, type MetricFields, type Split } from './fields.ts';
import type { KnownFields } from './known-fields.ts';

/** Assumed rows in a bucket per key until responses show them: for breakdowns into any values, and into known parts. */
const ASSUMED_OPEN = 10;
const ASSUMED_SPLIT = 4;

/** Rows that a question about a dataset requests. */
export interface RowsAsked {
  readonly dataset: string;
  /** Field that groups rows of one time; undefined for the sum of all. */
  readonly key: string | undefined;
  readonly summed: string | undefined;
  /** Field that breaks down the rows of a time and key further. */
  readonly split: Split | undefined;
}

/** Part of a metric that one question about a dataset covers. Thousands of targets share it. */
export class MetricPart {
  readonly asked: RowsAsked;
  /** Text that is equal for parts that can share a question. */
  readonly signature: string;
  readonly columns: readonly Column[];
  /** Fields that a question selects for this part. */
  readonly selects: readonly string[];
  readonly assumedPerKey: number;
  readonly #schema: KnownFields;
  /** Available columns and their dimensions, cached for a version of the schema. */
  #served: { version: number; columns: readonly Column[]; dimensions: ReadonlySet<string> } | undefined;

  /** @param isWhole true for the sum of all keys */
  constructor(fields: MetricFields, columns: readonly Column[], isWhole: boolean, schema: KnownFields) {
    const { dataset, key, summed, split } = fields;
    this.columns = columns;
    this.asked = { dataset, key: isWhole ? undefined : key, summed, split };
    this.signature = [dataset, isWhole ? '' : key, summed, split?.by].join();
    // A sum is one field of the response, whatever its breakdown.
    const isOne = summed !== undefined && columns.length > 0;
    this.selects = isOne ? ['sum'] : [...new Set(columns.flatMap((column) => column.fields))];
    this.assumedPerKey = split === undefined ? 1 : split.isOpen === true ? ASSUMED_OPEN : ASSUMED_SPLIT;
    this.#schema = schema;
  }

  /** True if the breakdown may have any values. */
  get isOpen(): boolean {
    return this.asked.split?.isOpen === true;
  }

  /** Columns whose fields are all available in the account. */
  get served(): readonly Column[] {
    return this.#known.columns;
  }

  /** Dimensions of the available columns. */
  get dimensions(): ReadonlySet<string> {
    return this.#known.dimensions;
  }

  get #known() {
    const { version } = this.#schema;
    if (this.#served?.version === version) return this.#served;
    const { dataset } = this.asked;
    const lacks = (field: string) => this.#schema.lacks(dataset, field);
    const isOut = this.#schema.lacksDataset(dataset) || this.#isRefused || this.#grouping.some(lacks);
    const isServed = ({ fields }: Column) => this.asked.split !== undefined || !fields.some(lacks);
    const columns = isOut ? [] : this.columns.filter(isServed);
    const dimensions = new Set(columns.map(({ dimension }) => dimension));
    this.#served = { version, columns, dimensions };
    return this.#served;
  }

  get #grouping(): readonly string[] {
    const { split } = this.asked;
    return split === undefined ? [] : [split.by];
  }

  /** Name of the part's sum and grouping, under which a refusal of the whole part is recorded. */
  get #sum(): string {
    return [this.asked.summed, ...this.#grouping].join(' by ');
  }

  get #isRefused(): boolean {
    return this.#schema.refuses(this.asked.dataset, this.#sum);
  }

  /** Records that the platform refuses this question although it answers others. */
  refused(): void {
    this.#schema.lack(this.asked.dataset, [this.#sum]);
  }

  /** Returns the needed fields that the account's dataset lacks. */
  missing(): string[] {
    const { dataset, summed } = this.asked;
    const needed = summed === undefined ? this.columns.flatMap(({ fields }) => fields) : [];
    const absent = [...this.#grouping, ...needed].filter((field) => this.#schema.lacks(dataset, field));
    if (this.#isRefused) absent.push(this.#sum);
    return absent;
  }
}

/** Returns the parts of a metric, each with its selected dimensions. */
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
