import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import { PAGE_CONTENT_SECURITY_POLICY } from '../page/script.ts';
import type { RequestRate, WebConfigFile } from './config-file.ts';
import { sendText } from './responses.ts';

/** Limits the time of a response: a client that reads too slowly would keep an old exposition in memory. */
export function limitTime(timeout: number): RequestHandler {
  return (request, response, next) => {
    const timer = setTimeout(() => {
      if (response.headersSent) request.socket.destroy();
      else sendText(response.set('Connection', 'close'), 503, ['The answer took too long.']);
    }, timeout);
    response.once('close', () => clearTimeout(timer));
    next();
  };
}

const SECURITY_HEADERS = {
  'Content-Security-Policy': PAGE_CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'deny',
  'Referrer-Policy': 'no-referrer',
};

/** Sets the headers of every response. An empty header in the web configuration removes the default one. */
export function setHeaders(webConfig: WebConfigFile): RequestHandler {
  return (_request, response, next) => {
    const headers = Object.entries({ ...SECURITY_HEADERS, ...webConfig.current().headers });
    for (const [name, value] of headers) if (value) response.setHeader(name, value);
    next();
  };
}

/**
 * Refuses a request for another host than one of `names` (`*.example.net` for every subdomain), `localhost`, or an IP address. This
 * prevents DNS rebinding: a page of another site whose name resolves to the exporter's address sends that site's name. Without
 * names, accepts every request.
 */
export function allowHosts(names: readonly string[]): RequestHandler {
  return (request, response, next) => {
    if (names.length === 0 || isAllowed(hostOf(request), names)) next();
    else sendText(response, 421, ['This host name is not allowed (--web.allowed-hosts).']);
  };
}

/** Returns the host of a request without its port. An absolute URL in the request line takes precedence over the header. */
function hostOf({ url, headers }: Request): string | undefined {
  const authority = /^[a-z][\w+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(url)?.[1] ?? headers.host;
  return authority?.toLowerCase().replace(/\.?(:\d*)?$/, '');
}

function isAllowed(host: string | undefined, names: readonly string[]): boolean {
  // Only HTTP/1.0 clients may omit the host, and no browser is one.
  if (host === undefined || isIP(host.replace(/^\[(.*)\]$/, '$1')) > 0) return true;
  return ['localhost', '*.localhost', ...names].some((name) =>
    name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name,
  );
}

/** Refuses requests above the rate of the web configuration, which applies to all clients together. */
export function limitRate(webConfig: WebConfigFile): RequestHandler {
  const take = createRequestBucket(performance.now.bind(performance));
  return (_request, response, next) => {
    const { rate } = webConfig.current();
    if (rate === undefined || take(rate)) return next();
    response.setHeader('Retry-After', String(Math.ceil(rate.interval / 1000)));
    sendText(response, 429, ['Too many requests.']);
  };
}

/** Returns true if a request at this moment is within the rate. A new rate starts with its full burst. */
type TakeRequest = (rate: RequestRate) => boolean;

/** Returns a token bucket, with one token per request. @param now returns milliseconds */
export function createRequestBucket(now: () => number): TakeRequest {
  let current: RequestRate | undefined;
  let tokens = 0;
  let filled = now();
  return (rate) => {
    const passed = now() - filled;
    filled += passed;
    tokens = rate === current ? Math.min(rate.burst, tokens + passed / rate.interval) : rate.burst;
    current = rate;
    if (tokens < 1) return false;
    tokens--;
    return true;
  };
}
