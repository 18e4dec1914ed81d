import { createServer, type Server, type ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { TlsConfig, WebConfigFile } from './config-file.ts';
import { verifies } from './tls-settings.ts';

/**
 * An HTTPS server whose certificates and client names follow the web configuration from one connection to the next.
 * Whether clients are asked for a certificate at all is settled at the start, as is TLS itself.
 */
export function createTlsServer(webConfig: WebConfigFile, options: ServerOptions): Server {
  let tls = tlsOf(webConfig);
  const requestCert = tls.clientPolicy !== 'NoClientCert';
  const server = createServer({ ...options, ...tls.context, requestCert, rejectUnauthorized: false });
  server.prependListener('connection', () => {
    const now = tlsOf(webConfig, tls);
    if (now === tls) return;
    tls = now;
    server.setSecureContext(tls.context);
  });
  server.prependListener('secureConnection', (socket) => {
    if (!admits(tls, socket)) socket.destroy();
  });
  return server;
}

/** A configuration without TLS needs a restart; until then the certificate that was there goes on being used. */
function tlsOf(webConfig: WebConfigFile, before?: TlsConfig): TlsConfig {
  const tls = webConfig.current().tls ?? before;
  if (tls === undefined) throw new Error('the web configuration has no tls_server_config');
  return tls;
}

/** Whether the policy takes the client's certificate, or its absence; Go's ClientAuthType. */
function admits({ clientPolicy, clientNames }: TlsConfig, socket: TLSSocket): boolean {
  const certificate = socket.getPeerX509Certificate();
  if (clientPolicy === 'NoClientCert') return true;
  // Names are asked of a client that may show no certificate, too, as exporter-toolkit has it.
  if (certificate === undefined) return !clientPolicy.startsWith('Require') && clientNames === undefined;
  if (verifies(clientPolicy) && !socket.authorized) return false;
  if (clientNames === undefined) return true;
  return alternativeNames(certificate.subjectAltName ?? '').some((name) => clientNames.includes(name));
}

/** The names in Node's form of a SAN, `DNS:a, IP Address:10.0.0.1`; one that is quoted there is in doubt and left out. */
function alternativeNames(text: string): string[] {
  return text.split(', ').map((entry) => entry.slice(entry.indexOf(':') + 1));
}
