import { ACCOUNT, type AlertCase, type Given, one } from './alert-case.ts';

const CONFIGURATION = `${ACCOUNT}, product="edge_applications", configuration_id="1", configuration="shop"`;
const DATA_UNTIL = `edge_data_until_timestamp_seconds{${CONFIGURATION}, metric="waf"}`;
const OTHER = `${ACCOUNT}, instance="other:9801"`;
const UP = 'up{job="edge-exporter", instance="exporter:9801"}';

function dataAge(minutes: number | ((minute: number) => number)): Given {
  const at = (minute: number): number =>
    (typeof minutes === 'number' ? minute - minutes : minutes(minute)) * 60;
  return {
    [DATA_UNTIL]: at,
    [`edge_configuration_info{${CONFIGURATION}, active="true"}`]: 1,
  };
}

function withdrawn(active: 'true' | 'false'): Given {
  return {
    [DATA_UNTIL]: 'absent',
    [`edge_configuration_info{${CONFIGURATION}, active="true"}`]: active === 'true' ? 1 : 'absent',
    ...(active === 'false' && { [`edge_configuration_info{${CONFIGURATION}, active="false"}`]: 1 }),
  };
}

function expectedAge(minutes: number): Given {
  return {
    [`edge_expected_age_seconds{${ACCOUNT}, product="edge_applications", metric="waf"}`]: minutes * 60,
  };
}

function available(value: number): Given {
  return { [`edge_data_available{${ACCOUNT}, product="edge_applications"}`]: value };
}

function quota(remaining: number): Given {
  return {
    [`edge_api_ratelimit_limit{${ACCOUNT}, scope="reads"}`]: 200,
    [`edge_api_ratelimit_remaining{${ACCOUNT}, scope="reads"}`]: remaining,
  };
}

function tokenLeft(minutes: number, renewedIn = -20, labels = ACCOUNT): Given {
  return {
    [`edge_token_expiry_timestamp_seconds{${labels}}`]: (minute) => (minute + minutes) * 60,
    [`edge_token_renewal_timestamp_seconds{${labels}}`]: (minute) => (minute + renewedIn) * 60,
  };
}

/** Cases of all alerts about the exporter and its account. */
export const EXPORTER_CASES: readonly AlertCase[] = [
  {
    alert: 'EdgeDataStale',
    which: 'scope="configuration"',
    normal: dataAge(4),
    bad: dataAge(() => 150),
    mild: dataAge(8),
    lasts: 25,
    resolves: 10,
  },
  {
    // Data that has been too old for long is withdrawn. The alert ignores a configuration that is inactive on
    // the platform.
    alert: 'EdgeDataStale',
    which: 'scope="configuration"',
    normal: dataAge(4),
    bad: withdrawn('true'),
    mild: withdrawn('false'),
    lasts: 40,
    resolves: 10,
  },
  {
    // A wrong clock of the exporter's machine does not matter.
    alert: 'EdgeDataStale',
    which: 'scope="account"',
    normal: dataAge(4),
    bad: dataAge(() => 150),
    mild: dataAge(9),
    lasts: 25,
    resolves: 10,
  },
  {
    alert: 'EdgeDataStale',
    which: 'scope="account"',
    normal: available(1),
    bad: available(0),
    mild: available(1),
    lasts: 40,
    resolves: 15,
  },
  {
    // If polls are far apart, the limit depends on the expected age.
    alert: 'EdgeDataStale',
    which: 'scope="configuration"',
    normal: { ...dataAge(15), ...expectedAge(20) },
    bad: dataAge(32),
    mild: dataAge(28),
    lasts: 25,
    resolves: 10,
  },
  {
    alert: 'EdgeDataStale',
    which: 'scope="account"',
    normal: { ...dataAge(15), ...expectedAge(20) },
    bad: dataAge(32),
    mild: dataAge(28),
    lasts: 25,
    resolves: 10,
  },
  {
    // The account's id identifies it, regardless of its name in the second exporter.
    alert: 'EdgeAccountPolledTwice',
    which: ACCOUNT,
    normal: { [`edge_account_info{${ACCOUNT}, account_id="5f3a", instance="a:9801"}`]: 1 },
    bad: { 'edge_account_info{account="default", account_id="5f3a", instance="b:9801"}': 1 },
    mild: { 'edge_account_info{account="default", account_id="77c0", instance="b:9801"}': 1 },
    lasts: 35,
    resolves: 10,
  },
  { alert: 'EdgePlatformUnreachable', ...one(`edge_up{${ACCOUNT}}`, [1, 0, 1]), lasts: 15, resolves: 5 },
  {
    alert: 'EdgeQuotaNearlySpent',
    which: 'reason="remaining"',
    normal: quota(150),
    bad: quota(5),
    mild: quota(45),
    lasts: 40,
    resolves: 30,
  },
  {
    alert: 'EdgeQuotaNearlySpent',
    which: 'reason="waiting"',
    ...one(`edge_exporter_operations_waiting{${ACCOUNT}, scope="reads"}`, [
      0,
      40,
      (minute) => (minute % 3) * 20,
    ]),
    lasts: 40,
    resolves: 30,
  },
  {
    alert: 'EdgeQuotaNearlySpent',
    which: 'reason="stretch"',
    ...one(`edge_exporter_interval_stretch_ratio{${ACCOUNT}, collector="metrics"}`, [1, 3, 1.4]),
    lasts: 30,
    resolves: 10,
  },
  {
    alert: 'EdgeTokenExpiring',
    which: 'severity="ticket"',
    normal: tokenLeft(1_000),
    bad: tokenLeft(90),
    mild: tokenLeft(130),
    lasts: 15,
    resolves: 5,
  },
  {
    alert: 'EdgeTokenExpiring',
    which: 'severity="page"',
    normal: tokenLeft(1_000),
    bad: tokenLeft(-5),
    mild: tokenLeft(40),
    lasts: 15,
    resolves: 5,
  },
  // A token with a lifetime of one hour does not have to be replaced yet.
  {
    alert: 'EdgeTokenExpiring',
    which: 'severity="page"',
    normal: tokenLeft(55, 46),
    bad: tokenLeft(8, -1),
    mild: tokenLeft(25, 16),
    lasts: 15,
    resolves: 5,
  },
  // Another exporter of the account has its own token, which does not affect the alert for this one.
  {
    alert: 'EdgeTokenExpiring',
    which: 'severity="page"',
    normal: { ...tokenLeft(1_000, 850), ...tokenLeft(1_000, 850, OTHER) },
    bad: { ...tokenLeft(8, -1), ...tokenLeft(1_000, 850, OTHER) },
    mild: { ...tokenLeft(8, 1), ...tokenLeft(1_000, -1, OTHER) },
    lasts: 15,
    resolves: 5,
  },
  { alert: 'EdgeExporterDown', ...one(UP, [1, 0, 1]), lasts: 20, resolves: 5, missing: 'fires' },
  {
    alert: 'EdgeConfigReloadFailed',
    ...one('edge_exporter_config_last_reload_successful{instance="exporter:9801"}', [1, 0, 1]),
    lasts: 15,
    resolves: 5,
  },
  {
    alert: 'EdgeSeriesDropped',
    ...one('edge_exporter_series_dropped_total{instance="exporter:9801"}', [
      (minute) => (minute > 160 ? 100 : 0),
      (minute) => (minute > 152 ? 100 : 0),
      0,
    ]),
    lasts: 20,
    resolves: 90,
  },
];
