import type { Ticket } from './ticket.ts';

/** Where a frame stands. Times are local ms. */
export interface FramePosition {
  readonly now: number;
  /** When the frame closes; undefined when none is open. */
  readonly closesAt: number | undefined;
  /** When the platform's next bucket closes. */
  readonly bucketClosesAt: number;
  /** Operations per ms that the wire carries. */
  readonly throughput: number;
}

/** Operations of a frame that bring more later in it. */
export interface Kept {
  readonly operations: number;
  readonly until: number;
}

const MINUTE_MS = 60_000;

/** How long before a frame closes its last operation leaves, to see what the token's other users left of it. */
const LAST_LOOK_MS = 2_000;

/**
 * What is best kept of an open frame. An operation right after a bucket closes brings news that is a minute fresher
 * than one right before: so what the wire can still carry between then and the frame's end waits for it. Where no
 * bucket closes any more, one operation is kept for the end: its answer tells what others have taken from the frame,
 * and so what is over for us, and what they will want of the next.
 */
export function keptFor({ now, closesAt, bucketClosesAt, throughput }: FramePosition): Kept {
  if (closesAt === undefined) return { operations: 0, until: now };
  if (bucketClosesAt < closesAt) {
    const carried = Math.floor((closesAt - bucketClosesAt) * throughput);
    return { operations: Math.max(1, carried), until: bucketClosesAt };
  }
  const lastLook = closesAt - LAST_LOOK_MS;
  return now < lastLook ? { operations: 1, until: lastLook } : { operations: 0, until: now };
}

/** Whether a ticket would be later than the plan has it if it waited for the next bucket. */
export function cannotWait(ticket: Ticket, bucketClosesAt: number): boolean {
  return bucketClosesAt - ticket.since > Math.ceil(ticket.patience() / MINUTE_MS) * MINUTE_MS;
}
