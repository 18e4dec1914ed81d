import { STATUS_CODES } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import { type Dispatcher, errors, Pool } from 'undici';
import { networkFailure } from './network-failure.ts';
import { ProxyFailure, type ProxyServer } from './proxy.ts';

export interface TunnelOptions {
  /** For each step: the connection to the proxy, and its answer. */
  readonly timeoutMs: number;
  /** Authorities in PEM form that may have signed an https proxy's certificate, besides the well-known ones. */
  readonly ca?: string | undefined;
}

/**
 * A connection through a proxy to a host and port, on which nothing has been sent yet. All that the proxy gets to see
 * is the host, the port, and its own user name and password.
 * @throws ProxyFailure
 */
export async function openTunnel(
  proxy: ProxyServer,
  target: { readonly host: string; readonly port: number },
  { timeoutMs, ca }: TunnelOptions,
): Promise<Socket> {
  // One for each tunnel, since the tunnel takes the connection along.
  const pool = new Pool(proxy.origin, {
    connections: 1,
    connect: { timeout: timeoutMs, ...(ca !== undefined && { ca: [...rootCertificates, ca] }) },
    headersTimeout: timeoutMs,
  });
  const host = isIP(target.host) === 6 ? `[${target.host}]` : target.host;
  const authority = `${host}:${target.port}`;
  try {
    const answer = await pool.connect({ path: authority, headers: headersFor(proxy, authority) });
    return tunnelOf(answer, proxy);
  } catch (error) {
    throw error instanceof ProxyFailure ? error : failureOf(error, proxy);
  } finally {
    // The tunnel's connection is the pool's no more.
    void pool.close();
  }
}

function headersFor({ login }: ProxyServer, host: string): Record<string, string> {
  return {
    host,
    ...(login !== undefined && { 'proxy-authorization': `Basic ${login.basic.reveal()}` }),
  };
}

function tunnelOf({ statusCode, socket }: Dispatcher.ConnectData, proxy: ProxyServer): Socket {
  if (statusCode >= 200 && statusCode < 300) return socket as Socket;
  socket.on('error', () => undefined).destroy();
  const { origin, login } = proxy;
  // tinyproxy answers a wrong password with 401.
  if (statusCode === 407 || statusCode === 401) {
    const message =
      login === undefined
        ? `the proxy ${origin} asks for a user name and password`
        : `the proxy ${origin} does not accept the user name and password`;
    throw new ProxyFailure('login', message);
  }
  const status = [statusCode, STATUS_CODES[statusCode]].filter(Boolean).join(' ');
  throw new ProxyFailure('refusal', `the proxy ${origin} refuses the tunnel: ${status}`);
}

/** What an error on the way to the proxy, or while it was asked, means. */
function failureOf(error: unknown, { origin }: ProxyServer): ProxyFailure {
  const asked = error instanceof errors.SocketError || error instanceof errors.HeadersTimeoutError;
  if (error instanceof errors.HTTPParserError)
    return new ProxyFailure('connection', `the proxy ${origin} does not speak HTTP`, error);
  if (asked)
    return new ProxyFailure('tunnel', `the proxy ${origin}: ${networkFailure(error).message}`, error);
  return new ProxyFailure('connection', `the proxy ${origin}: ${networkFailure(error).message}`, error);
}
