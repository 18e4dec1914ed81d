import type { AccountObserver } from '../account/observer.ts';
import type { ExchangeInfo } from '../platform/exchange.ts';
import type { EventLog, ReportLog } from './report-log.ts';
import type { SelfMetrics } from './self-metrics.ts';

/** Counts operations and how they wait, and logs what the platform says of its limits. */
export function reportOperations(
  metrics: SelfMetrics,
  log: ReportLog,
): Pick<AccountObserver, 'exchanged' | 'assumedLimit' | 'departed'> & { left(account: string): void } {
  const refusals = new RefusalLog(log);
  return {
    exchanged(account, info, { name }) {
      const { status } = info;
      metrics.operations.add(1, account, name, status === undefined ? 'none' : String(status));
      refusals.exchanged(account, name, info);
    },
    assumedLimit(account, limit) {
      log.warn(
        { account, operations_per_minute: limit },
        'the platform sends no rate limit headers: quota.assumed_limit applies',
      );
    },
    departed(account, _scope, waitedMs) {
      metrics.quotaWait.observe(Math.max(0, waitedMs) / 1_000, account);
    },
    left: (account) => refusals.forget(account),
  };
}

/** Refusals that are further apart than this (ms) are two events: two rate-limit windows. */
const QUIET_MS = 120_000;

interface Burst {
  refusals: number;
  lastAt: number;
}

/** Logs that a scope is rate limited once, however many operations are refused, and when that is over. */
class RefusalLog {
  readonly #log: EventLog;
  readonly #bursts = new Map<string, Map<string, Burst>>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  exchanged(account: string, scope: string, info: ExchangeInfo): void {
    const bursts = this.#bursts.get(account) ?? new Map<string, Burst>();
    this.#bursts.set(account, bursts);
    const burst = bursts.get(scope);
    const quiet = burst === undefined || info.endedAt - burst.lastAt > QUIET_MS;
    if (info.status === 429) {
      if (quiet)
        this.#log.warn({ account, scope, ...factsOf(info) }, 'the platform refuses operations: rate limited');
      bursts.set(scope, { refusals: quiet ? 1 : burst.refusals + 1, lastAt: info.endedAt });
    } else if (burst !== undefined && quiet && info.outcome === 'ok') {
      bursts.delete(scope);
      const { refusals } = burst;
      this.#log.info({ account, scope, refusals }, 'rate limiting ended');
    }
  }

  /** Forgets an account that was removed. */
  forget(account: string): void {
    this.#bursts.delete(account);
  }
}

function factsOf({ path, rate, retryAfterMs }: ExchangeInfo): object {
  return {
    path,
    limit: rate?.limit,
    remaining: rate?.remaining,
    reset_at: rate?.resetAt === undefined ? undefined : new Date(rate.resetAt).toISOString(),
    retry_after_seconds: retryAfterMs === undefined ? undefined : retryAfterMs / 1_000,
  };
}
