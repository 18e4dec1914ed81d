import type { AccountsOfReplica } from '../cluster/member.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import { memoryState, type State } from '../state/state.ts';
import { Push, type PushOptions } from './push.ts';
import type { ReceiverView, SendTo } from './running-receiver.ts';

interface ReplicaPushOptions extends Pick<PushOptions, 'clock' | 'observer'> {
  readonly instance: string;
}

/** An account may keep so many bytes for a receiver however many accounts there are: more than one poll finds. */
const LEAST_SHARE = 16 * 2 ** 20;

/** Each account has a queue of its own, so that each reads ahead (bytes) no more than about one request. */
const READ_BYTES = 256 * 2 ** 10;

/** Receivers that this replica does not know may be new: within so long (ms) a rolling update has the account pass to one that does. */
const KEEPS_UNKNOWN_MS = 10 * 60_000;

/** How much of what may wait for a receiver one of so many accounts may keep. */
export function shareOf(maxBytes: number, accounts: number): number {
  return Math.min(maxBytes, Math.max(LEAST_SHARE, Math.floor(maxBytes / Math.max(1, accounts))));
}

/** Pushes as one of several replicas: what waits lies in its account's state, and whoever owns the account sends it. */
export class ReplicaPush {
  readonly #options: ReplicaPushOptions;
  /** Has the connections to receivers, and sends what `/metrics` shows besides buckets. */
  readonly #shared: Push;
  readonly #owned = new Map<string, Push>();
  #receivers: readonly Receiver[] = [];

  constructor(options: ReplicaPushOptions) {
    this.#options = options;
    this.#shared = new Push({ ...options, state: memoryState() });
  }

  /** Makes these the receivers; of what may wait for each of them, each account of all replicas has a share. */
  async apply(receivers: readonly Receiver[], accounts: number): Promise<void> {
    this.#receivers = receivers.map((receiver) => {
      const { outbox } = receiver;
      const max_bytes = shareOf(outbox.max_bytes, accounts);
      return { ...receiver, buckets_only: true, outbox: { ...outbox, max_bytes } };
    });
    await this.#shared.apply(receivers);
    await Promise.all([...this.#owned.values()].map((push) => push.apply(this.#receivers)));
  }

  /** Has what these accounts find pushed, as long as each is owned. */
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

  /** The receivers, with what waits here for each of all accounts that this replica owns. */
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
    const push = new Push({
      clock,
      observer,
      state,
      sendTo,
      readBytes: READ_BYTES,
      keepsUnknownMs: KEEPS_UNKNOWN_MS,
    });
    this.#owned.set(account, push);
    void push.apply(this.#receivers);
  }
}

/** Undefined where one is not known. */
function sumOf(views: readonly ReceiverView[], what: 'samples' | 'bytes'): number | undefined {
  const known = views.flatMap((view) => view[what] ?? []);
  return known.length < views.length ? undefined : known.reduce((sum, one) => sum + one, 0);
}

function momentsOf(views: readonly ReceiverView[], moment: 'oldest' | 'lastSuccessAt'): number[] {
  return views.flatMap((view) => view[moment] ?? []).sort((a, b) => a - b);
}
