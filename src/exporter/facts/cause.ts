import type { FailureOutcome } from '../platform/read.ts';
import type { ObservedAccount } from '../status.ts';
import type { JobFacts } from './job-facts.ts';
import type { Tally } from './tally.ts';

/** Least factor by which the quota stretches intervals that is a cause. */
export const NOTABLE_STRETCH = 1.5;

/** Share of missing buckets above which they are a cause. A few may be missing after an incident of the platform. */
export const TOLERATED_MISSING = 0.1;

/** Party that has to act. */
export type Fault =
  | 'platform'
  | 'network'
  | 'access'
  | 'quota'
  | 'configuration'
  | 'exporter'
  | 'machine'
  | 'nobody';

/** Texts of a cause. Backticks mark literal text, such as commands and keys. */
export interface Words {
  /** Description, as a clause. */
  readonly text: string;
  /** Advice, in sentences. */
  readonly next: string;
}

/** Kind of a cause: the outcome of failed polls, or a trouble without failed polls. */
export type CauseKind =
  | FailureOutcome
  /** The account as a whole is not served, by the platform or by a server in its place. */
  | 'unreachable'
  /** Polls wait for the quota longer than planned. */
  | 'quota'
  /** Polls succeed, but the platform has no newer data. */
  | 'platform_late'
  /** Polls wait, although the platform and the quota would allow them. */
  | 'exporter_late'
  /** The platform has no data for the configured targets. */
  | 'nothing_there'
  | 'first_polls'
  /** A part has never been read, while others have. */
  | 'not_read_yet'
  | 'counters_behind'
  /** Answers lack buckets between others. */
  | 'rows_missing'
  /** The clocks of machine and platform differ, and the platform's has not been stepped. */
  | 'clock'
  /** The platform's clock was stepped. */
  | 'platform_clock';

/** Trouble of an account, or a notable fact, with the symptoms that it explains. */
export interface Cause extends Words {
  readonly kind: CauseKind;
  readonly fault: Fault;
  /** Text without times, equal for accounts in the same trouble. Absent if the remedy is the same for all accounts. */
  readonly alike?: string;
  /** Consequences, as clauses. */
  readonly symptoms: readonly string[];
  /** Number of covered jobs. */
  readonly jobs: number;
}

/** Account with its jobs and tallies, from which the causes are found. */
export interface SeenAccount {
  readonly account: ObservedAccount;
  readonly jobs: readonly JobFacts[];
  readonly whole: Tally;
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly up: boolean | null;
  /** Current time (ms since the epoch). */
  readonly now: number;
}

/** Jobs with the same kind of trouble. */
export interface Covered {
  readonly kind: CauseKind;
  readonly jobs: readonly JobFacts[];
  readonly failing: number;
  readonly late: number;
  readonly oldestSeconds: number;
}
