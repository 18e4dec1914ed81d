import type { Clock } from '../clock.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import { ReceiverConnection } from '../push/receiver-connection.ts';
import { protocolOf } from '../push/running-receiver.ts';
import { type Step, stepsNamed } from './step.ts';

/** Written into the receiver: of no bucket, so that it can be in the way of none. */
const PROBE = 'edge_exporter_doctor';

/** Sends one sample to a receiver, in the way in which all are sent, and says what the receiver made of it. */
export async function receiverStep(receiver: Receiver, clock: Clock, signal: AbortSignal): Promise<Step> {
  const { ok, problem } = stepsNamed(`receiver ${receiver.name}`);
  const connection = new ReceiverConnection(receiver, () => clock.wall());
  const protocol = protocolOf(receiver, connection);
  const family = { name: PROBE, type: 'gauge' } as const;
  const probe = { family, labels: {}, value: 1, at: clock.wall(), since: undefined };
  try {
    const answer = await protocol.send([probe], signal);
    return answer.kind === 'accepted'
      ? ok(`it has taken the sample ${PROBE} by ${protocol.name}`)
      : problem(`it does not take the sample ${PROBE}: ${answer.words}`);
  } finally {
    await connection.close();
  }
}
