import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import type { DataSourceRef } from '@grafana/grafana-foundation-sdk/common';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';

/** Reference to the data source that the reader selects. */
export const DATASOURCE: DataSourceRef = { type: 'prometheus', uid: '$datasource' };

/** Query with the legend of its series (`{{label}}` inserts a label). */
export interface Query {
  readonly expr: string;
  readonly legend?: string;
}

/** Properties that all panels share. The description explains content, unit and meaning. */
export interface About {
  readonly title: string;
  readonly description: string;
  /** Id of a Grafana unit; undefined: a plain number, in charts a number per minute. */
  readonly unit?: string;
}

/** Kind of query: over the time range, or instant, for a figure or a table. */
export type Asking = 'range' | 'now' | 'now, as a table';

/** Returns the queries of a panel with the ids A, B, C and so on. */
export function targets(queries: readonly Query[], asking: Asking): Builder<Dataquery>[] {
  return queries.map(({ expr, legend = '' }, index) => {
    const query = new DataqueryBuilder()
      .refId(String.fromCharCode(65 + index))
      .datasource(DATASOURCE)
      .expr(expr)
      .legendFormat(legend);
    if (asking === 'range') return query.range();
    return query.instant().format(asking === 'now' ? PromQueryFormat.TimeSeries : PromQueryFormat.Table);
  });
}
