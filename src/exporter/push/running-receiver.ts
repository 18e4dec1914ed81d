import type { Clock } from '../clock.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import type { State } from '../state/state.ts';
import type { ReceiverStatus } from '../status.ts';
import type { DestinationQueue, OnDropped } from './destination-queue.ts';
import { otlpTo } from './otlp.ts';
import type { Outbox } from './outbox.ts';
import {
  onceFor,
  type Protocol,
  type PushedSample,
  type PushedSeries,
  type ReceiverAnswer,
  type RefusalReason,
} from './protocol.ts';
import { NoReply, ReceiverConnection } from './receiver-connection.ts';
import { RemoteWrite } from './remote-write.ts';
import { type SenderOptions, sendWaiting } from './sender.ts';
import { SnapshotSlot } from './snapshots.ts';

/** Status of one receiver. */
export interface ReceiverView {
  readonly name: string;
  /** Name of the protocol in use, with its version. */
  readonly protocol: string;
  /** Number of queued samples, and their bytes; undefined until the entries of an earlier run are loaded. */
  readonly samples: number | undefined;
  readonly bytes: number | undefined;
  /** Time (ms since the epoch) since which the oldest sample is queued; undefined for an empty queue. */
  readonly oldest: number | undefined;
  /** Time (ms since the epoch) of the last successful request; undefined if there was none. */
  readonly lastSuccessAt: number | undefined;
  /** Reason why the last request failed; empty if it succeeded. */
  readonly trouble: string;
}

/** A receiver to which samples are sent until it is stopped. */
export interface RunningReceiver {
  readonly receiver: Receiver;
  readonly queue: DestinationQueue;
  readonly snapshots: SnapshotSlot;
  readonly protocol: Protocol;
  readonly view: () => ReceiverView;
  readonly stop: () => Promise<void>;
}

/** Function that sends samples to the receiver at a destination. */
export type SendTo = (
  destinationId: string,
  samples: readonly PushedSample[],
  signal: AbortSignal,
) => Promise<ReceiverAnswer>;

/** Options that all receivers have in common. */
export interface SendingOptions {
  readonly clock: Clock;
  readonly state: State;
  readonly observer: PushObserver;
  /** Sends samples instead of the receiver's own connections; default: own connections. */
  readonly sendTo?: SendTo;
  readonly instance?: string;
}

interface ReceiverOptions extends SendingOptions {
  readonly outbox: Pick<Outbox, 'load' | 'isLoaded'>;
  readonly queue: DestinationQueue;
  readonly startedAt: number;
}

/** Delay (ms) before sending is retried after a bug in the exporter. */
const AFTER_DEFECT_MS = 60_000;

/** Starts sending to a receiver, beginning with the samples of an earlier run. */
export function startReceiver(
  receiver: Receiver,
  { clock, observer, outbox, queue, startedAt, sendTo, instance }: ReceiverOptions,
): RunningReceiver {
  const { name } = receiver;
  const stopping = new AbortController();
  const { signal } = stopping;
  const { protocol, close } =
    sendTo === undefined
      ? connectReceiver(receiver, clock)
      : { protocol: { name: '', send: sendTo.bind(undefined, queue.destinationId) }, close: () => undefined };
  const onAdded = () => void queue.arrivals.emit('added');
  const snapshots = new SnapshotSlot({ receiver, startedAt, instance, onAdded });
  let lastSuccessAt: number | undefined;
  let unreadSince: number | undefined;
  let trouble = '';
  const sending: SenderOptions = {
    queue,
    load: () => outbox.load(),
    snapshots,
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
    notRead: (words) => {
      unreadSince ??= clock.wall();
      trouble = `the outbox cannot be read: ${words}`;
      observer.outboxNotRead(name, words);
    },
  };
  const send = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await sendWaiting(sending, signal);
      } catch (error) {
        if (signal.aborted) return;
        trouble = `a fault of the exporter: ${error instanceof Error ? error.message : String(error)}`;
        observer.pushDefect(name, error);
        await clock.sleep(AFTER_DEFECT_MS, signal).catch(() => undefined);
      }
    }
  };
  const run = send();
  return {
    receiver,
    queue,
    snapshots,
    protocol,
    view: () => ({
      name,
      protocol: protocol.name,
      samples: outbox.isLoaded ? queue.waiting.samples : undefined,
      bytes: outbox.isLoaded ? queue.waiting.bytes : undefined,
      oldest: queue.waiting.oldest ?? (outbox.isLoaded ? undefined : unreadSince),
      lastSuccessAt,
      trouble,
    }),
    async stop() {
      stopping.abort();
      await run;
      await close();
    },
  };
}

/** Connection to a receiver with its configured protocol; adds the receiver's labels to each sample. */
export interface ConnectedReceiver {
  readonly receiver: Receiver;
  readonly protocol: Protocol;
  readonly close: () => Promise<void>;
}

export function connectReceiver(receiver: Receiver, clock: Clock): ConnectedReceiver {
  const connection = new ReceiverConnection(receiver, () => clock.wall());
  const protocol = receiver.kind === 'otlp' ? otlpTo(connection) : new RemoteWrite(connection);
  const labelled = labelling(receiver.labels);
  return {
    receiver,
    protocol: {
      get name() {
        return protocol.name;
      },
      async send(samples, signal) {
        try {
          return await protocol.send(labelled(samples), signal);
        } catch (error) {
          if (error instanceof NoReply) return { kind: 'failed', words: error.message };
          throw error;
        }
      },
    },
    close: () => connection.close(),
  };
}

function labelling(added: Receiver['labels']): (samples: readonly PushedSample[]) => readonly PushedSample[] {
  if (Object.keys(added).length === 0) return (samples) => samples;
  const labelled = onceFor(({ family, labels }: PushedSeries) => ({
    family,
    labels: { ...added, ...labels },
  }));
  return (samples) => samples.map((sample) => ({ ...sample, series: labelled(sample.series) }));
}

/** Receives the results of pushing. */
export interface PushObserver {
  sent(receiver: string, samples: number): void;
  /** Reports samples that the receiver permanently refuses. @param words the receiver's message, without secrets */
  refused(receiver: string, reason: RefusalReason, samples: number, words: string): void;
  dropped: OnDropped;
  /** Reports a failed request, whose samples will be sent again. */
  failed(receiver: string, words: string): void;
  /** Reports an outbox that cannot be read: nothing is sent until a later read succeeds. */
  outboxNotRead(receiver: string, words: string): void;
  /** Reports a bug in the exporter that interrupted the pushing to a receiver. */
  pushDefect(receiver: string, error: unknown): void;
}

/** Returns a receiver's part of the status. Omits its address, whose path may be a secret. */
export function receiverStatus(view: ReceiverView): ReceiverStatus {
  const { name, protocol, samples, bytes, oldest, lastSuccessAt, trouble } = view;
  const timeOf = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    name,
    protocol,
    samples_waiting: samples ?? null,
    bytes_waiting: bytes ?? null,
    oldest_waiting_at: timeOf(oldest),
    last_success_at: timeOf(lastSuccessAt),
    note: trouble,
  };
}
