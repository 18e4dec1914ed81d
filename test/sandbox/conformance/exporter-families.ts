import { describeCatalogue } from '../../reference/catalogue-table.ts';

/** The exporter's families for an API metric; those of whole products begin with `edge_product_` instead. */
export function familiesOfMetric(metric: string): string[] {
  const rows = describeCatalogue().filter((row) => row.metric === metric);
  return [...new Set(rows.flatMap(({ gauge, counter }) => (counter ? [gauge, counter] : [gauge])))];
}
