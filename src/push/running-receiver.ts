import type { Clock } from '../clock.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import type { State } from '../state/state.ts';
import { Bell } from './bell.ts';
import type { Outbox } from './outbox.ts';
import { protocolOf } from './protocol.ts';
import type { PushObserver } from './push-observer.ts';
import { ReceiverConnection } from './receiver-connection.ts';
import { ReceiverQueue } from './receiver-queue.ts';
import { ReceiverSnapshots } from './receiver-snapshots.ts';
import { Sender } from './sender.ts';

/** How one receiver fares. */
export interface ReceiverView {
  readonly name: string;
  readonly url: string;
  /** The protocol in use, with its version. */
  readonly protocol: string;
  /** What waits for it. */
  readonly samples: number;
  readonly bytes: number;
  /** Since when the oldest has waited (ms since the epoch). */
  readonly oldest: number | undefined;
  /** When it last took samples (ms since the epoch). */
  readonly lastSuccessAt: number | undefined;
  /** Why the last request failed; empty when it did not. */
  readonly trouble: string;
}

/** A receiver that is sent what there is for it, until it is stopped. */
export interface RunningReceiver {
  readonly receiver: Receiver;
  readonly queue: ReceiverQueue;
  readonly snapshots: ReceiverSnapshots;
  readonly view: () => ReceiverView;
  readonly stop: () => Promise<void>;
}

export interface ReceiverOptions {
  readonly clock: Clock;
  readonly state: State;
  readonly observer: PushObserver;
  readonly outbox: Outbox;
  /** When the exporter's own counters were at zero (ms since the epoch). */
  readonly startedAt: number;
}

/** Starts to send to a receiver: first what an earlier run left for it. */
export function startReceiver(
  receiver: Receiver,
  { clock, state, observer, outbox, startedAt }: ReceiverOptions,
): RunningReceiver {
  const { name, url } = receiver;
  const stopping = new AbortController();
  const connection = new ReceiverConnection(receiver, () => clock.wall());
  const protocol = protocolOf(receiver, connection);
  const added = new Bell();
  const onAdded = () => added.ring();
  const queue = new ReceiverQueue({
    receiver,
    state,
    clock,
    onDropped: (reason, samples) => observer.dropped(name, reason, samples),
    onAdded,
  });
  const snapshots = new ReceiverSnapshots({ receiver, startedAt, onAdded });
  let lastSuccessAt: number | undefined;
  let trouble = '';
  const sender = new Sender({
    queue,
    snapshots,
    added,
    clock,
    send: (samples, signal) => protocol.send(samples, signal),
    sent: (samples) => {
      lastSuccessAt = clock.wall();
      trouble = '';
      observer.sent(name, samples);
    },
    refused: (reason, samples, words) => observer.refused(name, reason, samples, words),
    failed: (words) => {
      trouble = words;
      observer.failed(name, words);
    },
  });
  const { signal } = stopping;
  const run = outbox
    .takeUp(queue, signal)
    .then(() => sender.run(signal))
    .catch((error: unknown) => {
      if (!signal.aborted) observer.pushDefect(name, error);
    });
  return {
    receiver,
    queue,
    snapshots,
    view: () => ({
      name,
      url,
      protocol: protocol.name,
      samples: queue.waiting.samples,
      bytes: queue.waiting.bytes,
      oldest: queue.waiting.oldest,
      lastSuccessAt,
      trouble,
    }),
    async stop() {
      stopping.abort();
      await run;
      await connection.close();
    },
  };
}
