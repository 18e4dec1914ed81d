import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { served } from '../../served.ts';

/** Request that arrived at the server. */
export interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Upstream {
  readonly origin: string;
  readonly arrivals: readonly Arrival[];
  /** Returns the number of connections so far. */
  readonly connections: () => number;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts an HTTP server on a free port. It records requests, and stops when the test finishes. */
export async function startUpstream(handler: Handler): Promise<Upstream> {
  const arrivals: Arrival[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    arrivals.push({ method, url, headers });
    handler(request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  const port = await served(server);
  return { origin: `http://127.0.0.1:${port}`, arrivals, connections: () => connections };
}

/** Answers with a JSON document. */
export function sendJson(
  response: ServerResponse,
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string | string[]> } = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
