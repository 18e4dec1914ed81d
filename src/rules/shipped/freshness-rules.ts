import type { Judged, Tuning } from './alert-settings.ts';
import { ago, duration } from './promql.ts';
import type { Data, RecordingRule } from './rule.ts';
import type { Times } from './times.ts';

/** API metrics that alerts depend on, by their name in alerts. Other metrics may be older. */
const WATCHED: Readonly<Record<Data, readonly string[]>> = {
  waf: ['waf'],
  status_code: ['status_code'],
  requests: ['requests', 'cdn_requests'],
};

const LABELS = 'account, product, configuration, metric';

/** Series of the age (s) of the newest data of a configuration and metric, present only above the smallest limit. */
const DATA_AGE = 'configuration:edge_data_age_seconds:max';

/** Series of the age of stale data, present only while it is stale. */
export const STALE_DATA = 'configuration:edge_data_age_seconds:stale';

/** Factor of the expected age above which data is stale, because a single poll may fail. */
const LATE = 1.5;

/**
 * Returns the rules of old and of stale data. The exporter withdraws old data, so an active configuration that lost its data is
 * stale too. A disabled configuration is not.
 */
export function freshnessRules({ hour, day }: Times, tuning: Tuning): readonly RecordingRule[] {
  const newest = 'edge_data_until_timestamp_seconds';
  const known = ofWatched(newest);
  const before = [hour, day].map((time) => ofWatched(newest, time)).join('\n  or\n  ');
  const after = tuning.value('EdgeDataStale', 'after', {
    series: DATA_AGE,
    labels: ['account', 'product', 'configuration'],
  });
  const gone = `max by (${LABELS}) (\n  (${before})\n  and on (account, product, configuration) edge_configuration_info{active!="false"}\n) unless on (${LABELS})\n(\n  ${known}\n)`;
  const expected = `max by (account, product, metric) (\n  ${ofWatched('edge_expected_age_seconds')}\n)`;
  return [
    {
      record: DATA_AGE,
      expr: `time() - min by (${LABELS}) (max by (${LABELS}, configuration_id) (\n  ${known}\n)) > ${tuning.least('EdgeDataStale', 'after') / 1_000}`,
    },
    {
      record: STALE_DATA,
      expr: `${DATA_AGE} > ${after}\nunless\n${DATA_AGE} <= on (account, product, metric) group_left () ${LATE} * ${expected}\nor\n0 * (${gone}) + ${tuning.usual('EdgeDataStale', 'after') / 1_000}`,
    },
  ];
}

/**
 * Returns the accounts without fresh traffic data, whatever the cause. The value is the age of the data by the platform's clock, or
 * the limit if there never was any.
 */
export function unseen({ unseen }: Times, tuning: Tuning, judged: Judged): string {
  const newest = 'edge_data_until_timestamp_seconds';
  const available = 'edge_data_available';
  const age = `time() - max by (account) (${newest})`;
  const after = tuning.value('EdgeDataStale', 'after', { ...judged, by: ['account'] });
  const expected = `min by (account) (edge_expected_age_seconds and on (account, product, metric) ${newest})`;
  const never = `max by (account) (max_over_time(${available}[${duration(unseen)}])) == 0\nand on (account)\n${available} offset ${duration(unseen)}\nunless on (account)\n${newest}`;
  return `${age} > ${after}\nunless\n${age} <= ${LATE} * ${expected}\nor\n(\n${never}\n) + ${tuning.usual('EdgeDataStale', 'after') / 1_000}`;
}

/** Returns a series of the watched API metrics with their names in alerts. @param back offset (ms) */
function ofWatched(series: string, back = 0): string {
  const named = Object.entries(WATCHED).map(([metric, names]) => {
    const now = `${series}{metric=~"${names.join('|')}"}`;
    const selected = back === 0 ? now : ago(now, back);
    return names.length === 1 ? selected : `label_replace(${selected}, "metric", "${metric}", "", "")`;
  });
  return named.join('\n  or\n  ');
}

/** Returns the configurations whose data of a metric is stale. */
export function stale(metric: Data): string {
  return `${STALE_DATA}{metric="${metric}"}`;
}
