import { isDeepStrictEqual } from 'node:util';
import type { Sample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import { type Receiver, secretsOfReceiver } from '../configuration/push-settings.ts';
import { type State, StateWriteFailure } from '../state/state.ts';
import { isBucketFamily } from './family-help.ts';
import { type Found, Outbox } from './outbox.ts';
import { PageReader } from './page-reader.ts';
import type { PushObserver } from './push-observer.ts';
import { selectionOf } from './receiver-selection.ts';
import { type ReceiverView, type RunningReceiver, startReceiver } from './running-receiver.ts';

export interface PushOptions {
  readonly clock: Clock;
  readonly state: State;
  readonly observer: PushObserver;
}

/** Pushes to every receiver, each on its own: none waits for another, and no poll for any. */
export class Push {
  readonly #options: PushOptions;
  readonly #outbox: Outbox;
  readonly #stopping = new AbortController();
  #running: readonly RunningReceiver[] = [];
  readonly #startedAt: number;
  readonly #pages = new PageReader((family) => !isBucketFamily(family));
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

  /** Makes durable what a poll found, and what is to be pushed of it. @throws StateWriteFailure when nothing of it is */
  commit(found: Found): Promise<void> {
    return this.#outbox.commit(found);
  }

  /**
   * Sends what `/metrics` shows besides buckets, as it is now, to the receivers that have the snapshot before.
   * @param page asked only where there is such a receiver
   */
  async takeSnapshot(page: () => Promise<readonly Buffer[]>): Promise<void> {
    const { clock, observer } = this.#options;
    const free = () => this.#running.filter(({ snapshots }) => snapshots.isFree(clock.wall()));
    if (free().length === 0) return;
    try {
      const pieces = await page();
      const at = clock.wall();
      const shown = await this.#pages.read(pieces);
      for (const { snapshots } of free()) snapshots.take(shown, at);
    } catch (error) {
      observer.pushDefect('', error);
    }
  }

  /** Makes these the receivers: those that have changed start anew, the others go on. */
  async apply(receivers: readonly Receiver[]): Promise<void> {
    const kept = this.#running.filter(({ receiver }) =>
      receivers.some((wanted) => sameReceiver(receiver, wanted)),
    );
    await Promise.all(this.#running.filter((running) => !kept.includes(running)).map(({ stop }) => stop()));
    const startedAt = this.#startedAt;
    const running = receivers.map(
      (receiver) =>
        kept.find((one) => sameReceiver(one.receiver, receiver)) ??
        startReceiver(receiver, { ...this.#options, startedAt, outbox: this.#outbox }),
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
