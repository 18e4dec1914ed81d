import { type Decision, wait } from './decision.ts';
import type { QueuedRequest } from './queued-requests.ts';

/** An open rate-limit window, as seen. Times are local ms. */
export interface OpenWindow {
  readonly closesAt: number;
  /** When an answer told of it last. */
  readonly seenAt: number;
  /** How long (ms) it may go without a probe while there is work; Infinity where there are no other clients. */
  readonly probeEveryMs: number;
}

/** What a scope allows, and what decides whether it is better kept for later. Times are local ms. */
export interface PaceFacts {
  readonly now: number;
  readonly free: number;
  /** Undefined when none is open. */
  readonly window: OpenWindow | undefined;
  /** When the platform's next bucket closes. */
  readonly bucketClosesAt: number;
  /** Requests per ms that the concurrency limit lets through. */
  readonly throughput: number;
}

const MINUTE_MS = 60_000;

/**
 * Which requests wait although their scope has an allowance. A request right after a bucket closes brings data that is
 * a minute fresher than one right before: so what can still be sent between then and the window's end waits for it,
 * unless a probe is due.
 */
export function pace(facts: PaceFacts): (request: QueuedRequest) => Decision | undefined {
  const { now, free, window, bucketClosesAt, throughput } = facts;
  if (window === undefined) return () => undefined;
  const probeAt = window.seenAt + window.probeEveryMs;
  const forBucket = Math.floor((window.closesAt - bucketClosesAt) * throughput);
  if (now >= probeAt || free > forBucket) return () => undefined;
  const paced = wait('pacing', Math.min(probeAt, bucketClosesAt));
  return (request) => (wouldBeLate(request, bucketClosesAt) ? undefined : paced);
}

/** Whether a request would be later than planned if it waited for the next bucket. */
function wouldBeLate({ since, plannedIntervalMs }: QueuedRequest, bucketClosesAt: number): boolean {
  return bucketClosesAt - since > Math.ceil(plannedIntervalMs() / MINUTE_MS) * MINUTE_MS;
}
