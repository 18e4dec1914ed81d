import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import { PAGE_CONTENT_SECURITY_POLICY } from '../page/script.ts';
import type { RequestRate, WebConfigFile } from './config-file.ts';
import { sendText } from './responses.ts';

/** Bounds the time of an answer: a client that reads too slowly would keep the bytes of an old exposition in memory. */
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

/** Sets the headers of every answer. An empty one in the web configuration takes ours away. */
export function setHeaders(webConfig: WebConfigFile): RequestHandler {
  return (_request, response, next) => {
    const headers = Object.entries({ ...SECURITY_HEADERS, ...webConfig.current().headers });
    for (const [name, value] of headers) if (value) response.setHeader(name, value);
    next();
  };
}

/**
 * Refuses a request that names another host: one of `names` is wanted (`*.example.net` for every name below), `localhost`, or an IP
 * address. A page of another site that has its own name resolved to our address (DNS rebinding) sends that name. Without names
 * every request is taken.
 */
export function allowHosts(names: readonly string[]): RequestHandler {
  return (request, response, next) => {
    if (names.length === 0 || isAllowed(hostOf(request), names)) next();
    else sendText(response, 421, ['This host name is not allowed (--web.allowed-hosts).']);
  };
}

/** Returns the host that a request is for, without its port; a whole address as the target goes before the header. */
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

/** Refuses requests above the rate of the web configuration, all clients taken together. */
export function limitRate(webConfig: WebConfigFile): RequestHandler {
  const take = createRequestBucket(performance.now.bind(performance));
  return (_request, response, next) => {
    const { rate } = webConfig.current();
    if (rate === undefined || take(rate)) return next();
    response.setHeader('Retry-After', String(Math.ceil(rate.interval / 1000)));
    sendText(response, 429, ['Too many requests.']);
  };
}

/** Returns true if a request that comes now is within the rate. A new rate starts with its burst. */
type TakeRequest = (rate: RequestRate) => boolean;

/** Makes a bucket of tokens, one for each request; `now` is in milliseconds. */
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
