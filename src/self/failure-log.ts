import type { Outcome } from '../platform/outcome.ts';
import type { PollEnd } from '../schedule/execute.ts';

/** The part of a logger that is used here. */
export interface EventLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** Failures that come from the platform as a whole, or from the way to it, rather than from what was asked. */
const GENERAL: ReadonlySet<Outcome> = new Set([
  'network',
  'timeout',
  'server_error',
  'unauthorized',
  'rate_limited',
]);

/** So many general failures in a row are an event; fewer happen every day. */
const IN_A_ROW = 3;

interface Trouble {
  failures: number;
  /** What was logged last; undefined while nothing was. */
  logged: Outcome | undefined;
}

/**
 * Logs failures as an operator meets them: once when an account's platform is in trouble, however many jobs feel it,
 * once for a job that fails on its own, and once when either works again.
 */
export class FailureLog {
  readonly #log: EventLog;
  readonly #accounts = new Map<string, Trouble>();
  readonly #jobs = new Map<string, Trouble>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  polled(account: string, { job, outcome, reason }: PollEnd): void {
    const general = GENERAL.has(outcome);
    const whole = troubleOf(this.#accounts, account);
    if (general) this.#failed(whole, outcome, IN_A_ROW, { account, outcome, reason }, 'the platform fails');
    else this.#works(whole, { account }, 'the platform works again');
    const own = troubleOf(this.#jobs, `${account} ${job.id}`);
    const facts = { account, job: job.id };
    if (outcome === 'ok' || outcome === 'empty') this.#works(own, facts, 'the poll works again');
    else if (!general || whole.logged === undefined) {
      this.#failed(own, outcome, general ? IN_A_ROW : 1, { ...facts, outcome, reason }, 'the poll fails');
    }
  }

  #failed(trouble: Trouble, outcome: Outcome, enough: number, facts: object, message: string): void {
    trouble.failures += 1;
    if (trouble.failures < enough || trouble.logged === outcome) return;
    trouble.logged = outcome;
    this.#log.warn(facts, message);
  }

  #works(trouble: Trouble, facts: object, message: string): void {
    if (trouble.logged !== undefined) this.#log.info({ ...facts, after: trouble.logged }, message);
    trouble.failures = 0;
    trouble.logged = undefined;
  }
}

function troubleOf(troubles: Map<string, Trouble>, key: string): Trouble {
  const known = troubles.get(key);
  if (known !== undefined) return known;
  const trouble: Trouble = { failures: 0, logged: undefined };
  troubles.set(key, trouble);
  return trouble;
}
