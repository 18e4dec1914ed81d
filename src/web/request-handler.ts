import type { IncomingMessage, ServerResponse } from 'node:http';
import { PAGE_CONTENT_SECURITY_POLICY } from '../page/page.ts';
import { namesAllowedHost } from './allowed-hosts.ts';
import { createGate } from './basic-auth.ts';
import type { WebConfig, WebConfigFile, WebLog } from './config-file.ts';
import { createRequestBucket } from './request-rate.ts';
import { isAwaited, sendText } from './responses.ts';
import { type Handler, pathOf } from './routes.ts';

export interface AnswerOptions {
  readonly webConfig: WebConfigFile;
  readonly log: WebLog;
  readonly route: Handler;
  /** Names that this server goes by; none takes every name. */
  readonly allowedHosts: readonly string[];
  /** Milliseconds that one answer may take, from the request to its last byte. */
  readonly timeout: number;
}

const SECURITY_HEADERS = {
  'Content-Security-Policy': PAGE_CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'deny',
  'Referrer-Policy': 'no-referrer',
};

/** What becomes of each request: host, rate and login are checked, in this order, before it is routed. It never rejects. */
export function createAnswer({ webConfig, log, route, allowedHosts, timeout }: AnswerOptions): Handler {
  const take = createRequestBucket(performance.now.bind(performance));
  const admit = createGate(() => webConfig.current().users);
  const headersOf = createHeaders();

  function refuse(request: IncomingMessage, response: ServerResponse, { rate }: WebConfig): boolean {
    if (!namesAllowedHost(request, allowedHosts)) {
      sendText(response, 421, ['This host name is not allowed (--web.allowed-hosts).']);
      return true;
    }
    if (rate === undefined || take(rate)) return false;
    response.setHeader('Retry-After', String(Math.ceil(rate.interval / 1000)));
    sendText(response, 429, ['Too many requests.']);
    return true;
  }

  return async (request, response) => {
    limitTime(request, response, timeout);
    try {
      const config = webConfig.current();
      for (const [name, value] of headersOf(config)) response.setHeader(name, value);
      if (refuse(request, response, config)) return;
      const admitted = admit(request, response);
      if (!(typeof admitted === 'boolean' ? admitted : await admitted)) return;
      if (isAwaited(response)) await route(request, response);
    } catch (error) {
      const fields = { err: error, method: request.method, path: pathOf(request) };
      log.error(fields, 'a request could not be answered');
      if (response.headersSent) request.socket.destroy();
      else sendText(response, 500, ['Internal error; see the log of the exporter.']);
    }
  };
}

/** A client that reads too slowly would otherwise keep the bytes of an old exposition in memory for as long as it likes. */
function limitTime(request: IncomingMessage, response: ServerResponse, timeout: number): void {
  const timer = setTimeout(() => {
    if (response.headersSent) request.socket.destroy();
    else sendText(response.setHeader('Connection', 'close'), 503, ['The answer took too long.']);
  }, timeout);
  response.once('close', () => clearTimeout(timer));
}

/** The headers of every answer. An empty one in the web configuration takes ours away, as exporter-toolkit has it. */
function createHeaders(): (config: WebConfig) => readonly (readonly [string, string])[] {
  let from: WebConfig | undefined;
  let headers: readonly (readonly [string, string])[] = [];
  return (config) => {
    if (config === from) return headers;
    from = config;
    headers = Object.entries({ ...SECURITY_HEADERS, ...config.headers }).filter(([, value]) => value !== '');
    return headers;
  };
}
