import type { ExchangeInfo } from '../platform/exchange.ts';
import type { Outcome } from '../platform/read.ts';
import type { Job, PollEnd } from '../poll/job.ts';
import { fits, type ScopeDemand } from '../rate-limit/poll-intervals.ts';

/** The part of a logger that takes single events. The logs below are given one that names their account. */
interface EventLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** The part of a logger that is used here. */
export interface ReportLog extends EventLog {
  debug?(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** Failures that come from the platform as a whole, or from the way to it, rather than from what was asked. */
const GENERAL: ReadonlySet<Outcome> = new Set([
  'network',
  'timeout',
  'server_error',
  'unauthorized',
  'rate_limited',
]);

/** This many general failures in a row are worth a log line. */
const IN_A_ROW = 3;

/** General failures that alternate during one outage: logging each change would repeat the same event. */
const OUTAGE: ReadonlySet<Outcome> = new Set(['network', 'timeout', 'server_error', 'rate_limited']);

interface Trouble {
  failures: number;
  /** Outcomes logged since it last worked; an outage has only its first one. */
  readonly logged: Set<Outcome>;
}

/**
 * Logs failures as an operator meets them: once when an account's platform is in trouble, however many jobs feel it,
 * once for a job that fails on its own, and once when either works again.
 */
export class FailureLog {
  readonly #log: EventLog;
  readonly #whole = noTrouble();
  /** Troubles by job. A job that is no longer wanted goes with its trouble. */
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

/** Refusals that are further apart than this (ms) are two events: two rate-limit windows. */
const QUIET_MS = 120_000;

/** Logs that a scope is rate limited once, however many operations are refused, and when that is over. */
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

/** Bad rows tend to come with every poll: how often (ms) they are logged. */
const LOGGED_EVERY_MS = 3_600_000;

/**
 * Logs that rows of answers were dropped: the target, the reason and how many, never what stood in them. Once an hour
 * for each collector and reason; the counter has them all.
 */
export function rejectionLog(log: EventLog, now: () => number): (end: PollEnd) => void {
  /** Last log line by collector and reason, with the rows dropped since then, of all targets. */
  const logged = new Map<string, { readonly at: number; unlogged: number }>();
  return ({ job, outcome, rejected = new Map() }) => {
    // If no row was good, the failure says so.
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
 * Logs demand and allowance of each limit scope whenever one of them, or whether they fit, has changed. It is given whether it is
 * known what there is to poll: only then it is known that a plan fits.
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
