import type { Chunk } from '../promql/evaluation.ts';

/** A history that rules are evaluated over. */
export interface RehearsalHistory {
  /** Where it is from, for people. */
  readonly source: string;
  /** What is reported on, ms since the epoch: whole minutes. What is before it only tells what is usual. */
  readonly from: number;
  readonly to: number;
  /** The names of its series. */
  readonly names: ReadonlySet<string>;
  /** How many chunks there are at most. */
  readonly pieces: number;
  /** All of it in minutes, oldest first and without a gap between chunks, from the first sample on. */
  chunks(): AsyncIterable<Chunk>;
}

/** Why there is no rehearsal, as a sentence for the operator. */
export class RehearsalRefusal extends Error {
  override readonly name = 'RehearsalRefusal';
}

/** A part of the history that is read and evaluated at once: enough to be worth a query, little to hold. */
export const CHUNK_MS = 6 * 3_600_000;
export const MINUTE_MS = 60_000;
