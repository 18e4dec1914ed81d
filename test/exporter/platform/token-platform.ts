import type { ServerResponse } from 'node:http';
import type { SimulatedClock } from '../../simulated-clock.ts';
import { sendJson, startUpstream, type Upstream } from './upstream.ts';

/** Platform that creates, checks and revokes tokens. Tests can switch its troubles while it runs. */
export interface TokenPlatform extends Upstream {
  /** Tokens that the platform accepts now. */
  readonly alive: Set<string>;
  readonly trouble: {
    /** Status of the answer to every creation; undefined: a token is created. */
    creationStatus?: number;
    detail?: string;
    /** Additional headers of the answer to every creation. */
    creationHeaders?: Record<string, string>;
    /** API versions for which creation and revocation answer 406. */
    unsupported?: readonly number[];
    /** True if every read is answered with 401. */
    refuseAll?: boolean;
    /** Fields that replace those of the created token. */
    created?: Record<string, unknown>;
  };
  /** Returns the methods and masked paths of requests for token operations, in order of arrival. */
  readonly tokenCalls: () => string[];
  /** Delays every answer to a creation or revocation from now on, until the returned function is called. */
  readonly hold: () => () => void;
}

export const USERNAME = 'operator@example.net';
export const PASSWORD = 'wörd:pass/+1';
const BASIC = `Basic ${Buffer.from(`${USERNAME}:${PASSWORD}`).toString('base64')}`;

/** Starts a platform whose clock is `skewMs` ahead of the test's clock. Its tokens live for 24 h. */
export async function startTokenPlatform(clock: SimulatedClock, skewMs = 0): Promise<TokenPlatform> {
  const alive = new Set<string>();
  const trouble: TokenPlatform['trouble'] = {};
  let created = 0;
  let held: Promise<void> = Promise.resolve();
  const create = (response: ServerResponse) => {
    const { creationStatus: status, creationHeaders: headers = {} } = trouble;
    if (status !== undefined)
      return sendJson(response, { detail: trouble.detail ?? 'No token for you.' }, { status, headers });
    created += 1;
    const now = clock.now() + skewMs;
    const token = `tok-${created}-${'0'.repeat(30)}`;
    alive.add(token);
    const times = {
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + 86_400_000).toISOString(),
    };
    sendJson(response, { token, ...times, ...trouble.created }, { status: 201, headers });
  };
  const upstream = await startUpstream(async (request, response) => {
    const { method, url = '', headers } = request;
    if (!url.startsWith('/tokens')) {
      const good = alive.has(headers.authorization?.slice('Token '.length) ?? '') && !trouble.refuseAll;
      return sendJson(response, good ? 'fine' : { detail: 'Invalid token.' }, { status: good ? 200 : 401 });
    }
    await held;
    const version = Number(headers.accept?.split('version=')[1]);
    if (trouble.unsupported?.includes(version)) return sendJson(response, {}, { status: 406 });
    if (headers.authorization !== BASIC)
      return sendJson(response, { detail: trouble.detail ?? 'Invalid username.' }, { status: 401 });
    if (method === 'POST') return create(response);
    const known = alive.delete(decodeURIComponent(url.slice('/tokens/'.length)));
    response.writeHead(known ? 204 : 404).end();
  });
  const tokenCalls = () =>
    upstream.arrivals
      .filter(({ url }) => url.startsWith('/tokens'))
      .map(({ method, url }) => `${method} ${url.replace(/-0+$/, '')}`);
  const hold = () => {
    const release = new EventTarget();
    held = new Promise((resolve) => release.addEventListener('now', () => resolve()));
    return () => void release.dispatchEvent(new Event('now'));
  };
  return { ...upstream, alive, trouble, tokenCalls, hold };
}
