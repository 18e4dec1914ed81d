import type { FailureOutcome } from '../platform/read.ts';
import type { ObservedAccount } from '../status.ts';
import type { JobFacts } from './job-facts.ts';
import type { Tally } from './tally.ts';

/** Intervals are a cause from this factor on by which the quota stretches them. */
export const NOTABLE_STRETCH = 1.5;

/** A greater share of buckets that answers lack is a cause: a few may be missing after an incident of the platform. */
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

/** Texts of a cause. Backticks mark what is typed as it is. */
export interface Words {
  /** As a clause. */
  readonly text: string;
  /** Advice, in sentences. */
  readonly next: string;
}

/** Why something is wrong: how polls fail, or a trouble that no poll fails of. */
export type CauseKind =
  | FailureOutcome
  /** The platform, or whatever answers in its place, does not serve the account. */
  | 'unreachable'
  /** Polls wait for the quota longer than planned. */
  | 'quota'
  /** Polls succeed, and the platform has nothing newer. */
  | 'platform_late'
  /** Polls wait, though the platform and the quota would allow them. */
  | 'exporter_late'
  /** The platform has nothing of what is configured. */
  | 'nothing_there'
  | 'first_polls'
  /** A part has never been read, while others have. */
  | 'not_read_yet'
  | 'counters_behind'
  /** Answers lack buckets between others. */
  | 'rows_missing'
  /** The machine's clock and the platform's differ, and the platform's has not moved. */
  | 'clock'
  /** The platform's clock has moved. */
  | 'platform_clock';

/** Something that is wrong, or worth knowing, with what it explains. */
export interface Cause extends Words {
  readonly kind: CauseKind;
  readonly fault: Fault;
  /** Text without times, of a cause whose accounts may need different things; accounts that share it are in the same trouble. */
  readonly alike?: string;
  /** Consequences, as clauses. */
  readonly symptoms: readonly string[];
  /** Jobs that it covers. */
  readonly jobs: number;
}

/** An account as its causes are found. */
export interface SeenAccount {
  readonly account: ObservedAccount;
  readonly jobs: readonly JobFacts[];
  readonly whole: Tally;
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly up: boolean | null;
  /** Ms since the epoch. */
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
