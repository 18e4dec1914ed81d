import { cannotWait, type Kept } from './better-moment.ts';
import type { Shortage } from './budget.ts';
import type { Ticket } from './ticket.ts';

/** What keeps a ticket from leaving although there is a place on the wire. */
export interface Hold {
  /** Why its scope allows nothing, or for what the rest is kept: the next bucket, or looks at what others take. */
  readonly why: Shortage | 'bucket' | 'looks';
  /** When it may leave (local ms), as far as is known; Infinity for "not before an answer comes in". */
  readonly until: number;
  /** When to think again (local ms). */
  readonly reviewAt: number;
}

/** What a scope allows at a moment. */
export interface Opening {
  /** How many operations may leave now. */
  readonly free: number;
  /** What keeps all of its tickets where that is none. */
  readonly shortage: Hold | undefined;
  /** How many tickets wait for it whose time has come. */
  readonly waiting: number;
  /** How many of the free ones are kept, and when to think again. */
  readonly kept: Kept;
  /** When the platform's next bucket closes (local ms). */
  readonly bucketClosesAt: number;
}

/** What keeps a ticket from leaving under an opening; undefined when it may leave. */
export function holdOf(ticket: Ticket, opening: Opening): Hold | undefined {
  const { free, shortage, waiting, kept, bucketClosesAt } = opening;
  if (shortage !== undefined) return shortage;
  if (free <= kept.forBucket && !cannotWait(ticket, bucketClosesAt)) {
    return { why: 'bucket', until: bucketClosesAt, reviewAt: kept.until };
  }
  // When there is enough for all, nobody is left to look with.
  if (waiting > free && free <= kept.forLooks) {
    return { why: 'looks', until: kept.until, reviewAt: kept.until };
  }
  return undefined;
}
