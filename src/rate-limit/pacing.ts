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
  /** Requests that wait for this scope. */
  readonly waiting: number;
  /** Undefined when none is open. */
  readonly window: OpenWindow | undefined;
  /** When the platform's next bucket closes. */
  readonly bucketClosesAt: number;
  /** Requests per ms that the concurrency limit lets through. */
  readonly throughput: number;
}

const MINUTE_MS = 60_000;

/** How long before a window closes a last probe leaves, to see what other clients left of it. */
const LAST_PROBE_MS = 2_000;

/**
 * Which requests wait although their scope has an allowance. A request right after a bucket closes brings data that is
 * a minute fresher than one right before: so what can still be sent between then and the window's end waits for it. And
 * some leave alone, now and then and shortly before the end, as probes: their answers tell what other clients have
 * taken from the window, what is left for us, and what they will want of the next.
 */
export function pace(facts: PaceFacts): (request: QueuedRequest) => Decision | undefined {
  const { now, free, waiting, window, bucketClosesAt, throughput } = facts;
  if (window === undefined) return () => undefined;
  const { closesAt, seenAt, probeEveryMs } = window;
  const lastProbeAt = closesAt - LAST_PROBE_MS;
  const probeAt = Math.min(seenAt + probeEveryMs, lastProbeAt);
  const probed = seenAt >= lastProbeAt;
  if (now >= probeAt && !probed) return () => undefined;
  const before = Math.max(0, Math.ceil((lastProbeAt - now) / probeEveryMs) - 1);
  const fewerAt = before > 0 ? lastProbeAt - before * probeEveryMs : Number.POSITIVE_INFINITY;
  const until = Math.min(probed ? closesAt : Math.min(probeAt, fewerAt), bucketClosesAt);
  const forBucket = Math.max(0, Math.floor((closesAt - bucketClosesAt) * throughput));
  const forProbes = probed ? 0 : 1 + before;
  return (request) => {
    if (free <= forBucket && !wouldBeLate(request, bucketClosesAt)) return wait('pacing', until);
    // When there is enough for all, nobody is left to probe with.
    return waiting > free && free <= forProbes ? wait('later_probes', until) : undefined;
  };
}

/** Whether a request would be later than planned if it waited for the next bucket. */
function wouldBeLate({ since, plannedIntervalMs }: QueuedRequest, bucketClosesAt: number): boolean {
  return bucketClosesAt - since > Math.ceil(plannedIntervalMs() / MINUTE_MS) * MINUTE_MS;
}
