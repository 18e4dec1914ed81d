import type { PollEnd } from '../poll/poll-end.ts';
import type { EventLog } from './report-log.ts';

/** Bad rows tend to come with every poll: how often (ms) they are logged. */
const TOLD_EVERY_MS = 3_600_000;

interface Told {
  at: number;
  /** Rows dropped since then, of all targets. */
  untold: number;
}

/**
 * Logs that rows of answers were dropped: the target, the reason and how many, never what stood in them. Once an hour
 * for each collector and reason; the counter has them all.
 */
export class RejectionLog {
  readonly #log: EventLog;
  readonly #now: () => number;
  readonly #told = new Map<string, Map<string, Told>>();

  constructor(log: EventLog, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  polled(account: string, { job, outcome, rejected = new Map() }: PollEnd): void {
    // Where no row was good, the failure says so.
    if (outcome !== 'ok' && outcome !== 'empty') return;
    const { collector, configuration } = job.subject;
    const told = this.#told.get(account) ?? new Map<string, Told>();
    this.#told.set(account, told);
    for (const [reason, rows] of rejected) {
      const before = told.get(`${collector} ${reason}`);
      if (before !== undefined && this.#now() - before.at < TOLD_EVERY_MS) {
        before.untold += rows;
        continue;
      }
      told.set(`${collector} ${reason}`, { at: this.#now(), untold: 0 });
      const facts = { account, job: job.id, configuration, reason, rows, untold_rows_before: before?.untold };
      this.#log.warn(facts, 'invalid rows of an answer were dropped');
    }
  }

  /** Forgets an account that was removed. */
  forget(account: string): void {
    this.#told.delete(account);
  }
}
