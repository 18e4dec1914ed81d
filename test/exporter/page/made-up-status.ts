import { factsOf } from '../../../src/exporter/facts/facts.ts';
import type { JobStatus, ObservedAccount, QuotaStatus } from '../../../src/exporter/status.ts';
import type { Status } from '../../../src/exporter/status-document.ts';

/** Time of the test status. */
export const NOW = Date.parse('2026-03-14T03:12:40Z');

/** Returns the time `seconds` after NOW, as the status contains it. */
export function at(seconds: number): string {
  return new Date(NOW + seconds * 1000).toISOString();
}

export function madeUpJob(changes: Partial<JobStatus> = {}): JobStatus {
  return {
    id: 'metrics/edge_applications/1001/status_code',
    collector: 'metrics',
    product: 'edge_applications',
    configuration_id: '1001',
    configuration: 'shop-checkout',
    metric: 'status_code',
    schedule: '* * * * *',
    state: 'idle',
    why: '',
    waits_for: null,
    interval_seconds: 60,
    last_polled_at: at(-20),
    last_outcome: 'ok',
    last_reason: null,
    last_success_at: at(-20),
    last_bucket_at: at(-160),
    next_at: at(20),
    missing_share: 0,
    ...changes,
    data_age_seconds: changes.data_age_seconds ?? ageOf(changes.last_bucket_at),
    expected_age_seconds: changes.expected_age_seconds ?? 240,
    allowed_age_seconds: changes.allowed_age_seconds ?? changes.expected_age_seconds ?? 240,
    ...countedAsOf(changes.counted_age_seconds),
  };
}

function countedAsOf(seconds: number | null = 660) {
  return {
    counted_until: seconds === null ? null : at(-seconds),
    counted_age_seconds: seconds,
    expected_counted_age_seconds: seconds === null ? null : 720,
  };
}

function ageOf(bucketAt: string | null = at(-160)): number | null {
  return bucketAt === null ? null : (NOW - Date.parse(bucketAt)) / 1_000 - 60;
}

export function madeUpQuota(changes: Partial<QuotaStatus> = {}): QuotaStatus {
  return {
    scope: 'metrics',
    limit: 200,
    assumed_limit: null,
    remaining: 137,
    remaining_at: at(-3),
    own: 51,
    others_per_minute: 0,
    reset_at: at(32),
    reserve: 0.2,
    waiting: 0,
    stopped_until: null,
    note: '',
    ...changes,
  };
}

export function madeUpAccount(changes: Partial<ObservedAccount> = {}): ObservedAccount {
  return {
    name: 'production',
    credentials: 'token_file',
    api_url: 'https://api.example.net',
    sources: [{ collector: 'metrics', source: 'rest', why: 'REST answers', missing: [] }],
    up: true,
    up_since: at(-276_000),
    note: '',
    next_try_at: null,
    token_expires_at: at(72_300),
    clock_skew_seconds: 0.2,
    clock_moved: null,
    quota: [madeUpQuota()],
    demand_per_minute: 84,
    stretch: 1,
    unmatched: [],
    without_domains: 0,
    jobs: [madeUpJob()],
    ...changes,
  };
}

/** Returns a status whose facts follow from the given jobs. */
export function madeUpStatus({
  accounts = [madeUpAccount()],
  ...changes
}: Partial<Omit<Status, 'accounts'>> & { readonly accounts?: readonly ObservedAccount[] } = {}): Status {
  return {
    version: '0.1.0',
    started_at: at(-276_000),
    uptime_seconds: 276_000,
    ready: true,
    not_ready: [],
    sandbox: false,
    config: {
      source: 'config/exporter.yaml',
      loaded_at: at(-276_000),
      last_reload_successful: true,
      issues: [],
    },
    state: { kind: 'durable', directory: '/var/lib/edge-exporter' },
    series: 101_234,
    series_dropped: 0,
    push: [],
    ...changes,
    accounts: accounts.map((account) => ({ facts: factsOf(account, NOW), ...account })),
  };
}

const MANY = Array.from({ length: 250 }, (_, i) =>
  madeUpJob({
    id: `job-${i}`,
    configuration: `shop-${i}`,
    product: i % 2 === 0 ? 'edge_applications' : 'images',
    ...(i % 50 === 7 ? { last_outcome: 'server_error' as const, last_reason: `HTTP 502 for shop-${i}` } : {}),
  }),
);
/** Returns a status with 250 jobs of two products, of which five fail. */
export const many = () => madeUpStatus({ accounts: [madeUpAccount({ jobs: MANY })] });
