import {
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  type VariableModel,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DATASOURCE } from './panel.ts';
import { ACCOUNT, EXPORTER, PRODUCT } from './query.ts';

/** Returns a variable for a label's values that exist in the time range. Its default is all values. */
function choice(name: string, label: string, series: string): VariableModel {
  return choiceOf(name, label, series).allValue('.+').build();
}

function choiceAmong(name: string, label: string, series: string): VariableModel {
  return choiceOf(name, label, series).build();
}

function choiceOf(name: string, label: string, series: string): QueryVariableBuilder {
  const query = `label_values(${series}, ${name})`;
  return new QueryVariableBuilder(name)
    .label(label)
    .datasource(DATASOURCE)
    .query({ query, refId: `Variable-${name}`, qryType: 1 })
    .definition(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.NaturalAsc)
    .multi(true)
    .includeAll(true)
    .current({ text: ['All'], value: ['$__all'] });
}

/** Variable for the data source: any Prometheus that Grafana has. */
export const DATASOURCE_CHOICE: VariableModel = new DatasourceVariableBuilder('datasource')
  .label('Data source')
  .type('prometheus')
  .build();

const DATA_UNTIL = 'edge_data_until_timestamp_seconds';

export const ACCOUNT_CHOICE = choice('account', 'Account', 'edge_up');
export const PRODUCT_CHOICE = choice('product', 'Product', `${DATA_UNTIL}{${ACCOUNT}}`);
export const CONFIGURATION_CHOICE = choice('configuration', 'Configuration', `${DATA_UNTIL}{${PRODUCT}}`);
export const JOB_CHOICE = choiceAmong('job', 'Job', 'edge_exporter_build_info');
export const INSTANCE_CHOICE = choiceAmong('instance', 'Instance', 'edge_exporter_build_info{job=~"$job"}');
export const EXPORTED_ACCOUNT_CHOICE = choice('account', 'Account', `edge_up{${EXPORTER}}`);
