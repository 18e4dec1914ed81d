import { ago } from './promql.ts';
import type { RecordingRule } from './rule.ts';
import type { Times } from './thresholds.ts';

/** The API metrics that alerts are made of. Others may rightly be older. */
const WATCHED = 'waf|status_code|requests|cdn_requests';

export const DATA_AGE = 'configuration:edge_data_age_seconds:max';
export const STALE_CONFIGURATIONS = 'product:edge_stale_configurations:count';

const CONFIGURATION = 'account, product, configuration';

/**
 * Age of the oldest of the data that alerts are made of, per configuration, and how many configurations have data
 * that is stale. The exporter withdraws what is too old, so a configuration that still exists and had data is stale too.
 */
export function freshnessRules({ hour, day, staleData }: Times): readonly RecordingRule[] {
  const before = [hour, day].map((time) => ago(DATA_AGE, time)).join(' or ');
  const old = `${DATA_AGE} > ${staleData / 1_000}`;
  const gone = `((${before}) and on (${CONFIGURATION}) edge_configuration_info) unless ${DATA_AGE}`;
  return [
    {
      record: DATA_AGE,
      expr: `time() - min by (${CONFIGURATION}) (edge_last_bucket_timestamp_seconds{metric=~"${WATCHED}"})`,
    },
    { record: STALE_CONFIGURATIONS, expr: `count by (account, product) (\n  ${old}\n  or\n  ${gone}\n)` },
  ];
}
