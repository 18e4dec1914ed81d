import type { ExchangeInfo } from '../platform/exchange.ts';
import type { Outcome } from '../platform/read.ts';
import type { Job, PollEnd } from '../poll/job.ts';
import { fits, type ScopeDemand } from '../rate-limit/poll-intervals.ts';

/** Logger of events. Each account has one that adds its name. */
interface EventLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** Logger of the reports. */
export interface ReportLog extends EventLog {
  debug?(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** Failures of the platform as a whole, or of the network, rather than of a single request. */
const GENERAL: ReadonlySet<Outcome> = new Set([
  'network',
  'timeout',
  'server_error',
  'unauthorized',
  'rate_limited',
]);

/** Number of consecutive general failures from which they are logged. */
const IN_A_ROW = 3;

/** General failures that alternate during one outage. Logging each change would repeat the same event. */
const OUTAGE: ReadonlySet<Outcome> = new Set(['network', 'timeout', 'server_error', 'rate_limited']);

interface Trouble {
  failures: number;
  /** Outcomes logged since the last success; only the first one of an outage. */
  readonly logged: Set<Outcome>;
}

/**
 * Logs failures once each: for an account whose platform fails, however many jobs are affected; for a single job that fails; and
 * for the recovery of either.
 */
export class FailureLog {
  readonly #log: EventLog;
  readonly #whole = noTrouble();
  /** Troubles by job, which are dropped with the job. */
  readonly #jobs = new WeakMap<Job, Trouble>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  polled({ job, outcome, reason, operations }: PollEnd): void {
    const answered = outcome === 'ok' || outcome === 'empty';
    if (answered && operations === 0) return;
    const general = GENERAL.has(outcome);
    const whole = this.#whole;
    if (general) this.#failed(whole, outcome, IN_A_ROW, { outcome, reason }, 'polling the platform fails');
    else if (operations > 0) this.#works(whole, {}, 'polling the platform works again');
    const own = this.#jobs.get(job) ?? noTrouble();
    const facts = { job: job.id };
    if (answered) {
      this.#works(own, facts, 'poll succeeds again');
      this.#jobs.delete(job);
    } else if (!general || whole.logged.size === 0) {
      this.#jobs.set(job, own);
      this.#failed(own, outcome, general ? IN_A_ROW : 1, { ...facts, outcome, reason }, 'poll failed');
    }
  }

  #failed(trouble: Trouble, outcome: Outcome, enough: number, facts: object, message: string): void {
    trouble.failures += 1;
    if (trouble.failures < enough || isLogged(trouble, outcome)) return;
    trouble.logged.add(outcome);
    this.#log.warn(facts, message);
  }

  #works(trouble: Trouble, facts: object, message: string): void {
    const after = [...trouble.logged].at(-1);
    if (after !== undefined) this.#log.info({ ...facts, after }, message);
    trouble.failures = 0;
    trouble.logged.clear();
  }
}

function isLogged({ logged }: Trouble, outcome: Outcome): boolean {
  return logged.has(outcome) || (OUTAGE.has(outcome) && [...logged].some((before) => OUTAGE.has(before)));
}

function noTrouble(): Trouble {
  return { failures: 0, logged: new Set() };
}

/** Time (ms) between refusals from which they are separate events, in separate rate-limit windows. */
const QUIET_MS = 120_000;

/** Returns a function that logs the beginning and the end of refusals of a scope, once for any number of operations. */
export function refusalLog(log: EventLog): (scope: string, info: ExchangeInfo) => void {
  const bursts = new Map<string, { readonly refusals: number; readonly lastAt: number }>();
  return (scope, info) => {
    const burst = bursts.get(scope);
    const quiet = burst === undefined || info.endedAt - burst.lastAt > QUIET_MS;
    if (info.status === 429) {
      if (quiet) log.warn({ scope, ...factsOf(info) }, 'the platform refuses operations: rate limited');
      bursts.set(scope, { refusals: quiet ? 1 : burst.refusals + 1, lastAt: info.endedAt });
    } else if (burst !== undefined && quiet && info.outcome === 'ok') {
      bursts.delete(scope);
      log.info({ scope, refusals: burst.refusals }, 'rate limiting ended');
    }
  };
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

/** Interval (ms) of log lines about dropped rows, which tend to recur with every poll. */
const LOGGED_EVERY_MS = 3_600_000;

/**
 * Returns a function that logs dropped rows: target, reason and number, never their content. It logs once an hour for each
 * collector and reason; the counter has all of them.
 */
export function rejectionLog(log: EventLog, now: () => number): (end: PollEnd) => void {
  /** Last log line by collector and reason, with the number of rows dropped since, over all targets. */
  const logged = new Map<string, { readonly at: number; unlogged: number }>();
  return ({ job, outcome, rejected = new Map() }) => {
    // If every row was bad, the failure is logged instead.
    if (outcome !== 'ok' && outcome !== 'empty') return;
    const { collector, configuration } = job.subject;
    for (const [reason, rows] of rejected) {
      const before = logged.get(`${collector} ${reason}`);
      if (before !== undefined && now() - before.at < LOGGED_EVERY_MS) {
        before.unlogged += rows;
        continue;
      }
      logged.set(`${collector} ${reason}`, { at: now(), unlogged: 0 });
      const facts = { job: job.id, configuration, reason, rows, unlogged_rows_before: before?.unlogged };
      log.warn(facts, 'invalid rows of an answer were dropped');
    }
  };
}

/**
 * Returns a function that logs demand and allowance of each limit scope when they change, or when the demand no longer fits.
 * `surveyed` is true once the demand is complete; only then can a plan be reported to fit.
 */
export function planLog(log: EventLog): (demands: readonly ScopeDemand[], surveyed: boolean) => void {
  /** Text logged last, by scope. */
  const logged = new Map<string, string>();
  return (demands, surveyed) => {
    for (const { scope, jobs, perMinute } of demands) {
      const { allowance } = scope.limiter;
      const fitting = fits(perMinute, allowance);
      const text = `${jobs} ${allowance} ${fitting}`;
      if ((fitting && !surveyed) || text === logged.get(scope.name)) continue;
      logged.set(scope.name, text);
      const operations = Number(perMinute.toPrecision(3));
      const facts = { scope: scope.name, jobs, operations_per_minute: operations, allowed: allowance };
      if (fitting) log.info(facts, 'the plan fits the quota');
      else log.warn(facts, 'the plan exceeds the quota: intervals stretch, see edge-exporter plan');
    }
  };
}

export function isNewIn(known: Set<string>, text: string): boolean {
  const isNew = !known.has(text);
  known.add(text);
  return isNew;
}
