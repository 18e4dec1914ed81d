import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { buildConnector } from 'undici';
import { ProxyFailure, type ProxyServer } from './proxy.ts';
import { readTlsFiles, type TlsMaterial, type TlsSettings } from './tls-files.ts';
import { openTunnel } from './tunnel.ts';

/** The way to an account's platform. */
export interface Route {
  readonly proxy?: ProxyServer | undefined;
  readonly tls: TlsSettings;
}

/** Makes connections by a route. Files are read for each, so that a renewed certificate counts from then on. */
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

/** Connects as the files say; for as long as they stay the same, TLS sessions are resumed. */
function tlsConnector({ serverName, ...files }: TlsSettings, timeoutMs: number): TlsConnector {
  let last: Awaited<ReturnType<TlsConnector>> | undefined;
  return async () => {
    const material = await readTlsFiles(files);
    if (last !== undefined && isDeepStrictEqual(material, last.material)) return last;
    const connect = buildConnector({ ...material, timeout: timeoutMs });
    // The target's own name would win over the connector's.
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

/** The failure of a tunnel that ends while TLS begins in it; undefined where TLS itself failed. */
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
