import { once } from 'node:events';
import { unlessAborted } from '../clock.ts';
import { Delivery, type DeliveryOptions, REQUEST_SAMPLES } from './delivery.ts';
import type { DestinationQueue } from './destination-queue.ts';
import type { Snapshot, SnapshotSlot } from './snapshots.ts';

export interface SenderOptions extends DeliveryOptions {
  /** Queue to send. It emits `added` when an entry is added or a snapshot is taken. */
  readonly queue: DestinationQueue;
  /** Loads the samples of an earlier run. */
  readonly load: () => Promise<void>;
  readonly snapshots: SnapshotSlot;
  /** Reports an outbox that cannot be read; reading is retried. */
  readonly notRead: (words: string) => void;
}

/** Time (ms) to wait for further samples before a request that is not full. */
const GATHER_MS = 1_000;

/** Delay (ms) before an outbox that cannot be read is read again. */
const UNREADABLE_MS = 10_000;

/**
 * Sends the queue of one receiver, one request at a time, until the signal aborts and it rejects. A request has at most one sample
 * of each series. The next request waits until the samples are removed from the queue. So after a crash, at most the newest sample
 * of each series is sent again, which every receiver accepts twice.
 */
export async function sendWaiting(options: SenderOptions, signal: AbortSignal): Promise<never> {
  const { queue, snapshots, load, clock } = options;
  const delivery = new Delivery(options);
  await unlessUnreadable(() => unlessAborted(load(), signal), options, signal);
  let leftBehind = 0;
  for (;;) {
    while (queue.waiting.samples === 0 && snapshots.waiting === undefined)
      await once(queue.arrivals, 'added', { signal });
    signal.throwIfAborted();
    // Does not wait if the last request omitted samples, which it does when it already has one of their series.
    if (leftBehind === 0 && queue.waiting.samples < REQUEST_SAMPLES) await clock.sleep(GATHER_MS, signal);
    const { waiting } = snapshots;
    if (waiting !== undefined && isNext(waiting, queue)) {
      if (await deliverInParts(waiting, delivery, signal)) snapshots.sent();
    } else {
      const batch = await unlessUnreadable(() => queue.next(REQUEST_SAMPLES), options, signal);
      leftBehind = queue.waiting.samples - batch.samples.length;
      if (await delivery.deliver(batch.samples, signal)) await queue.remove(batch, signal);
    }
  }
}

async function deliverInParts(
  { samples }: Snapshot,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<boolean> {
  for (let from = 0; from < samples.length; from += REQUEST_SAMPLES)
    if (!(await delivery.deliver(samples.slice(from, from + REQUEST_SAMPLES), signal))) return false;
  return true;
}

/** Reads the outbox; retries until the disk succeeds. */
async function unlessUnreadable<Result>(
  read: () => Promise<Result>,
  { notRead, clock }: SenderOptions,
  signal: AbortSignal,
): Promise<Result> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      signal.throwIfAborted();
      notRead(error instanceof Error ? error.message : String(error));
      await clock.sleep(UNREADABLE_MS, signal);
    }
  }
}

/** Returns true if no older sample is queued. After a snapshot, Prometheus refuses samples that are an hour older. */
function isNext({ at }: Snapshot, { waiting: { oldest } }: DestinationQueue): boolean {
  return oldest === undefined || oldest >= at;
}
