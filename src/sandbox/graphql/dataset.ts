import type { Account } from '../account/platform-account.ts';
import { PRODUCTS, type Product } from '../account/served-products.ts';
import type { Span } from '../traffic/traffic.ts';
import type { Population, Unit } from './population.ts';

/** Value of a dimension; null if there is none. */
export type Value = string | number | null;

/** Properties of a source by name, such as its configuration and host. */
export type Facts = Readonly<Record<string, Value>>;

/** Dimension by which rows can be broken down. */
export interface Dimension {
  readonly type: 'String' | 'Int';
  /** Aspects of a unit that determine the dimension; empty if a source has one value. */
  readonly aspects: readonly string[];
  value(facts: Facts, unit: Unit): Value;
}

/** Quantity that `aggregate` sums, given per unit of a population. */
export interface Quantity {
  /** Name of the population. */
  readonly of: string;
  /** Aspects that determine the amount. */
  readonly aspects: readonly string[];
  each(unit: Unit, facts: Facts): number;
  /** Divisor of the sum, such as 1000 for seconds from ms, whose sums are exact; default: 1. */
  readonly per?: number;
}

/** Field calculated from the sums of a row. */
export interface Calculated {
  readonly quantities: readonly Quantity[];
  /** @param sums one sum per quantity @param seconds total duration of the row's buckets */
  value(sums: readonly number[], seconds: number): number;
}

/** A dataset of the metrics endpoint. */
export interface Dataset {
  /** Name of the dataset, followed by former names that still work. */
  readonly names: readonly [string, ...string[]];
  /** Product whose traffic the dataset contains. */
  readonly product: Product;
  /** True for datasets with shorter retention and without buckets of a minute. */
  readonly isCoarse?: true;
  readonly populations: readonly Population[];
  readonly dimensions: Readonly<Record<string, Dimension>>;
  /** Measures that `aggregate` sums, by name. */
  readonly measures: Readonly<Record<string, Quantity>>;
  readonly fields: Readonly<Record<string, Calculated>>;
  facts(account: Account, span: Span): Facts;
}

/** @throws RangeError for an unknown product */
export function productNamed(slug: string): Product {
  const product = PRODUCTS.find((candidate) => candidate.slug === slug);
  if (product === undefined) throw new RangeError(`no product ${slug}`);
  return product;
}

/** Returns a dimension of one aspect, with the spelling of each value. */
export function ofAspect(aspect: string, values: readonly Value[]): Dimension {
  const type = values.some((value) => typeof value === 'number') ? 'Int' : 'String';
  return { type, aspects: [aspect], value: (_, unit) => values[unit(aspect)] ?? null };
}

/** Returns dimensions that are the same for a whole source. */
export function factsNamed(...names: readonly string[]): Readonly<Record<string, Dimension>> {
  return Object.fromEntries(
    names.map((name) => [name, { type: 'String', aspects: [], value: (facts) => facts[name] ?? null }]),
  );
}

/** Returns a quantity with the same amount for each unit. */
export function each(of: string, amount = 1): Quantity {
  return { of, aspects: [], each: () => amount };
}

/** Returns a quantity with an amount only for units that have one of these values of an aspect. */
export function eachWith(
  population: Population,
  aspect: string,
  values: readonly string[],
  amount = 1,
): Quantity {
  const known = population.aspects.find(({ name }) => name === aspect)?.values ?? [];
  const counts = known.map((value) => (values.includes(value) ? amount : 0));
  return { of: population.name, aspects: [aspect], each: (unit) => counts[unit(aspect)] ?? 0 };
}

/** Returns a field with a sum. */
export function total(quantity: Quantity): Calculated {
  return { quantities: [quantity], value: ([sum = 0]) => sum / (quantity.per ?? 1) };
}

/** Returns a field with a quantity per second. @param factor factor of the result */
export function perSecond(quantity: Quantity, factor = 1): Calculated {
  return { quantities: [quantity], value: ([sum = 0], seconds) => (sum * factor) / seconds };
}

/** Returns a field with the share of a part in a whole, in percent; 0 if the whole is 0. */
export function percent(part: Quantity, whole: Quantity): Calculated {
  return {
    quantities: [part, whole],
    value: ([some = 0, all = 0]) => (all === 0 ? 0 : (100 * some) / all),
  };
}
