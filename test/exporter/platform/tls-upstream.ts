import { readFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import { join } from 'node:path';
import { served } from '../../served.ts';
import { sendJson } from './upstream.ts';

/** A file of the tests' own authority: `server.pem` is for localhost and 127.0.0.1. */
export function certificateFile(name: string): string {
  return join(import.meta.dirname, '..', '..', 'certificates', name);
}

/** The certificate and the key of the tests' own authority that are called `name`. */
export function keyPair(name: string): { readonly cert: Buffer; readonly key: Buffer } {
  return {
    cert: readFileSync(certificateFile(`${name}.pem`)),
    key: readFileSync(certificateFile(`${name}.key`)),
  };
}

export interface TlsUpstream {
  readonly port: number;
  /** The Authorization headers that arrived. */
  readonly authorizations: readonly (string | undefined)[];
  /** Uses another certificate for the connections to come. */
  readonly renew: (name: string) => void;
}

/** HTTPS server under a private authority. It names the client in its answer. */
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
