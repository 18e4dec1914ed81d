import type { Client } from '../../../src/exporter/platform/client.ts';
import type { ExchangeInfo } from '../../../src/exporter/platform/exchange.ts';
import type { Answer, Resource } from '../../../src/exporter/platform/read.ts';

/** Returns a client that records its exchanges in order of their records. */
export function recordedClient(client: Client) {
  const exchanges: ExchangeInfo[] = [];
  return {
    exchanges,
    async get(resource: Resource, signal: AbortSignal): Promise<Answer> {
      const read = client.get(resource, signal);
      for (;;) {
        const { done, value } = await read.next();
        if (done === true) return value;
        exchanges.push(value);
      }
    },
    close: () => client.close(),
  };
}
