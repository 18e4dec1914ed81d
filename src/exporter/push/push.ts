import type { Sample } from '../catalogue/family.ts';
import { isSame } from '../configuration/access.ts';
import { type Receiver, secretsOfReceiver } from '../configuration/push-settings.ts';
import { StateReadFailure, StateWriteFailure } from '../state/state.ts';
import { type Found, Outbox } from './outbox.ts';
import { isBucketFamily, type ReceiverAnswer, selectionOf } from './protocol.ts';
import type { ShownSamples } from './receiver-snapshots.ts';
import {
  type ReceiverView,
  type RunningReceiver,
  type SendingOptions,
  type SendTo,
  startReceiver,
} from './running-receiver.ts';

export interface PushOptions extends SendingOptions {
  /** For how long (ms) what waits for a receiver that is not configured is kept; by default it is dropped at once. */
  readonly keepsUnknownMs?: number;
}

/** Pushes to every receiver, each on its own: none waits for another, and no poll for any. */
export class Push {
  readonly #options: PushOptions;
  readonly #outbox: Outbox;
  readonly #stopping = new AbortController();
  #running: readonly RunningReceiver[] = [];
  readonly #startedAt: number;
  /** What `/metrics` leaves out. */
  #hidden: readonly ReturnType<typeof selectionOf>[] = [];

  constructor(options: PushOptions) {
    this.#options = options;
    this.#outbox = new Outbox(options.state, options.clock);
    this.#startedAt = options.clock.wall();
  }

  /** Whether `/metrics` has a sample: it leaves out the buckets that are pushed to a receiver that says so. */
  exposes(sample: Sample): boolean {
    return !this.#hidden.some((isSelected) => isBucketFamily(sample.family.name) && isSelected(sample));
  }

  /** What takes what polls of an account find; undefined where nothing is pushed. */
  outputOf(_account: string): Push | undefined {
    return this.#running.length > 0 ? this : undefined;
  }

  /** Makes durable what a poll found, and what is to be pushed of it. @throws StateWriteFailure when nothing of it is */
  commit(found: Found): Promise<void> {
    return this.#outbox.commit(found);
  }

  /** Sends what `/metrics` shows besides buckets to the receivers that have the snapshot before, if there is such a receiver. */
  async takeSnapshot(shown: (wants: (family: string) => boolean) => Promise<ShownSamples>): Promise<void> {
    const { clock, observer } = this.#options;
    const free = () => this.#running.filter(({ snapshots }) => snapshots.isFree(clock.wall()));
    if (free().length === 0) return;
    try {
      const samples = await shown((family) => !isBucketFamily(family));
      const at = clock.wall();
      for (const { snapshots } of free()) snapshots.take(samples, at);
    } catch (error) {
      observer.pushDefect('', error);
    }
  }

  /** Makes these the receivers: those that have changed start anew, the others go on. */
  async apply(receivers: readonly Receiver[]): Promise<void> {
    const kept = this.#running.filter(({ receiver }) =>
      receivers.some((wanted) => isSame(receiver, wanted, secretsOfReceiver)),
    );
    const ended = this.#running.filter((running) => !kept.includes(running));
    // Where none ends, all is set up before this returns.
    if (ended.length > 0) await Promise.all(ended.map(({ stop }) => stop()));
    if (this.#stopping.signal.aborted) return;
    const startedAt = this.#startedAt;
    const running = receivers.map(
      (receiver) =>
        kept.find((one) => isSame(one.receiver, receiver, secretsOfReceiver)) ??
        startReceiver(receiver, { ...this.#options, startedAt, outbox: this.#outbox }),
    );
    this.#running = running;
    this.#hidden = receivers.filter(({ expose }) => !expose).map(selectionOf);
    this.#outbox.queues = running.map(({ queue }) => queue);
    void this.#removeOthers();
  }

  /** Sends to a receiver by the connection that it has. */
  async send(...[name, samples, signal]: Parameters<SendTo>): Promise<ReceiverAnswer> {
    const running = this.#running.find(({ receiver }) => receiver.name === name);
    return (
      (await running?.protocol.send(samples, signal)) ?? { kind: 'failed', words: 'it is configured no more' }
    );
  }

  receivers(): ReceiverView[] {
    return this.#running.map(({ view }) => view());
  }

  /** Stops sending; what waits stays in the outbox. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running.map(({ stop }) => stop()));
  }

  /** What waits for receivers that are no longer configured is dropped. */
  async #removeOthers(): Promise<void> {
    const { clock, observer, keepsUnknownMs = 0 } = this.#options;
    try {
      if (keepsUnknownMs > 0) await clock.sleep(keepsUnknownMs, this.#stopping.signal);
      const dropped = (name: string, samples: number) => observer.dropped(name, 'receiver_removed', samples);
      await this.#outbox.removeOthers(dropped, this.#stopping.signal);
    } catch (error) {
      // What the disk does not let go of is dropped by a later run.
      const isRefused = error instanceof StateWriteFailure || error instanceof StateReadFailure;
      if (this.#stopping.signal.aborted || isRefused) return;
      observer.pushDefect('', error);
    }
  }
}
