import type { Sample } from '../catalogue/family.ts';
import type { AccountsOfReplica } from '../cluster/member.ts';
import { isSame } from '../configuration/access.ts';
import { type Receiver, secretsOfReceiver } from '../configuration/push-settings.ts';
import { memoryState } from '../state/open-state.ts';
import { type State, StateReadFailure } from '../state/state.ts';
import { destinationIds, type Found, Outbox } from './outbox.ts';
import { isBucketFamily, type ReceiverAnswer, selectionOf } from './protocol.ts';
import {
  type ReceiverView,
  type RunningReceiver,
  type SendingOptions,
  type SendTo,
  startReceiver,
} from './running-receiver.ts';
import type { ShownSamples } from './snapshots.ts';

/** Interval (ms) at which expired samples of unconfigured destinations are dropped. */
const EXPIRY_MS = 60_000;

/** Pushes to every receiver, independently of other receivers and of polls. */
export class Push {
  readonly #options: SendingOptions;
  readonly #outbox: Outbox;
  readonly #stopping = new AbortController();
  #running: readonly RunningReceiver[] = [];
  readonly #startedAt: number;
  #isExpiring = false;
  /** Selections of receivers whose buckets `/metrics` hides. */
  #hidden: readonly ReturnType<typeof selectionOf>[] = [];

  constructor(options: SendingOptions) {
    const { state, clock, observer } = options;
    this.#options = options;
    const { signal } = this.#stopping;
    this.#outbox = new Outbox({ state, clock, onDropped: (...what) => observer.dropped(...what), signal });
    this.#startedAt = clock.wall();
  }

  /** Returns true if `/metrics` shows a sample: buckets of receivers with `expose: false` are hidden. */
  exposes(sample: Sample): boolean {
    return !this.#hidden.some((isSelected) => isBucketFamily(sample.family.name) && isSelected(sample));
  }

  /** Returns the output for an account's polls; undefined if nothing is pushed. */
  outputOf(_account: string): Push | undefined {
    return this.#running.length > 0 ? this : undefined;
  }

  /** Commits the result of a poll, with the samples to push. @throws StateWriteFailure if nothing is durable */
  commit(found: Found): Promise<void> {
    return this.#outbox.commit(found);
  }

  /** Takes a snapshot of the other families of `/metrics` for each receiver that has received the previous one. */
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

  /** Sets the receivers. Changed receivers restart; the others continue. */
  async apply(receivers: readonly Receiver[]): Promise<void> {
    const ids = destinationIds(receivers);
    const kept = receivers.map((receiver, index) =>
      this.#running.find(
        (one) => one.queue.destinationId === ids[index] && isSame(one.receiver, receiver, secretsOfReceiver),
      ),
    );
    const ended = this.#running.filter((running) => !kept.includes(running));
    // If no receiver ends, everything is set up before this returns.
    if (ended.length > 0) await Promise.all(ended.map(({ stop }) => stop()));
    if (this.#stopping.signal.aborted) return;
    const [startedAt, outbox] = [this.#startedAt, this.#outbox];
    this.#running = outbox
      .configure(receivers)
      .map(
        ({ receiver, queue }, index) =>
          kept[index] ?? startReceiver(receiver, { ...this.#options, startedAt, outbox, queue }),
      );
    this.#hidden = receivers.filter(({ expose }) => !expose).map(selectionOf);
    if (!this.#isExpiring) void this.#dropUnconfigured();
  }

  /** Sends samples over the connection of a receiver. */
  async send(...[destinationId, samples, signal]: Parameters<SendTo>): Promise<ReceiverAnswer> {
    const running = this.#running.find(({ queue }) => queue.destinationId === destinationId);
    return (
      (await running?.protocol.send(samples, signal)) ?? { kind: 'failed', words: 'it is configured no more' }
    );
  }

  receivers(): ReceiverView[] {
    return this.#running.map(({ view }) => view());
  }

  /** Stops sending. Samples stay in the outbox. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running.map(({ stop }) => stop()));
  }

  /** Drops expired samples of unconfigured destinations, until none is left. */
  async #dropUnconfigured(): Promise<void> {
    const { clock, observer } = this.#options;
    const { signal } = this.#stopping;
    this.#isExpiring = true;
    while (this.#isExpiring) {
      try {
        await clock.sleep(EXPIRY_MS, signal);
        await this.#outbox.load();
        this.#isExpiring = await this.#outbox.expire();
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof StateReadFailure)) observer.pushDefect('', error);
      }
    }
  }
}

interface ReplicaPushOptions extends Pick<SendingOptions, 'clock' | 'observer'> {
  readonly instance: string;
}

/** Minimum number of bytes of an account's queue for a receiver, for any number of accounts: more than one poll produces. */
const LEAST_SHARE = 16 * 2 ** 20;

/** Returns the share (bytes) of a receiver's limit per account. */
export function shareOf(maxBytes: number, accounts: number): number {
  return Math.min(maxBytes, Math.max(LEAST_SHARE, Math.floor(maxBytes / Math.max(1, accounts))));
}

/** Pushes as one of several replicas. Samples are queued in the state of their account, and the account's owner sends them. */
export class ReplicaPush {
  readonly #options: ReplicaPushOptions;
  /** Owns the connections to receivers, and sends samples that are not buckets. */
  readonly #shared: Push;
  readonly #owned = new Map<string, Push>();
  #receivers: readonly Receiver[] = [];

  constructor(options: ReplicaPushOptions) {
    this.#options = options;
    this.#shared = new Push({ ...options, state: memoryState() });
  }

  /** Sets the receivers. A receiver's limit is divided between the accounts of all replicas. */
  async apply(receivers: readonly Receiver[], accounts: number): Promise<void> {
    this.#receivers = receivers.map((receiver) => {
      const { outbox } = receiver;
      const max_bytes = shareOf(outbox.max_bytes, accounts);
      return { ...receiver, buckets_only: true, outbox: { ...outbox, max_bytes } };
    });
    await this.#shared.apply(receivers);
    await Promise.all([...this.#owned.values()].map((push) => push.apply(this.#receivers)));
  }

  /** Returns a wrapper that pushes the results of these accounts while this replica owns them. */
  alongside(accounts: AccountsOfReplica): AccountsOfReplica {
    return {
      own: (account, { state, mayAct }) => {
        this.#own(account, state, mayAct);
        accounts.own(account, { state, mayAct });
      },
      disown: async (account, signal) => {
        const push = this.#owned.get(account);
        this.#owned.delete(account);
        await Promise.all([accounts.disown(account, signal), push?.stop()]);
      },
      demands: () => accounts.demands(),
    };
  }

  outputOf(account: string): Push | undefined {
    return this.#owned.get(account)?.outputOf(account);
  }

  takeSnapshot(...of: Parameters<Push['takeSnapshot']>): Promise<void> {
    return this.#shared.takeSnapshot(...of);
  }

  /** Returns the receivers, with the samples queued in all accounts of this replica. */
  receivers(): ReceiverView[] {
    const views = [...this.#owned.values()].flatMap((push) => push.receivers());
    return this.#shared.receivers().map((shared) => {
      const all = [shared, ...views.filter(({ name }) => name === shared.name)];
      return {
        ...shared,
        samples: sumOf(all, 'samples'),
        bytes: sumOf(all, 'bytes'),
        oldest: momentsOf(all, 'oldest').at(0),
        lastSuccessAt: momentsOf(all, 'lastSuccessAt').at(-1),
        trouble: all.find(({ trouble }) => trouble !== '')?.trouble ?? '',
      };
    });
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#owned.values(), this.#shared].map((push) => push.stop()));
  }

  #own(account: string, state: State, mayAct: () => boolean): void {
    const sendTo: SendTo = async (...what) =>
      mayAct() ? this.#shared.send(...what) : { kind: 'failed', words: 'the lease of the account is over' };
    const { clock, observer } = this.#options;
    const push = new Push({ clock, observer, state, sendTo });
    this.#owned.set(account, push);
    void push.apply(this.#receivers);
  }
}

/** Returns a sum over all views; undefined if one of them is unknown. */
function sumOf(views: readonly ReceiverView[], what: 'samples' | 'bytes'): number | undefined {
  const known = views.flatMap((view) => view[what] ?? []);
  return known.length < views.length ? undefined : known.reduce((sum, one) => sum + one, 0);
}

function momentsOf(views: readonly ReceiverView[], moment: 'oldest' | 'lastSuccessAt'): number[] {
  return views.flatMap((view) => view[moment] ?? []).sort((a, b) => a - b);
}
