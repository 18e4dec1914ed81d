import type { Clock } from '../clock.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import { type Protocol, protocolOf } from '../push/protocol.ts';
import { ReceiverConnection } from '../push/receiver-connection.ts';
import type { PushedRecord } from './pushed-record.ts';
import { BackfillRefusal } from './refusal.ts';

/** A receiver that a history is pushed to. */
export interface ConnectedReceiver {
  readonly receiver: Receiver;
  readonly protocol: Protocol;
  readonly close: () => Promise<void>;
}

/** With what it has of the history. */
export interface HistoryReceiver extends ConnectedReceiver {
  readonly record: PushedRecord;
}

export function connectReceiver(receiver: Receiver, clock: Clock): ConnectedReceiver {
  const connection = new ReceiverConnection(receiver, () => clock.wall());
  return { receiver, protocol: protocolOf(receiver, connection), close: () => connection.close() };
}

/**
 * Says plainly what receivers have refused for good, and has it sent again by the next run.
 * @throws BackfillRefusal when there is such
 */
export async function refuseIncomplete(receivers: readonly HistoryReceiver[], folder: string): Promise<void> {
  const incomplete = receivers.filter(({ record }) => record.refused.size > 0);
  if (incomplete.length === 0) return;
  const phrases = incomplete.map(({ receiver, record: { sent, refused } }) => {
    const reasons = [...refused].map(([reason, samples]) => `${reason} ${samples}`).join(', ');
    const count = [...refused.values()].reduce((sum, samples) => sum + samples, 0);
    return `receiver ${receiver.name} refused ${count} of ${sent + count} samples (${reasons})`;
  });
  for (const { record } of incomplete) await record.forget();
  const advice = `once they are taken, the same command sends all of it again from ${folder}, without reading it again`;
  throw new BackfillRefusal(`${phrases.join('; ')}: ${advice}`, { misused: false });
}
