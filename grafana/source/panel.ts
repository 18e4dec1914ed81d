import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import type { DataSourceRef } from '@grafana/grafana-foundation-sdk/common';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';

/** Every query asks the data source that the reader chose. */
export const DATASOURCE: DataSourceRef = { type: 'prometheus', uid: '$datasource' };

/** A query, with the legend of its series (`{{label}}` for labels). */
export interface Query {
  readonly expr: string;
  readonly legend?: string;
}

/** Common properties of panels. The description explains content, unit and meaning. */
export interface About {
  readonly title: string;
  readonly description: string;
  /** An id of Grafana's units. Default: a number, of a chart per minute. */
  readonly unit?: string;
}

/** Kind of query: over the time range, or for now. */
export type Asking = 'range' | 'now' | 'now, as a table';

/** The queries of a panel, lettered A, B, C… */
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
