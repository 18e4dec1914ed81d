import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { served } from '../served.ts';

const MINUTE = 60_000;

/** Answer of the platform to one request. */
export interface Answer {
  /** HTTP status; 0 closes the connection. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * Returns the answer to a request with this path at this time (ms); undefined: the answer of a platform
 * without trouble.
 */
export type Trouble = (path: string, now: number) => Answer | undefined;

export interface TroubledPlatform {
  readonly url: string;
  now: () => number;
  trouble: Trouble;
  /** Delay (ms) of the platform's data. */
  late: number;
  /** Share of the limit that other clients of the token use at the start of each window. */
  others: number;
}

export interface PlatformSize {
  /** Operations per minute; default: 200. */
  readonly limit?: number;
  readonly configurations?: number;
  readonly lacksDomains?: true;
}

/** Serves a platform with some applications, steady traffic, one domain, and a switchable trouble. */
export async function serveTroubledPlatform(
  start: number,
  { limit = 200, configurations = 1, lacksDomains }: PlatformSize = {},
): Promise<TroubledPlatform> {
  const platform: TroubledPlatform & { url: string } = {
    url: '',
    now: () => start,
    trouble: () => undefined,
    late: 0,
    others: 0,
  };
  let window = { opened: 0, used: 0 };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const now = platform.now();
    if (now >= window.opened + MINUTE) window = { opened: now, used: 0 };
    window.used += 1;
    const taken = window.used + Math.round(platform.others * limit);
    const url = new URL(request.url ?? '/', 'http://platform');
    const { status, headers, body } = platform.trouble(url.pathname, now) ?? {
      ...(lacksDomains && url.pathname.startsWith('/domains')
        ? NOT_FOUND
        : taken > limit
          ? { status: 429, body: { detail: 'Request was throttled.' } }
          : healthy(url, now - platform.late, configurations)),
      headers: {
        'X-RateLimit-Limit': String(limit),
        'X-RateLimit-Remaining': String(Math.max(0, limit - taken)),
        'X-RateLimit-Reset': new Date(window.opened + MINUTE).toISOString(),
      },
    };
    if (status === 0) {
      request.socket.destroy();
      return;
    }
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response
      .writeHead(status, {
        'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
        date: new Date(now).toUTCString(),
        ...headers,
      })
      .end(text);
  });
  platform.url = `http://127.0.0.1:${await served(server)}`;
  return platform;
}

const NOT_FOUND: Answer = { status: 404, body: { detail: 'Not found.' } };

function healthy(url: URL, until: number, configurations: number): Answer {
  const { pathname: path } = url;
  if (path.endsWith('/configurations')) {
    const ids = Array.from({ length: configurations }, (_, index) => 7 + index);
    return { status: 200, body: ids.map((id) => ({ id, name: `shop-${id}`, active: true, domains: [] })) };
  }
  if (path === '/tokens') return { status: 201, body: { token: 'created' } };
  if (path === '/domains')
    return {
      status: 200,
      body: { count: 1, total_pages: 1, results: [{ id: 3, name: 'shop', is_active: true }] },
    };
  if (!path.includes('/metrics/')) return NOT_FOUND;
  const [from = until, to = until] = ['date_from', 'date_to'].map((name) => timeOf(url, name));
  const points: [number, number][] = [];
  // A bucket can be read a minute after its end.
  for (let at = Math.ceil(from / MINUTE) * MINUTE; at < to && at + 2 * MINUTE <= until; at += MINUTE)
    points.push([at, 100]);
  return { status: 200, body: { total: points, saved: points, missed: points } };
}

function timeOf(url: URL, name: string): number | undefined {
  const text = url.searchParams.get(name);
  return text === null ? undefined : Date.parse(text.endsWith('Z') ? text : `${text}Z`);
}
