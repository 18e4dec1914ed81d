import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { PAGE_CONTENT_SECURITY_POLICY } from '../page/script.ts';
import { admits, createLoginVerifier } from './basic-auth.ts';
import {
  openWebConfig,
  type RequestRate,
  type WebConfig,
  type WebConfigFile,
  type WebLog,
} from './config-file.ts';
import {
  type Handler,
  isAwaited,
  type OnFailure,
  READING,
  refuseMethod,
  sendExposition,
  sendText,
} from './responses.ts';
import type { WebSources } from './routes.ts';
import { ClientConnections, close, createServer, listen, urlOf } from './server.ts';

export interface WebOptions extends WebSources {
  /** A file in the form of exporter-toolkit's web configuration: TLS, basic auth, headers. */
  readonly webConfigFile?: string | undefined;
  readonly log: WebLog;
  /** Whether a request may load the configuration anew. Default: no. */
  readonly lifecycle?: boolean;
  /** Names that this server goes by; requests for other names are refused. Default: every name. */
  readonly allowedHosts?: readonly string[];
  /** Connections at a time, over all listeners. */
  readonly connections: number;
  /** Milliseconds that one answer may take, from the request to its last byte. Default: 60 s. */
  readonly answerTimeout?: number;
  /** Milliseconds that answers under way have when the server closes. Default: 1.5 s. */
  readonly closeTimeout?: number;
}

/** The exporter's HTTP server. */
export interface Web {
  /** Starts listening on one more address: `:9801`, `host:9801` or `[::1]:9801`. @throws ListenError */
  listen(address: string): Promise<void>;
  /** The addresses as this machine reaches them, without a trailing slash, in the order in which they were taken. */
  urls(): string[];
  /** Takes no more requests, lets those under way end, and cuts off what has not ended in time. */
  close(): Promise<void>;
}

/** The whole HTTP surface, not listening yet. @throws WebConfigError when the web configuration file is not usable */
export function createWeb(options: WebOptions): Web {
  const { log } = options;
  const webConfig = openWebConfig(options.webConfigFile, log);
  const answer = createAnswer(options, webConfig);
  const connections = new ClientConnections({ limit: options.connections, log, answer });
  const servers: ReturnType<typeof createServer>[] = [];
  return {
    async listen(address) {
      const server = createServer(connections, webConfig);
      await listen(server, address, log);
      servers.push(server);
    },
    urls: () => servers.map(urlOf).filter((url) => url !== ''),
    async close() {
      connections.close();
      await Promise.all(servers.map((server) => close(server, options.closeTimeout ?? 1_500)));
    },
  };
}

const SECURITY_HEADERS = {
  'Content-Security-Policy': PAGE_CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'deny',
  'Referrer-Policy': 'no-referrer',
};

/** What becomes of each request: host, rate and login are checked, in this order, before it is routed. It never rejects. */
function createAnswer(options: WebOptions, webConfig: WebConfigFile): Handler {
  const { log, lifecycle = false, allowedHosts = [], answerTimeout = 60_000 } = options;
  const onFailure = failWith(log);
  const route = createRouter(options, lifecycle, onFailure);
  const take = createRequestBucket(performance.now.bind(performance));
  const verify = createLoginVerifier();

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
    limitTime(request, response, answerTimeout);
    try {
      const config = webConfig.current();
      for (const [name, value] of headersOf(config)) response.setHeader(name, value);
      if (refuse(request, response, config)) return;
      if (config.users.size > 0 && !(await admits(config.users, request, response, verify))) return;
      if (isAwaited(response)) await route(request, response);
    } catch (error) {
      onFailure(error, request, response);
    }
  };
}

/** Answers scrapes itself, and leaves all else to Express, which takes longer than a scrape and is loaded when it is needed. */
function createRouter(sources: WebSources, lifecycle: boolean, onFailure: OnFailure): Handler {
  let others: Promise<Handler> | undefined;
  const load = async () => (await import('./routes.ts')).createRoutes(sources, lifecycle, onFailure);
  return (request, response) => {
    if (pathOf(request) !== sources.telemetryPath) {
      others ??= load();
      request.url = targetOf(request);
      return others.then((answer) => answer(request, response));
    }
    if (READING.includes(request.method ?? '')) return sendExposition(request, response, sources.exposition);
    return refuseMethod(response, sources.telemetryPath, READING);
  };
}

/** Path and query of a request as they were sent, also where its target is a whole address. */
function targetOf({ url = '' }: IncomingMessage): string {
  return url.startsWith('/') ? url : url.replace(/^[a-z][\w+.-]*:\/\/[^/?#]*/i, '');
}

function pathOf(request: IncomingMessage): string {
  const target = targetOf(request);
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}

function failWith(log: WebLog): OnFailure {
  return (error, request, response) => {
    const fields = { err: error, method: request.method, path: pathOf(request) };
    log.error(fields, 'a request could not be answered');
    if (response.headersSent) request.socket.destroy();
    else sendText(response, 500, ['Internal error; see the log of the exporter.']);
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
function headersOf({ headers }: WebConfig): [string, string][] {
  return Object.entries({ ...SECURITY_HEADERS, ...headers }).filter(([, value]) => value !== '');
}

/**
 * Whether a request names this server by a name that it goes by: one of `names` (`*.example.net` for every name below),
 * `localhost`, or an IP address. A page of another site that has its own name resolved to our address (DNS rebinding)
 * cannot do that, since a browser sends the page's name. Without names every request is taken.
 */
function namesAllowedHost(request: IncomingMessage, names: readonly string[]): boolean {
  if (names.length === 0) return true;
  const host = hostOf(request);
  // Only a client of HTTP/1.0 may name none, and no browser is one.
  if (host === undefined) return true;
  if (host === 'localhost' || host.endsWith('.localhost') || isIP(host.replace(/^\[(.*)\]$/, '$1')) > 0)
    return true;
  return names.some((name) => (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name));
}

/** The host that a request is for, without its port; a whole address as the target goes before the header. */
function hostOf({ url = '', headers }: IncomingMessage): string | undefined {
  const authority = /^[a-z][\w+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(url)?.[1] ?? headers.host;
  return authority?.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

/** Whether a request that comes now is within the rate, all clients taken together. A new rate starts with its burst. */
type TakeRequest = (rate: RequestRate) => boolean;

/** A bucket of tokens, one for each request; `now` is in milliseconds. */
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
