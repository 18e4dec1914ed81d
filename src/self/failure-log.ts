import type { Outcome } from '../platform/outcome.ts';
import type { PollEnd } from '../poll/poll-end.ts';
import type { EventLog } from './report-log.ts';

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
  /** What was logged since it last worked; of an outage only its first failure. */
  readonly logged: Set<Outcome>;
}

interface AccountTrouble {
  readonly whole: Trouble;
  readonly jobs: Map<string, Trouble>;
}

/**
 * Logs failures as an operator meets them: once when an account's platform is in trouble, however many jobs feel it,
 * once for a job that fails on its own, and once when either works again.
 */
export class FailureLog {
  readonly #log: EventLog;
  readonly #accounts = new Map<string, AccountTrouble>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  polled(account: string, { job, outcome, reason, operations }: PollEnd): void {
    const answered = outcome === 'ok' || outcome === 'empty';
    if (answered && operations === 0) return;
    const general = GENERAL.has(outcome);
    const { whole, jobs } = entryOf(this.#accounts, account, () => ({ whole: noTrouble(), jobs: new Map() }));
    if (general)
      this.#failed(whole, outcome, IN_A_ROW, { account, outcome, reason }, 'polling the platform fails');
    else if (operations > 0) this.#works(whole, { account }, 'polling the platform works again');
    const own = entryOf(jobs, job.id, noTrouble);
    const facts = { account, job: job.id };
    if (outcome === 'ok' || outcome === 'empty') this.#works(own, facts, 'poll succeeds again');
    else if (!general || whole.logged.size === 0) {
      this.#failed(own, outcome, general ? IN_A_ROW : 1, { ...facts, outcome, reason }, 'poll failed');
    }
  }

  /** Forgets an account that was removed. */
  forget(account: string): void {
    this.#accounts.delete(account);
  }

  #failed(trouble: Trouble, outcome: Outcome, enough: number, facts: object, message: string): void {
    trouble.failures += 1;
    if (trouble.failures < enough || isTold(trouble, outcome)) return;
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

function isTold({ logged }: Trouble, outcome: Outcome): boolean {
  return logged.has(outcome) || (OUTAGE.has(outcome) && [...logged].some((told) => OUTAGE.has(told)));
}

function noTrouble(): Trouble {
  return { failures: 0, logged: new Set() };
}

function entryOf<Value>(entries: Map<string, Value>, key: string, make: () => Value): Value {
  const known = entries.get(key);
  if (known !== undefined) return known;
  const made = make();
  entries.set(key, made);
  return made;
}
