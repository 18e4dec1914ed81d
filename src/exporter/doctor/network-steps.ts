import { lookup as systemLookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import type { Clock } from '../clock.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import { connectorOf, openTunnel, type ProxyServer, type Route } from '../platform/connector.ts';
import { codeOf, networkFailure, ProxyFailure, type ProxyStep } from '../platform/network-failure.ts';
import { readTlsFiles, type TlsSettings } from '../platform/tls-files.ts';
import { connectReceiver } from '../push/running-receiver.ts';
import { duration } from '../text/figures.ts';
import { type Step, stepsNamed } from './step.ts';

/** Destination of a connection. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly encrypted: boolean;
}

/** Returns the endpoint of an API's or a proxy's address. */
export function endpointOf(address: string): Endpoint {
  const { hostname, port, protocol } = new URL(address);
  const encrypted = protocol === 'https:';
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (encrypted ? 443 : 80) : Number(port),
    encrypted,
  };
}

export interface NetworkOptions {
  readonly endpoint: Endpoint;
  /** Proxy, and trusted certificate authorities. */
  readonly route: Route;
  /** Longest time (ms) of each step. */
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly lookup?: (host: string) => Promise<readonly { readonly address: string }[]>;
}

/** Yields the steps of host, port and certificate, up to the first problem. With a proxy, host and port are the proxy's. */
export async function* networkSteps(options: NetworkOptions): AsyncGenerator<Step> {
  const { endpoint, route, timeoutMs } = options;
  const { proxy } = route;
  const first = proxy === undefined ? { ...API, endpoint } : { ...PROXY, endpoint: endpointOf(proxy.origin) };
  const ways = [() => hostStep(first, options), () => portStep(first, options)];
  if (proxy !== undefined) ways.push(() => tunnelStep(proxy, endpoint, route.tls, timeoutMs));
  if (endpoint.encrypted) ways.push(() => tlsStep(options));
  for (const way of ways) {
    const step = await way();
    yield step;
    if (step.status === 'problem') return;
  }
  if (!endpoint.encrypted) yield await plainStep(options);
}

/** First host to connect to, and the prefix of its steps' names. */
interface FirstHost {
  readonly endpoint: Endpoint;
  readonly prefix: string;
  readonly address: string;
}

const API = { prefix: '', address: 'api_url' };
const PROXY = { prefix: 'proxy ', address: "the proxy's address" };

async function hostStep(
  { endpoint: { host }, prefix, address }: FirstHost,
  { lookup = (name) => systemLookup(name, { all: true }) }: NetworkOptions,
): Promise<Step> {
  const { ok, problem } = stepsNamed(`${prefix}host`);
  if (isIP(host) !== 0) return ok(`${host} is an IP address`);
  try {
    const addresses = await lookup(host);
    return ok(`${host} is ${addresses.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    const known = codeOf(error) === 'ENOTFOUND';
    return problem(
      known
        ? `the name ${host} does not exist: is ${address} spelled correctly, and does this machine's DNS know it?`
        : `the name ${host} could not be resolved (${codeOf(error)}): does this machine's DNS work?`,
    );
  }
}

async function portStep(
  { endpoint, prefix, address }: FirstHost,
  { timeoutMs }: NetworkOptions,
): Promise<Step> {
  const { ok, problem } = stepsNamed(`${prefix}connection`);
  const { host, port } = endpoint;
  const began = performance.now();
  try {
    await connected(endpoint, timeoutMs);
    return ok(
      `${host} accepts connections on port ${port} within ${Math.ceil(performance.now() - began)} ms`,
    );
  } catch (error) {
    const reason = networkFailure(error).message;
    const hint =
      codeOf(error) === 'ECONNREFUSED'
        ? `nothing listens there: is the port in ${address} right?`
        : 'does a firewall block it, or is a proxy required (HTTPS_PROXY, request.proxy)?';
    return problem(`${host} port ${port}: ${reason}; ${hint}`);
  }
}

/** Returns the TLS step of an unencrypted address. A port that speaks TLS does not answer unencrypted requests. */
async function plainStep({ endpoint, route, timeoutMs }: NetworkOptions): Promise<Step> {
  const { problem, skipped } = stepsNamed('TLS');
  if (await speaksTls(endpoint, route, timeoutMs))
    return problem('api_url begins with http, but this port speaks TLS; write https');
  return skipped('api_url begins with http: the token is sent unencrypted');
}

async function tlsStep({ endpoint, route, timeoutMs, now }: NetworkOptions): Promise<Step> {
  try {
    return certificateStep(await shakeHands(endpoint, route, timeoutMs), now());
  } catch (error) {
    const hint = route.tls.caFile === undefined ? TLS_HINTS : { ...TLS_HINTS, ...TLS_HINTS_WITH_CA };
    return stepsNamed('TLS').problem(`${networkFailure(error).message}${hint[codeOf(error)] ?? ''}`);
  }
}

const PLAIN = '; api_url begins with https, but this port speaks plain http or something else';
const UNTRUSTED =
  '; if that is intended, name a file with the authority in request.ca_file, or for the whole process in NODE_EXTRA_CA_CERTS';
const OTHER_AUTHORITY = '; the authority is not in request.ca_file';

/** OpenSSL's error codes for a certificate of an unknown authority. */
const UNTRUSTED_CODES = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

type Hints = Readonly<Record<string, string>>;

const TLS_HINTS: Hints = {
  ERR_SSL_WRONG_VERSION_NUMBER: PLAIN,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: PLAIN,
  ERR_TLS_CERT_ALTNAME_INVALID:
    '; is the host in api_url right? Otherwise name the right one in request.server_name',
  ...Object.fromEntries(UNTRUSTED_CODES.map((code) => [code, UNTRUSTED])),
};

const TLS_HINTS_WITH_CA: Hints = Object.fromEntries(UNTRUSTED_CODES.map((code) => [code, OTHER_AUTHORITY]));

function connected({ host, port }: Endpoint, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const end = (settle: () => void) => {
      socket.destroy();
      settle();
    };
    socket.once('connect', () => end(resolve));
    socket.once('timeout', () =>
      end(() => reject(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' }))),
    );
    socket.once('error', (error) => end(() => reject(firstOf(error))));
  });
}

/** Returns the first failure. A host with several addresses reports the failures of all of them as one. */
function firstOf(error: Error): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error) : error;
}

const HINTS: Readonly<Record<ProxyStep, string>> = {
  connection: 'are address and scheme of the proxy right?',
  login: 'write them into its address: http://user:password@…',
  refusal: 'the proxy must allow CONNECT to this host and port',
  tunnel: 'is it really a proxy, and can it reach the platform?',
};

async function tunnelStep(
  proxy: ProxyServer,
  { host, port }: Endpoint,
  tls: TlsSettings,
  timeoutMs: number,
): Promise<Step> {
  const { ok, problem } = stepsNamed('tunnel');
  try {
    const { ca } = await readTlsFiles(tls);
    const tunnel = await openTunnel(proxy, { host, port }, { timeoutMs, ca });
    tunnel.destroy();
    return ok(`the proxy ${proxy.origin} (${proxy.from}) opens a tunnel to ${host} port ${port}`);
  } catch (error) {
    const hint = error instanceof ProxyFailure ? `; ${HINTS[error.step]}` : '';
    return problem(`${networkFailure(error).message}${hint}`);
  }
}

/** Fields of a certificate that are displayed. */
export type Certificate = Pick<PeerCertificate, 'valid_to' | 'subject' | 'issuer'>;

/** Remaining validity (ms) of a certificate below which it is a warning. */
const SOON_MS = 14 * 86_400_000;

/** Performs a TLS handshake as the exporter does. Resolves with the certificate, rejects with the connection's error. */
function shakeHands(endpoint: Endpoint, route: Route, timeoutMs: number): Promise<Certificate> {
  const { host, port } = endpoint;
  const target = { hostname: host, host: `${host}:${port}`, port: String(port), protocol: 'https:' };
  return new Promise((resolve, reject) => {
    connectorOf(route, { timeoutMs })(target, (...[error, socket]) => {
      if (error !== null) return reject(error);
      const certificate = socket instanceof TLSSocket ? socket.getPeerCertificate() : undefined;
      socket.destroy();
      if (certificate === undefined) reject(new Error('the connection is not encrypted'));
      else resolve(certificate);
    });
  });
}

/** Returns true if a server speaks TLS, with any certificate. */
function speaksTls(endpoint: Endpoint, route: Route, timeoutMs: number): Promise<boolean> {
  return shakeHands(endpoint, route, timeoutMs).then(
    () => true,
    // A server with an untrusted certificate speaks TLS.
    (error: unknown) => /^(ERR_TLS_)?CERT_|SELF_SIGNED|^UNABLE_TO_/.test(codeOf(error)),
  );
}

/** Returns the step of a trusted certificate. @param now local ms */
export function certificateStep({ valid_to, subject, issuer }: Certificate, now: number): Step {
  const { ok, warning } = stepsNamed('TLS');
  const left = Date.parse(valid_to) - now;
  const [name, authority] = [subject?.CN ?? 'the host', issuer?.O ?? issuer?.CN ?? 'an authority'];
  const text = `the certificate of ${String(name)} by ${String(authority)} is valid until ${new Date(valid_to).toISOString().slice(0, 10)}, for ${duration(left / 1_000)}`;
  return left < SOON_MS ? warning(`${text}: the platform must renew it`) : ok(text);
}

/** Name of the test sample, which is unlike any other series, so that it cannot conflict with one. */
const PROBE = 'edge_exporter_doctor';

/** Sends one sample to a receiver, as the exporter does, and returns the step with its response. */
export async function receiverStep(receiver: Receiver, clock: Clock, signal: AbortSignal): Promise<Step> {
  const { ok, problem } = stepsNamed(`receiver ${receiver.name}`);
  const { protocol, close } = connectReceiver(receiver, clock);
  const series = { family: { name: PROBE, type: 'gauge' }, labels: {} } as const;
  const probe = { series, value: 1, at: clock.wall(), since: undefined };
  try {
    const answer = await protocol.send([probe], signal);
    return answer.kind === 'accepted'
      ? ok(`it has taken the sample ${PROBE} by ${protocol.name}`)
      : problem(`it does not take the sample ${PROBE}: ${answer.words}`);
  } finally {
    await close();
  }
}
