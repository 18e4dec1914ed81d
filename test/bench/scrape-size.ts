/** How many series of how many accounts are measured, and when their polls come. */
import { type PlatformOptions, SERIES_PER_CONFIGURATION } from './scrape-platform.ts';

export interface Size {
  readonly series: number;
  readonly accounts: number;
}

/** What a read of the platform takes (ms), where its polls leave time for that: as in the benchmark of the schedule. */
const READ_MS = 80;
/** The exporter's default `request.concurrency`. */
const CONCURRENCY = 6;
/** Within this time (ms) a platform of one account has answered all polls of a minute. */
const LONGEST_ROUND_MS = 10_000;
/** What a poll takes of the exporter at most (ms), to tell when it will have done all. */
const POLL_MS = 2;
/** Series that the exporter and its peers take in at the start, a second. */
const SERIES_A_SECOND = 20_000;
/** For the start of processes, and for scrapes before the round that is measured (ms). */
const STARTING_MS = 16_000;

const MINUTE_MS = 60_000;

/**
 * Seconds of our minute at which the platform's buckets may close, so that all polls of the minute come then: amid two upkeeps of
 * the exporter, which come every 10 s, and long before it takes stock as the minute begins.
 */
const CLOSING_SECONDS = [5, 15, 25, 35, 45];
/** Polls are over by this second, also where they take half again as long as expected. */
const OVER_BY_SECOND = 54;

export interface Plan {
  readonly platform: PlatformOptions;
  /** The exporter's configuration, of a platform with this address. */
  readonly configurationFor: (url: string) => object;
  /** The second of each minute at which all configurations are polled. */
  readonly closingSecond: number;
}

export function planOf(size: Size, now = Date.now()): Plan {
  const { series, accounts } = size;
  const configurations = Math.max(1, Math.round(series / accounts / SERIES_PER_CONFIGURATION));
  const readMs = Math.min(READ_MS, Math.floor((LONGEST_ROUND_MS * CONCURRENCY) / configurations));
  const roundMs = Math.max((configurations * readMs) / CONCURRENCY, configurations * accounts * POLL_MS);
  const ready = now + STARTING_MS + roundMs + (1_000 * series) / SERIES_A_SECOND;
  const latest = OVER_BY_SECOND - (1.5 * roundMs) / 1_000;
  const seconds = CLOSING_SECONDS.filter((second, index) => index === 0 || second <= latest);
  const closingSecond = firstOf(seconds, ready);
  return {
    platform: { configurations, readMs, aheadMs: aheadMs(1_000 * closingSecond) },
    configurationFor: (url) => configurationOf(accounts, url),
    closingSecond,
  };
}

/**
 * How far (ms) the platform's clock is ahead of the machine's, or behind, where its buckets close so long after our minute begins:
 * less than 30 s, from which on counters wait for ten minutes, until such a time is confirmed.
 */
function aheadMs(closesAfterMs: number): number {
  return closesAfterMs < MINUTE_MS / 2 ? -closesAfterMs : MINUTE_MS - closesAfterMs;
}

/** Whichever of these seconds of a minute comes first after a time. */
function firstOf(seconds: readonly number[], time: number): number {
  const waits = seconds.map((second) => [nextSecond(second, time), second] as const);
  return waits.toSorted(([a], [b]) => a - b)[0]?.[1] ?? 0;
}

/** When a second of the minute comes first after a time (ms since the epoch). */
export function nextSecond(second: number, time = Date.now()): number {
  const offset = 1_000 * second;
  return Math.ceil((time - offset) / MINUTE_MS) * MINUTE_MS + offset;
}

function configurationOf(accounts: number, url: string): object {
  const each = (index: number) => ({
    name: `account-${index}`,
    api_url: url,
    token: `bench-${index}`,
    quota: { reserve: 0 },
    reconciliation_share: 0,
    discovery: '0 0 1 1 *',
    collectors: {
      metrics: {
        products: { edge_applications: { address_by: 'configuration', metrics: ['status_code'] } },
      },
    },
  });
  return {
    accounts: Array.from({ length: accounts }, (_, index) => each(index)),
    limits: { series: 2_000_000 },
  };
}
