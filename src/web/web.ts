import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { PAGE_CONTENT_SECURITY_POLICY } from '../page/page.ts';
import { createGate } from './basic-auth.ts';
import { openWebConfig, type WebConfigFile, type WebLog } from './config-file.ts';
import { limitRate } from './request-rate.ts';
import { sendText } from './responses.ts';
import { addRoutes, type WebSources } from './routes.ts';
import { close, createServer, listen, urlOf } from './server.ts';

export interface WebOptions extends WebSources {
  /** A file in the form of exporter-toolkit's web configuration: TLS, basic auth, headers. */
  readonly webConfigFile?: string | undefined;
  readonly log: WebLog;
  /** Milliseconds that one answer may take, from the request to its last byte. Default: 60 s. */
  readonly answerTimeout?: number;
  /** Milliseconds that answers under way have when the server closes. Default: 3 s. */
  readonly closeTimeout?: number;
}

/** The exporter's HTTP server. */
export interface Web {
  /** Starts listening on `:9801`, `host:9801` or `[::1]:9801`. @throws Error when the address is not to be had */
  listen(address: string): Promise<void>;
  /** The address as this machine reaches it, without a trailing slash; empty while not listening. */
  url(): string;
  /** Takes no more requests, lets those under way end, and cuts off what has not ended in time. */
  close(): Promise<void>;
}

const SECURITY_HEADERS = {
  'Content-Security-Policy': PAGE_CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'deny',
  'Referrer-Policy': 'no-referrer',
};

/**
 * The whole HTTP surface, not listening yet.
 * @throws WebConfigError when the web configuration file is not usable
 */
export function createWeb(options: WebOptions): Web {
  const webConfig = openWebConfig(options.webConfigFile, options.log);
  const app = createApp(options, webConfig);
  const server = createServer(app, webConfig);
  return {
    listen: (address) => listen(server, address, options.log),
    url: () => urlOf(server),
    close: () => close(server, options.closeTimeout ?? 3_000),
  };
}

function createApp(options: WebOptions, webConfig: WebConfigFile): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.use(limitAnswer(options.answerTimeout ?? 60_000));
  app.use(limitRate(() => webConfig.current().rate, performance.now.bind(performance)));
  app.use(setHeaders(webConfig));
  app.use(createGate(() => webConfig.current().users));
  addRoutes(app, options);
  app.use(answerError(options.log));
  return app;
}

/** A client that reads too slowly would otherwise keep the bytes of an old exposition in memory for as long as it likes. */
function limitAnswer(timeout: number): RequestHandler {
  return (request, response, next) => {
    const timer = setTimeout(() => {
      if (!response.headersSent)
        sendText(response.set('Connection', 'close'), 503, ['The answer took too long.']);
      else request.socket.destroy();
    }, timeout);
    response.once('close', () => clearTimeout(timer));
    next();
  };
}

/** An empty header in the web configuration takes ours away, as exporter-toolkit has it. */
function setHeaders(webConfig: WebConfigFile): RequestHandler {
  return (_request, response, next) => {
    for (const [name, value] of Object.entries({ ...SECURITY_HEADERS, ...webConfig.current().headers })) {
      if (value !== '') response.setHeader(name, value);
    }
    next();
  };
}

function answerError(log: WebLog): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    log.error({ err: error, method: request.method, path: request.path }, 'a request could not be answered');
    if (response.headersSent) request.socket.destroy();
    else sendText(response, 500, ['The exporter could not answer; its log says why.']);
  };
}
