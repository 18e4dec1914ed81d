import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { eventually } from '../eventually.ts';

/** Parts of an Alertmanager webhook message (version 4) that tests read. */
export interface Notification {
  readonly status: 'firing' | 'resolved';
  readonly receiver: string;
  readonly groupKey: string;
  readonly alerts: readonly {
    readonly status: 'firing' | 'resolved';
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  }[];
}

/** Webhook that records its notifications. */
export interface Webhook {
  readonly url: string;
  readonly received: readonly Notification[];
  /** Waits for a notification. Earlier notifications count too. */
  readonly notified: (
    what: string,
    matches: (notification: Notification) => boolean,
  ) => Promise<Notification>;
  readonly stop: () => Promise<void>;
}

/** Starts a webhook on a free port of the loopback interface. */
export async function startWebhook(): Promise<Webhook> {
  const received: Notification[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    received.push((await json(request)) as Notification);
    response.end();
  };
  const server = createServer((request, response) => {
    receive(request, response).catch((error) => response.writeHead(400).end(String(error)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    notified: (what, matches) =>
      eventually(`a notification of ${what}`, () => received.find(matches), {
        evidence: () => JSON.stringify(received, null, 2),
      }),
    async stop() {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
}
