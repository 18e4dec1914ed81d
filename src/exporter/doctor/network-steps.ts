import { lookup as systemLookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import type { Route } from '../platform/connector.ts';
import { networkFailure } from '../platform/network-failure.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import { tunnelStep } from './proxy-steps.ts';
import { type Step, stepsNamed } from './step.ts';
import { certificateStep, shakeHands } from './tls-step.ts';

export interface NetworkOptions {
  readonly endpoint: Endpoint;
  /** By which proxy, and whom to trust. */
  readonly route: Route;
  /** How long (ms) each step may take. */
  readonly timeoutMs: number;
  readonly now: () => number;
  /** Finds the addresses of a host name. */
  readonly lookup?: (host: string) => Promise<readonly { readonly address: string }[]>;
}

/**
 * Whether the host is known, its port open, and its certificate good; ends with the first problem. Behind a proxy host
 * and port are the proxy's, which then has to let us through: it is the proxy that looks the platform's name up.
 */
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
  if (!endpoint.encrypted)
    yield stepsNamed('TLS').skipped('api_url begins with http: the token is sent unencrypted');
}

/** The first host on the way, and how its steps are named. */
interface FirstHost {
  readonly endpoint: Endpoint;
  readonly prefix: string;
  /** What holds its address. */
  readonly address: string;
}

const API = { prefix: '', address: 'api_url' };
const PROXY = { prefix: 'proxy ', address: "the proxy's address" };

async function hostStep(
  { endpoint: { host }, prefix, address }: FirstHost,
  { lookup = systemAddresses }: NetworkOptions,
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

/** The codes by which OpenSSL says that it does not know who signed a certificate. */
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

function systemAddresses(host: string) {
  return systemLookup(host, { all: true });
}

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

/** Where a host has several addresses, the failures of all of them come as one. */
function firstOf(error: Error): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error) : error;
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
