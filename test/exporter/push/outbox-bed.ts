import type { TimedSample } from '../../../src/exporter/catalogue/family.ts';
import type { Clock } from '../../../src/exporter/clock.ts';
import type { ShownSample } from '../../../src/exporter/exposition/text-format.ts';
import type { DropReason } from '../../../src/exporter/push/destination-queue.ts';
import { Outbox } from '../../../src/exporter/push/outbox.ts';
import type { PushedSample, ReceiverAnswer } from '../../../src/exporter/push/protocol.ts';
import { type SenderOptions, sendWaiting } from '../../../src/exporter/push/sender.ts';
import { SnapshotSlot } from '../../../src/exporter/push/snapshots.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import type { State } from '../../../src/exporter/state/state.ts';

/** Returns a clock whose sleeps end immediately. */
export function hastyClock(start = 0): Clock & { time: number } {
  const clock = {
    time: start,
    now: () => clock.time,
    wall: () => clock.time,
    async sleep(ms: number, signal?: AbortSignal) {
      clock.time += ms;
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    },
  };
  return clock;
}

export interface BedOptions {
  readonly send: (samples: readonly PushedSample[]) => ReceiverAnswer | Promise<ReceiverAnswer>;
  readonly state?: State;
  readonly maxBytes?: number;
  readonly maxAge?: number;
  readonly families?: readonly string[];
  readonly accounts?: readonly string[];
}

/**
 * Returns an outbox with one receiver. `crash` ends it without cleanup and starts another one on the same
 * state.
 */
export function outboxBed({ send, state = memoryState(), ...limits }: BedOptions) {
  const clock = hastyClock();
  const dropped: [DropReason, number][] = [];
  const refused: [string, number][] = [];
  const failures: string[] = [];
  const notRead: string[] = [];
  let sent = 0;
  let failure: unknown;
  const start = () => {
    const stopping = new AbortController();
    const onDropped = (_: string, reason: DropReason, samples: number) =>
      void dropped.push([reason, samples]);
    const outbox = new Outbox({ state, clock, onDropped, signal: stopping.signal });
    const receiver = {
      name: 'r',
      kind: 'otlp' as const,
      url: 'http://r/',
      families: [...(limits.families ?? ['*'])],
      accounts: [...(limits.accounts ?? ['*'])],
      buckets_only: false,
      labels: {},
      outbox: { max_bytes: limits.maxBytes ?? 2 ** 30, max_age: limits.maxAge ?? 86_400_000 },
    };
    const [{ queue } = never()] = outbox.configure([receiver]);
    const onAdded = () => void queue.arrivals.emit('added');
    const snapshots = new SnapshotSlot({ receiver, startedAt: clock.wall(), onAdded });
    let isReady = (): void => undefined;
    const ready = new Promise<void>((resolve) => {
      isReady = resolve;
    });
    const sending: SenderOptions = {
      queue,
      async load() {
        await outbox.load();
        isReady();
      },
      snapshots,
      clock,
      async send(samples) {
        const answer = await send(samples);
        // A crashed process ignores the answer.
        stopping.signal.throwIfAborted();
        return answer;
      },
      sent: (samples) => {
        sent += samples;
      },
      refused: (reason, samples) => void refused.push([reason, samples]),
      failed: (words) => void failures.push(words),
      notRead: (words) => void notRead.push(words),
    };
    const running = sendWaiting(sending, stopping.signal).catch((error: unknown) => {
      if (!stopping.signal.aborted) failure ??= error;
    });
    return { outbox, queue, snapshots, stopping, ready, running };
  };
  let now = start();
  return {
    state,
    clock,
    dropped,
    refused,
    failures,
    notRead,
    get sent() {
      return sent;
    },
    get queue() {
      return now.queue;
    },
    commit: (source: string, samples: readonly TimedSample[]) =>
      now.outbox.commit({ entries: [], samples, source }),
    /** Takes a snapshot of series with these values now. Returns false if an earlier snapshot still waits. */
    snapshot(values: Readonly<Record<string, number>>): boolean {
      const at = clock.wall();
      if (!now.snapshots.isFree(at)) return false;
      now.snapshots.take(
        new Map(Object.entries(values).map(([name, value]) => [name, shown(name, value)])),
        at,
      );
      return true;
    },
    crash() {
      now.stopping.abort();
      now = start();
    },
    async empty() {
      await now.ready;
      for (let turns = 0; now.queue.waiting.samples > 0 || now.snapshots.waiting !== undefined; turns++) {
        if (failure !== undefined) throw failure;
        if (turns > 20_000) throw new Error(`${now.queue.waiting.samples} samples are never sent`);
        await new Promise((resolve) => setImmediate(resolve));
        await now.ready;
      }
    },
    async stop() {
      now.stopping.abort();
      await now.running;
      if (failure !== undefined) throw failure;
    },
  };
}

function never(): never {
  throw new Error('it has a queue');
}

export function sample(series: string, at: number, value = at, account = 'a'): TimedSample {
  const family = { name: `edge_${series}_total`, type: 'counter', help: '' } as const;
  return { family, labels: { account, series }, value, at, since: 0 };
}

export function shown(
  name: string,
  value: number,
  labels: Readonly<Record<string, string>> = {},
): ShownSample {
  return { family: { name, type: 'gauge', help: '' }, labels, value };
}
