import { ago } from './promql.ts';
import type { Data, RecordingRule } from './rule.ts';
import type { Times } from './times.ts';
import type { Tuning } from './tuning.ts';

/** The API metrics that alerts are made of, by what alerts call them. Others may rightly be older. */
const WATCHED: Readonly<Record<Data, readonly string[]>> = {
  waf: ['waf'],
  status_code: ['status_code'],
  requests: ['requests', 'cdn_requests'],
};

const LABELS = 'account, product, configuration, metric';

/** Age of the newest data of a configuration and metric: seconds. */
export const DATA_AGE = 'configuration:edge_data_age_seconds:max';

/** The age of data that is stale; there only while it is. */
export const STALE_DATA = 'configuration:edge_data_age_seconds:stale';

/**
 * Age of the data that alerts are made of, and which of it is stale. The exporter withdraws what is too old, so the data
 * of a configuration that still exists and had data is stale too.
 */
export function freshnessRules({ hour, day }: Times, tuning: Tuning): readonly RecordingRule[] {
  const before = [hour, day].map((time) => ago(DATA_AGE, time)).join(' or ');
  const limit = staleLimit(tuning);
  const gone = `((${before}) and on (account, product, configuration) edge_configuration_info) unless ${DATA_AGE}`;
  return [
    {
      record: DATA_AGE,
      expr: `time() - min by (${LABELS}) (\n  ${Object.entries(WATCHED).map(lastBucket).join('\n  or\n  ')}\n)`,
    },
    { record: STALE_DATA, expr: `${DATA_AGE} > ${limit}\nor\n0 * (${gone}) + ${shortest(tuning)}` },
  ];
}

/** The age at which data is stale. The one place that decides it: what is to be expected of each may come in here. */
function staleLimit(tuning: Tuning): string {
  return tuning.value('EdgeDataStale', 'after', {
    series: DATA_AGE,
    labels: ['account', 'product', 'configuration'],
  });
}

/** How old data is at least that is not even there. */
function shortest(tuning: Tuning): number {
  return tuning.usual('EdgeDataStale', 'after') / 1_000;
}

function lastBucket([metric, names]: readonly [string, readonly string[]]): string {
  const selected = `edge_last_bucket_timestamp_seconds{metric=~"${names.join('|')}"}`;
  return names.length === 1 ? selected : `label_replace(${selected}, "metric", "${metric}", "", "")`;
}

/** The configurations whose data of a metric is stale. */
export function stale(metric: Data): string {
  return `${STALE_DATA}{metric="${metric}"}`;
}
