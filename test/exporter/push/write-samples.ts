import snappy from 'snappyjs';
import type { PushedSample } from '../../../src/exporter/push/protocol.ts';
import { writeRequest1 } from '../../../src/exporter/push/remote-write.ts';

/** Writes samples to a remote-write 1.0 receiver, either all or none. */
export async function writeSamples(url: string, samples: readonly PushedSample[]): Promise<void> {
  if (samples.length === 0) return;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
      'x-prometheus-remote-write-version': '0.1.0',
    },
    body: Buffer.from(snappy.compress(writeRequest1(samples))),
  });
  if (!response.ok) throw new Error(`the receiver answers ${response.status}: ${await response.text()}`);
}
