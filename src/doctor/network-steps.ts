import { lookup as systemLookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import { networkFailure } from '../platform/network-failure.ts';
import { type Step, stepsNamed } from './step.ts';
import { certificateStep, shakeHands } from './tls-step.ts';

/** The address of an account's platform, taken apart. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly encrypted: boolean;
}

export interface NetworkOptions {
  readonly endpoint: Endpoint;
  /** How long (ms) each step may take. */
  readonly timeoutMs: number;
  readonly now: () => number;
  /** Finds the addresses of a host name. */
  readonly lookup?: (host: string) => Promise<readonly { readonly address: string }[]>;
}

/** Where the API's base address leads. */
export function endpointOf(apiUrl: string): Endpoint {
  const { hostname, port, protocol } = new URL(apiUrl);
  const encrypted = protocol === 'https:';
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (encrypted ? 443 : 80) : Number(port),
    encrypted,
  };
}

/** Whether the host is known, its port open, and its certificate good; ends with the first problem. */
export async function* networkSteps(options: NetworkOptions): AsyncGenerator<Step> {
  const host = await hostStep(options);
  yield host;
  if (host.status === 'problem') return;
  const port = await portStep(options);
  yield port;
  if (port.status === 'problem') return;
  if (options.endpoint.encrypted) return yield await tlsStep(options);
  yield stepsNamed('TLS').skipped('api_url begins with http: the token travels unencrypted');
}

async function hostStep({ endpoint: { host }, lookup = systemAddresses }: NetworkOptions): Promise<Step> {
  const { ok, problem } = stepsNamed('host');
  if (isIP(host) !== 0) return ok(`${host} is an address, no name to look up`);
  try {
    const addresses = await lookup(host);
    return ok(`${host} is ${addresses.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    const known = codeOf(error) === 'ENOTFOUND';
    return problem(
      known
        ? `the name ${host} does not exist: is api_url spelled right, and is it known to this machine's DNS?`
        : `the name ${host} could not be looked up (${codeOf(error)}): does this machine's DNS work?`,
    );
  }
}

async function portStep({ endpoint, timeoutMs }: NetworkOptions): Promise<Step> {
  const { ok, problem } = stepsNamed('connection');
  const { host, port } = endpoint;
  const began = performance.now();
  try {
    await connected(endpoint, timeoutMs);
    return ok(`${host} takes connections on port ${port} within ${Math.ceil(performance.now() - began)} ms`);
  } catch (error) {
    const reason = networkFailure(error).message;
    const hint =
      codeOf(error) === 'ECONNREFUSED'
        ? 'nothing listens there: is the port in api_url right?'
        : 'is there a firewall between, or a proxy that must be used?';
    return problem(`${host} port ${port}: ${reason}; ${hint}`);
  }
}

async function tlsStep({ endpoint, timeoutMs, now }: NetworkOptions): Promise<Step> {
  try {
    return certificateStep(await shakeHands(endpoint, { timeoutMs, trusted: 'only' }), now());
  } catch (error) {
    return stepsNamed('TLS').problem(`${networkFailure(error).message}${TLS_HINTS[codeOf(error)] ?? ''}`);
  }
}

const PLAIN = '; api_url begins with https, but this port speaks plain http or something else';
const UNTRUSTED = '; if that is intended, name the authority in NODE_EXTRA_CA_CERTS';

const TLS_HINTS: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: PLAIN,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: PLAIN,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: '; is the host in api_url right?',
};

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
