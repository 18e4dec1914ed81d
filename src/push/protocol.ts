import type { Receiver } from '../configuration/push-settings.ts';
import { Otlp } from './otlp.ts';
import type { PushedSample } from './pushed-sample.ts';
import type { ReceiverAnswer } from './receiver-answer.ts';
import type { ReceiverConnection } from './receiver-connection.ts';
import { RemoteWrite } from './remote-write.ts';

/** How samples reach a receiver. */
export interface Protocol {
  /** With the version in use. */
  readonly name: string;
  /** Sends samples in one request, no two of one series. @throws the signal's reason when it aborts */
  send(samples: readonly PushedSample[], signal: AbortSignal): Promise<ReceiverAnswer>;
}

/** The protocol that a receiver is configured with; every sample gets the receiver's labels. */
export function protocolOf({ kind, labels }: Receiver, connection: ReceiverConnection): Protocol {
  const protocol = kind === 'otlp' ? new Otlp(connection) : new RemoteWrite(connection);
  return {
    get name() {
      return protocol.name;
    },
    send: (samples, signal) => protocol.send(withLabels(samples, labels), signal),
  };
}

function withLabels(samples: readonly PushedSample[], added: Receiver['labels']): readonly PushedSample[] {
  if (Object.keys(added).length === 0) return samples;
  return samples.map((sample) => ({ ...sample, labels: { ...added, ...sample.labels } }));
}
