import type { Bell } from './bell.ts';
import type { Batch, ReceiverQueue } from './receiver-queue.ts';
import type { ReceiverSnapshots, Snapshot } from './receiver-snapshots.ts';
import { Delivery, type DeliveryOptions, REQUEST_SAMPLES } from './sample-delivery.ts';

export interface SenderOptions extends DeliveryOptions {
  readonly queue: ReceiverQueue;
  readonly snapshots: ReceiverSnapshots;
  /** Rings when something comes into either. */
  readonly added: Bell;
}

/** How long (ms) to wait for more before a request that is not full. */
const GATHER_MS = 1_000;

/** How long (ms) to wait before an outbox that cannot be read is read again. */
const UNREADABLE_MS = 60_000;

/**
 * Sends what waits for one receiver, one request at a time. A request holds no two samples of one series, and the next
 * one waits until this one's samples have left the outbox: what is sent again after a crash is then at most one sample
 * of each series, the newest that the receiver has, which every receiver takes twice.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #delivery: Delivery;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#delivery = new Delivery(options);
  }

  /** Sends until the signal aborts; then it rejects with its reason. */
  async run(signal: AbortSignal): Promise<never> {
    const { queue, snapshots, added, clock } = this.#options;
    for (;;) {
      while (queue.waiting.samples === 0 && snapshots.waiting === undefined) await added.rung(signal);
      signal.throwIfAborted();
      if (queue.waiting.samples < REQUEST_SAMPLES) await clock.sleep(GATHER_MS, signal);
      const { waiting } = snapshots;
      if (waiting !== undefined && isNext(waiting, queue)) {
        await this.#sendSnapshot(waiting, signal);
      } else {
        const batch = await this.#nextBatch(signal);
        await this.#delivery.deliver(batch.samples, signal);
        await queue.remove(batch, signal);
      }
    }
  }

  async #sendSnapshot({ samples }: Snapshot, signal: AbortSignal): Promise<void> {
    for (let from = 0; from < samples.length; from += REQUEST_SAMPLES)
      await this.#delivery.deliver(samples.slice(from, from + REQUEST_SAMPLES), signal);
    this.#options.snapshots.sent();
  }

  async #nextBatch(signal: AbortSignal): Promise<Batch> {
    const { queue, failed, clock } = this.#options;
    for (;;) {
      try {
        return await queue.next(REQUEST_SAMPLES);
      } catch (error) {
        signal.throwIfAborted();
        failed(`the outbox cannot be read: ${error instanceof Error ? error.message : String(error)}`);
        await clock.sleep(UNREADABLE_MS, signal);
      }
    }
  }
}

/**
 * Whether nothing waits that was there before the snapshot. Prometheus takes no sample that is an hour older than its
 * newest one: sent first, a snapshot would cost it what waited while it was away.
 */
function isNext({ at }: Snapshot, { waiting: { oldest } }: ReceiverQueue): boolean {
  return oldest === undefined || oldest >= at;
}
