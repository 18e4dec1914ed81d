import { readFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import { join } from 'node:path';
import { served } from '../../served.ts';
import { sendJson } from './upstream.ts';

/** Returns the path of a file of the tests' own authority. `server.pem` is for localhost and 127.0.0.1. */
export function certificateFile(name: string): string {
  return join(import.meta.dirname, '..', '..', 'certificates', name);
}

/** Returns a certificate and its key from the tests' own authority. */
export function keyPair(name: string): { readonly cert: Buffer; readonly key: Buffer } {
  return {
    cert: readFileSync(certificateFile(`${name}.pem`)),
    key: readFileSync(certificateFile(`${name}.key`)),
  };
}

export interface TlsUpstream {
  readonly port: number;
  /** Authorization headers of all requests, in order. */
  readonly authorizations: readonly (string | undefined)[];
  /** Uses another certificate for new connections. */
  readonly renew: (name: string) => void;
}

/** Starts an HTTPS server with a certificate of a private authority. Its answer names the client. */
export async function startTlsUpstream(options: ServerOptions = keyPair('server')): Promise<TlsUpstream> {
  const authorizations: (string | undefined)[] = [];
  const server = createServer(options, (request, response) => {
    authorizations.push(request.headers.authorization);
    response.setHeader('connection', 'close');
    sendJson(response, { results: [] });
  });
  server.on('tlsClientError', () => undefined);
  const port = await served(server);
  return { port, authorizations, renew: (name) => server.setSecureContext(keyPair(name)) };
}
