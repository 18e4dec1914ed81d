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

/** Condition of one receiver. */
export interface ReceiverView {
  readonly name: string;
  /** The protocol in use, with its version. */
  readonly protocol: string;
  /** Samples and bytes that wait; undefined until the entries of an earlier run are known. */
  readonly samples: number | undefined;
  readonly bytes: number | undefined;
  /** Time (ms since the epoch) since which the oldest known sample waits; of an entry that cannot be decoded, its intended time. */
  readonly oldest: number | undefined;
  /** Time (ms since the epoch) at which it last took samples. */
  readonly lastSuccessAt: number | undefined;
  /** Reason why the last request failed; empty if it succeeded. */
  readonly trouble: string;
}

/** Receiver that gets its samples until it is stopped. */
export interface RunningReceiver {
  readonly receiver: Receiver;
  readonly queue: DestinationQueue;
  readonly snapshots: SnapshotSlot;
  readonly protocol: Protocol;
  readonly view: () => ReceiverView;
  readonly stop: () => Promise<void>;
}

/** Sends to the receiver at a destination. */
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
  /** Sends in place of connections of its own; default: it has its own. */
  readonly sendTo?: SendTo;
  readonly instance?: string;
}

interface ReceiverOptions extends SendingOptions {
  readonly outbox: Pick<Outbox, 'load' | 'isLoaded'>;
  readonly queue: DestinationQueue;
  readonly startedAt: number;
}

/** Time to wait (ms) before sending is tried again after a fault of the exporter itself. */
const AFTER_DEFECT_MS = 60_000;

/** Starts to send to a receiver, beginning with the samples of an earlier run. */
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

/** Connection to a receiver in its configured protocol; adds the receiver's labels to each sample. */
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
  /** The receiver takes samples never. @param words its own, without secrets */
  refused(receiver: string, reason: RefusalReason, samples: number, words: string): void;
  dropped: OnDropped;
  /** Reports a failed request, whose samples are sent again. */
  failed(receiver: string, words: string): void;
  /** Reports an outbox that cannot be read: nothing is sent until a later read succeeds. */
  outboxNotRead(receiver: string, words: string): void;
  /** A fault of the exporter itself has interrupted the pushing to a receiver. */
  pushDefect(receiver: string, error: unknown): void;
}

/** Returns a receiver's part of the status, without its address, whose path may be a secret. */
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
