import type { Ticket } from './ticket.ts';

/** An open frame, as seen. Times are local ms. */
export interface FrameView {
  readonly closesAt: number;
  /** When an answer told of it last. */
  readonly seenAt: number;
  /** How long (ms) it may go unseen while there is work; Infinity while nobody else uses the token. */
  readonly lookEveryMs: number;
}

export interface Moment {
  readonly now: number;
  /** Undefined when no frame is open. */
  readonly frame: FrameView | undefined;
  /** When the platform's next bucket closes. */
  readonly bucketClosesAt: number;
  /** Operations per ms that the wire carries. */
  readonly throughput: number;
}

/** Operations of an open frame that bring more later in it. */
export interface Kept {
  /** For the looks at what others take. */
  readonly forLooks: number;
  /** For the next bucket. */
  readonly forBucket: number;
  /** When to think again. */
  readonly until: number;
}

const MINUTE_MS = 60_000;

/** How long before a frame closes an operation leaves to see what the token's other users left of it. */
const LAST_LOOK_MS = 2_000;

/**
 * What is best kept of a frame. An operation right after a bucket closes brings news that is a minute fresher than
 * one right before: so what the wire can still carry between then and the frame's end waits for it. And some leave
 * alone, now and then and shortly before the end: their answers tell what others have taken from the frame, what is
 * left over for us, and what they will want of the next.
 */
export function keptFor({ now, frame, bucketClosesAt, throughput }: Moment): Kept {
  if (frame === undefined) return { forLooks: 0, forBucket: 0, until: now };
  const { closesAt, seenAt, lookEveryMs } = frame;
  const lastLookAt = closesAt - LAST_LOOK_MS;
  const lookAt = Math.min(seenAt + lookEveryMs, lastLookAt);
  const looked = seenAt >= lastLookAt;
  const before = Math.max(0, Math.ceil((lastLookAt - now) / lookEveryMs) - 1);
  const fewerAt = before > 0 ? lastLookAt - before * lookEveryMs : Number.POSITIVE_INFINITY;
  const carried = Math.max(0, Math.floor((closesAt - bucketClosesAt) * throughput));
  const until = Math.min(looked ? closesAt : Math.min(lookAt, fewerAt), bucketClosesAt);
  return now >= lookAt && !looked
    ? { forLooks: 0, forBucket: 0, until: now }
    : { forLooks: looked ? 0 : 1 + before, forBucket: carried, until };
}

/** Whether a ticket would be later than the plan has it if it waited for the next bucket. */
export function cannotWait(ticket: Ticket, bucketClosesAt: number): boolean {
  return bucketClosesAt - ticket.since > Math.ceil(ticket.patience() / MINUTE_MS) * MINUTE_MS;
}
