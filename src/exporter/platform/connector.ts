import { STATUS_CODES } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { rootCertificates } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { Secret } from '../secret.ts';
import { networkFailure, ProxyFailure } from './network-failure.ts';
import { readTlsFiles, type TlsMaterial, type TlsSettings } from './tls-files.ts';
import { buildConnector, type Dispatcher, errors, Pool } from './undici.ts';

/** A proxy that opens a tunnel to the platform with CONNECT. */
export interface ProxyServer {
  /** Scheme, host and port, without credentials, so that it may be displayed. */
  readonly origin: string;
  /** Name of the key or variable that configures it. */
  readonly from: string;
  /** Login from the proxy's address, if it has one; `basic` is the encoded user name and password of the header. */
  readonly login?: { readonly password: Secret; readonly basic: Secret };
}

/** Network settings for connections to an account's platform. */
export interface Route {
  readonly proxy?: ProxyServer | undefined;
  readonly tls: TlsSettings;
}

/** Returns a function that opens connections along a route. It reads the TLS files each time, because they may be renewed. */
export function connectorOf(
  route: Route,
  { timeoutMs }: { readonly timeoutMs: number },
): buildConnector.connector {
  const tls = tlsConnector(route.tls, timeoutMs);
  return (target, callback) => {
    connectBy(route, tls, timeoutMs, target).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

type TlsConnector = () => Promise<{
  readonly material: TlsMaterial;
  readonly connect: buildConnector.connector;
}>;

/** Returns a connector that uses the contents of the files. TLS sessions are resumed while the files stay the same. */
function tlsConnector({ serverName, ...files }: TlsSettings, timeoutMs: number): TlsConnector {
  let last: Awaited<ReturnType<TlsConnector>> | undefined;
  return async () => {
    const material = await readTlsFiles(files);
    if (last !== undefined && isDeepStrictEqual(material, last.material)) return last;
    const connect = buildConnector({ ...material, timeout: timeoutMs });
    // Without this, the target's own name would override the connector's.
    const named: buildConnector.connector = (target, callback) =>
      connect({ ...target, ...(serverName !== undefined && { servername: serverName }) }, callback);
    last = { material, connect: named };
    return last;
  };
}

async function connectBy(
  { proxy }: Route,
  tls: TlsConnector,
  timeoutMs: number,
  target: buildConnector.Options,
): Promise<Socket | TLSSocket> {
  const { material, connect } = await tls();
  if (proxy === undefined) return await connected(connect, target);
  const encrypted = target.protocol === 'https:';
  const port = Number(target.port) || (encrypted ? 443 : 80);
  const tunnel = await openTunnel(proxy, { host: target.hostname, port }, { timeoutMs, ca: material.ca });
  if (!encrypted) return tunnel;
  try {
    return await connected(connect, { ...target, httpSocket: tunnel });
  } catch (error) {
    tunnel.destroy();
    throw brokenTunnel(error, proxy) ?? error;
  }
}

/** Returns the failure of a tunnel that breaks during the TLS handshake; undefined if TLS itself failed. */
function brokenTunnel(error: unknown, { origin }: ProxyServer): ProxyFailure | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'ECONNRESET' && code !== 'EPIPE') return undefined;
  return new ProxyFailure(
    'tunnel',
    `the proxy ${origin} opened the tunnel, then the connection broke`,
    error,
  );
}

function connected(
  connect: buildConnector.connector,
  target: buildConnector.Options,
): Promise<Socket | TLSSocket> {
  return new Promise((resolve, reject) => {
    connect(target, (...[error, socket]) => (error === null ? resolve(socket) : reject(error)));
  });
}

export interface TunnelOptions {
  /** Time limit (ms) of each step: the connection to the proxy, and its response. */
  readonly timeoutMs: number;
  /** PEM certificates of authorities for an https proxy, in addition to the well-known ones. */
  readonly ca?: string | undefined;
}

/**
 * Returns an unused connection through a proxy to a host and port. The proxy receives only the host, the port, and its own user
 * name and password.
 * @throws ProxyFailure
 */
export async function openTunnel(
  proxy: ProxyServer,
  target: { readonly host: string; readonly port: number },
  { timeoutMs, ca }: TunnelOptions,
): Promise<Socket> {
  // One pool per tunnel, because the tunnel takes over the connection.
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
    // The pool no longer owns the tunnel's connection.
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
  // tinyproxy responds to a wrong password with 401.
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

/** Returns the failure for an error of the connection or request to the proxy. */
function failureOf(error: unknown, { origin }: ProxyServer): ProxyFailure {
  const asked = error instanceof errors.SocketError || error instanceof errors.HeadersTimeoutError;
  if (error instanceof errors.HTTPParserError)
    return new ProxyFailure('connection', `the proxy ${origin} does not speak HTTP`, error);
  if (asked)
    return new ProxyFailure('tunnel', `the proxy ${origin}: ${networkFailure(error).message}`, error);
  return new ProxyFailure('connection', `the proxy ${origin}: ${networkFailure(error).message}`, error);
}
