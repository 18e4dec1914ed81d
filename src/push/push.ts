import { isDeepStrictEqual } from 'node:util';
import type { Sample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import { type Receiver, secretsOfReceiver } from '../configuration/push-settings.ts';
import { type State, StateWriteFailure } from '../state/state.ts';
import { Bell } from './bell.ts';
import { isBucketFamily } from './family-help.ts';
import { type Found, Outbox } from './outbox.ts';
import { PageReader } from './page-reader.ts';
import { protocolOf } from './protocol.ts';
import type { RefusalReason } from './receiver-answer.ts';
import { ReceiverConnection } from './receiver-connection.ts';
import { type DropReason, ReceiverQueue } from './receiver-queue.ts';
import { selectionOf } from './receiver-selection.ts';
import { ReceiverSnapshots } from './receiver-snapshots.ts';
import { Sender } from './sender.ts';

/** Told what becomes of what is pushed. */
export interface PushObserver {
  sent(receiver: string, samples: number): void;
  /** The receiver takes samples never. @param words its own, without secrets */
  refused(receiver: string, reason: RefusalReason, samples: number, words: string): void;
  /** Samples left the outbox without having been sent. */
  dropped(receiver: string, reason: DropReason, samples: number): void;
  /** A request has failed; what it held is sent again. */
  failed(receiver: string, words: string): void;
  /** A fault of the exporter itself ended the pushing to a receiver. */
  pushDefect(receiver: string, error: unknown): void;
}

export interface PushOptions {
  readonly clock: Clock;
  readonly state: State;
  readonly observer: PushObserver;
}

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

interface Running {
  readonly receiver: Receiver;
  readonly queue: ReceiverQueue;
  readonly snapshots: ReceiverSnapshots;
  readonly view: () => ReceiverView;
  readonly stop: () => Promise<void>;
}

/** Pushes to every receiver, each on its own: none waits for another, and no poll for any. */
export class Push {
  readonly #options: PushOptions;
  readonly #outbox: Outbox;
  readonly #stopping = new AbortController();
  #running: readonly Running[] = [];
  readonly #startedAt: number;
  readonly #pages = new PageReader((family) => !isBucketFamily(family));
  /** What `/metrics` leaves out. */
  #hidden: readonly ReturnType<typeof selectionOf>[] = [];

  constructor(options: PushOptions) {
    this.#options = options;
    this.#outbox = new Outbox(options.state, options.clock);
    this.#startedAt = options.clock.wall();
  }

  /** Whether there is anybody to push to. */
  get isWanted(): boolean {
    return this.#outbox.isWanted;
  }

  /** Whether `/metrics` has a sample: it leaves out the buckets that are pushed to a receiver that says so. */
  exposes(sample: Sample): boolean {
    return !this.#hidden.some((isSelected) => isBucketFamily(sample.family.name) && isSelected(sample));
  }

  /** Makes durable what a poll found, and what is to be pushed of it. @throws StateWriteFailure when nothing of it is */
  commit(found: Found): Promise<void> {
    return this.#outbox.commit(found);
  }

  /**
   * Sends what `/metrics` shows besides buckets, as it is now, to the receivers that have the snapshot before.
   * @param page asked only where there is such a receiver
   */
  async takeSnapshot(page: () => Promise<readonly Buffer[]>): Promise<void> {
    const { clock } = this.#options;
    const free = () => this.#running.filter(({ snapshots }) => snapshots.isFree(clock.wall()));
    if (free().length === 0) return;
    const pieces = await page();
    const at = clock.wall();
    const shown = await this.#pages.read(pieces);
    for (const { snapshots } of free()) snapshots.take(shown, at);
  }

  /** Makes these the receivers: those that have changed start anew, the others go on. */
  async apply(receivers: readonly Receiver[]): Promise<void> {
    const kept = this.#running.filter(({ receiver }) =>
      receivers.some((wanted) => sameReceiver(receiver, wanted)),
    );
    await Promise.all(this.#running.filter((running) => !kept.includes(running)).map(({ stop }) => stop()));
    const running = receivers.map(
      (receiver) => kept.find((one) => sameReceiver(one.receiver, receiver)) ?? this.#start(receiver),
    );
    this.#running = running;
    this.#hidden = receivers.filter(({ expose }) => !expose).map(selectionOf);
    this.#outbox.queues = running.map(({ queue }) => queue);
    void this.#removeOthers(new Set(receivers.map(({ name }) => name)));
  }

  receivers(): ReceiverView[] {
    return this.#running.map(({ view }) => view());
  }

  /** Stops sending; what waits stays in the outbox. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running.map(({ stop }) => stop()));
  }

  #start(receiver: Receiver): Running {
    const { clock, state, observer } = this.#options;
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
    const snapshots = new ReceiverSnapshots({ receiver, startedAt: this.#startedAt, onAdded });
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
    const run = this.#outbox
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
        samples: queue.samples,
        bytes: queue.bytes,
        oldest: queue.oldest,
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

  /** What waits for receivers that are no longer configured is dropped. */
  async #removeOthers(names: ReadonlySet<string>): Promise<void> {
    const { observer } = this.#options;
    try {
      const removed = await this.#outbox.removeOthers(names, this.#stopping.signal);
      for (const [name, samples] of removed) observer.dropped(name, 'receiver_removed', samples);
    } catch (error) {
      // What the disk does not let go of is dropped by a later run.
      if (this.#stopping.signal.aborted || error instanceof StateWriteFailure) return;
      observer.pushDefect('', error);
    }
  }
}

/** Whether nothing of a receiver has changed, nor its secrets, which comparing objects does not look into. */
function sameReceiver(before: Receiver, after: Receiver): boolean {
  const revealed = (receiver: Receiver) => secretsOfReceiver(receiver).map((secret) => secret.reveal());
  return isDeepStrictEqual(before, after) && isDeepStrictEqual(revealed(before), revealed(after));
}
