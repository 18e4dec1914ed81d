import type { Labels } from '../catalogue/family.ts';
import type { Product } from '../catalogue/products.ts';

/** Something whose series are read as one: a configuration of a product, or a product as a whole. */
export interface Target {
  readonly account: string;
  readonly product: Product;
  readonly by: 'configuration' | 'product';
  /** The id as it stands in the path and in the answer: the configuration's, one of its domains', or the product's. */
  readonly id: string;
  /** The configuration's name; empty for a product. */
  readonly name: string;
}

/** The labels that every series of a target carries. */
export function targetLabels({ account, product, by, id, name }: Target): Labels {
  const common = { account, product: product.slug };
  return by === 'product' ? common : { ...common, configuration_id: id, configuration: name };
}
