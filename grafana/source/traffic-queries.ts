import { largest, mean, now, of, PRODUCT, share, smallest, sum } from './query.ts';

type Reading = (family: string, ...matchers: string[]) => string;

/** Queries of the selected traffic, by labels or in total. */
export interface Traffic {
  readonly requests: string;
  readonly bitsPerSecond: string;
  readonly offload: string;
  readonly clientErrors: string;
  readonly serverErrors: string;
  readonly threats: string;
  readonly stopped: string;
  readonly threatShare: string;
  /** Seconds since the end of the newest exposed bucket, of the series that is furthest behind. */
  readonly dataAge: string;
  readonly dataAgeToExpected: string;
}

/** Returns queries for current values, for figures and tables. */
export function trafficNow(matchers: string, by?: string): Traffic {
  return traffic(now, matchers, by);
}

/** Returns queries for values over time, for graphs. */
export function trafficOverTime(matchers: string, by?: string): Traffic {
  return traffic(mean, matchers, by);
}

function traffic(read: Reading, matchers: string, by: string | undefined): Traffic {
  const total = (family: string, ...more: string[]) => sum(read(family, matchers, ...more), by);
  const requests = total('edge_requests_per_minute');
  const errors = (group: string) => share(total('edge_responses_per_minute', `class="${group}"`), requests);
  const threats = total('edge_waf_threats_per_minute');
  return {
    requests,
    bitsPerSecond: `8 * ${total('edge_bandwidth_bytes_per_second')}`,
    offload: share(total('edge_requests_by_cache_per_minute', 'cache="saved"'), requests),
    clientErrors: errors('4xx'),
    serverErrors: errors('5xx'),
    threats,
    stopped: total('edge_waf_blocked_per_minute'),
    threatShare: share(threats, total('edge_waf_requests_per_minute')),
    dataAge: `time() - ${smallest(now('edge_data_until_timestamp_seconds', matchers), by)}`,
    dataAgeToExpected: largest(ageToExpected(matchers), by),
  };
}

const EXPECTED_BY = 'account,product,metric';

function ageToExpected(matchers: string): string {
  const age = `(time() - ${now('edge_data_until_timestamp_seconds', matchers)})`;
  return `${age} / on (${EXPECTED_BY}) group_left ${largest(of('edge_expected_age_seconds', PRODUCT), EXPECTED_BY)}`;
}
