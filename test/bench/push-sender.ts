/**
 * Sends the exporter's samples to a receiver from a separate process. Fills a durable outbox, reports its
 * size, and sends on command of the parent process. Arguments: the receiver's URL, a folder for the state,
 * configurations, buckets.
 */
import { systemClock } from '../../src/exporter/clock.ts';
import { PUSH } from '../../src/exporter/configuration/push-settings.ts';
import { Outbox } from '../../src/exporter/push/outbox.ts';
import { ReceiverConnection } from '../../src/exporter/push/receiver-connection.ts';
import { RemoteWrite } from '../../src/exporter/push/remote-write.ts';
import { type SenderOptions, sendWaiting } from '../../src/exporter/push/sender.ts';
import { SnapshotSlot } from '../../src/exporter/push/snapshots.ts';
import { openState } from '../../src/exporter/state/open-state.ts';
import { samplesOf } from './push-series.ts';

/** Report to the parent process. The first report follows when the outbox is full. */
export interface SenderReport {
  readonly samples: number;
  readonly outboxBytes: number;
  readonly sentBytes: number;
  readonly protocol: string;
}

const MINUTE_MS = 60_000;

const [url = '', folder = '', configurations = '0', buckets = '0'] = process.argv.slice(2);
const [receiver] = PUSH.parse([{ name: 'bench', kind: 'remote_write', url }]);
if (receiver === undefined) throw new Error('no receiver');

const clock = systemClock;
const fail = (words: string): never => {
  throw new Error(words);
};
const state = await openState(folder, { info: () => undefined, warn: fail }, { required: true });
const { signal } = new AbortController();
const outbox = new Outbox({ state, clock, onDropped: (_, reason) => fail(reason), signal });
const [{ queue } = fail('no queue')] = outbox.configure([receiver]);
const onAdded = () => void queue.arrivals.emit('added');
const snapshots = new SnapshotSlot({ receiver, startedAt: clock.wall(), onAdded });

const last = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
const first = last - Number(buckets) * MINUTE_MS;
for (let bucket = 1; bucket <= Number(buckets); bucket++)
  await Promise.all(
    Array.from({ length: Number(configurations) }, (_, each) => {
      const samples = samplesOf(each, bucket, first + bucket * MINUTE_MS, first);
      return outbox.commit({ entries: [], samples, source: String(each) });
    }),
  );

let sentBytes = 0;
const connection = new ReceiverConnection(receiver, () => clock.wall());
const protocol = new RemoteWrite({
  post(body, headers, signal) {
    sentBytes += body.length;
    return connection.post(body, headers, signal);
  },
});
const report = () => {
  const { samples, bytes: outboxBytes } = queue.waiting;
  process.send?.({ samples, outboxBytes, sentBytes, protocol: protocol.name } satisfies SenderReport);
};
const sending: SenderOptions = {
  queue,
  load: () => outbox.load(),
  snapshots,
  clock,
  send: (samples, signal) => protocol.send(samples, signal),
  sent: report,
  refused: (reason, _samples, words) => fail(`${reason}: ${words}`),
  failed: fail,
  notRead: fail,
};
// A listener that stays keeps the channel, and so the process, alive until all samples are sent.
process.on('message', () => void sendWaiting(sending, signal));
report();
