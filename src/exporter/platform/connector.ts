import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { STATUS_CODES } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createSecureContext, rootCertificates } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { Secret } from '../secret.ts';
import { networkFailure, ProxyFailure, TlsFileFailure } from './network-failure.ts';
import { buildConnector, type Dispatcher, errors, Pool } from './undici.ts';

/** A proxy that opens a tunnel to the platform by CONNECT. */
export interface ProxyServer {
  /** Scheme, host and port, without credentials: this may be shown. */
  readonly origin: string;
  /** Key or variable that named it. */
  readonly from: string;
  /** Login of the exporter, where its address held a user name; `basic` is both as a header holds them. */
  readonly login?: { readonly password: Secret; readonly basic: Secret };
}

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

/** Interprets an error on the way to the proxy, or while it was asked. */
function failureOf(error: unknown, { origin }: ProxyServer): ProxyFailure {
  const asked = error instanceof errors.SocketError || error instanceof errors.HeadersTimeoutError;
  if (error instanceof errors.HTTPParserError)
    return new ProxyFailure('connection', `the proxy ${origin} does not speak HTTP`, error);
  if (asked)
    return new ProxyFailure('tunnel', `the proxy ${origin}: ${networkFailure(error).message}`, error);
  return new ProxyFailure('connection', `the proxy ${origin}: ${networkFailure(error).message}`, error);
}

/** Settings for the platform's certificate, and for the one that it is shown. */
export interface TlsSettings {
  /** PEM file of the authorities to trust instead of the well-known ones. */
  readonly caFile?: string | undefined;
  /** PEM files of the client certificate and its key: both or neither. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** Name that the certificate must be for, where it is not the host. */
  readonly serverName?: string | undefined;
}

/** Contents of the files, as Node's TLS takes them. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

type PemKind = keyof TlsMaterial;

const FILES = { ca: 'caFile', cert: 'certFile', key: 'keyFile' } as const satisfies Record<PemKind, string>;

const READ_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

/** Reads the files. @throws TlsFileFailure */
export async function readTlsFiles(settings: TlsSettings): Promise<TlsMaterial> {
  const read = (Object.keys(FILES) as PemKind[]).map(async (kind) => {
    const path = settings[FILES[kind]];
    return path === undefined ? [] : [[kind, await readPem(kind, path)] as const];
  });
  const material: TlsMaterial = Object.fromEntries((await Promise.all(read)).flat());
  const { cert, key } = material;
  if (cert !== undefined && key !== undefined && !isAccepted({ cert, key }))
    throw new TlsFileFailure('request.key_file does not belong to the certificate in request.cert_file');
  return material;
}

async function readPem(kind: PemKind, path: string): Promise<string> {
  const found = await readAs(kind, path);
  if ('pem' in found) return found.pem;
  throw new TlsFileFailure(`request.${kind}_file ${found.message}`);
}

/** Reason why a file is not of its kind; `wrong` where it is there and may be read. */
export interface TlsFileTrouble {
  readonly message: string;
  readonly wrong: boolean;
}

/** Returns why the file cannot be used now; undefined where it can. */
export async function tlsFileTrouble(path: string, kind: PemKind): Promise<TlsFileTrouble | undefined> {
  const found = await readAs(kind, path);
  return 'pem' in found ? undefined : found;
}

async function readAs(kind: PemKind, path: string): Promise<{ readonly pem: string } | TlsFileTrouble> {
  const pem = await readFile(path, 'utf8').catch(codeOf);
  if (typeof pem === 'object')
    return { message: `cannot be read: ${READ_WORDS[pem.code] ?? pem.code}`, wrong: false };
  const message = wrongWith(kind, pem);
  return message === undefined ? { pem } : { message, wrong: true };
}

/** Node itself takes authorities that are none, and then trusts nobody. */
function wrongWith(kind: PemKind, pem: string): string | undefined {
  if (kind === 'key')
    // Node takes an empty one for none.
    return pem.trim() !== '' && isAccepted({ key: pem })
      ? undefined
      : 'contains no private key in PEM format, or an encrypted one';
  return holdsCertificates(pem) ? undefined : 'contains no certificates in PEM format';
}

function holdsCertificates(pem: string): boolean {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return blocks.length > 0 && blocks.every(isCertificate);
}

function isCertificate(block: string): boolean {
  try {
    new X509Certificate(block);
    return true;
  } catch {
    // Its only way to refuse.
    return false;
  }
}

function isAccepted(material: TlsMaterial): boolean {
  try {
    createSecureContext(material);
    return true;
  } catch {
    // OpenSSL's words for it change from version to version.
    return false;
  }
}

function codeOf(error: unknown): { readonly code: string } {
  return { code: error instanceof Error && 'code' in error ? String(error.code) : String(error) };
}
