import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express';
import { renderPage } from '../page/page.ts';
import { parsePageQuery } from '../page/query.ts';
import { parseStatusQuery, type Status, statusDocument } from '../status-document.ts';
import { basicAuth } from './basic-auth.ts';
import type { WebConfigFile, WebLog } from './config-file.ts';
import { allowHosts, limitRate, limitTime, setHeaders } from './guard.ts';
import { type ReadExposition, sendDocument, sendExposition, sendText } from './responses.ts';

/** Result of a reload of the configuration. */
export type ReloadResult = { readonly ok: true } | { readonly ok: false; readonly issues: readonly string[] };

/** Data sources of the HTTP server; each is called at the time of a request. */
export interface WebSources {
  readonly telemetryPath: string;
  readonly exposition: ReadExposition;
  /** Returns the status, with the jobs of the selected accounts. */
  readonly status: (isAsked: (account: string) => boolean) => Status;
  /** Returns the reasons why the exporter is not ready; empty if it is. */
  readonly notReady: () => readonly string[];
  readonly reload: () => Promise<ReloadResult>;
  readonly logLevel: LogLevel;
}

/** Current log level, which can be changed at run time. */
export interface LogLevel {
  readonly levels: readonly string[];
  readonly read: () => string;
  readonly set: (level: string) => void;
}

export interface AppOptions extends WebSources {
  /** True if a request may reload the configuration; default: false. */
  readonly lifecycle?: boolean;
  /** Host names of this server, other than which requests are refused; default: every name. */
  readonly allowedHosts?: readonly string[];
  /** Maximum time (ms) of a response, from the request to its last byte; default: 60 s. */
  readonly answerTimeout?: number;
}

/** Creates the Express application. It checks host, rate and login, in this order. Unknown paths get a 404 with a list of paths. */
export function createApp(
  options: AppOptions,
  webConfig: WebConfigFile,
  log: WebLog,
  isClosing: () => boolean,
): Express {
  const { lifecycle = false, allowedHosts = [], answerTimeout = 60_000 } = options;
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.enable('case sensitive routing').enable('strict routing');
  app.use(limitTime(answerTimeout), (_request, response, next) => {
    if (isClosing()) sendText(response.set('Connection', 'close'), 503, ['The exporter is stopping.']);
    else next();
  });
  app.use(setHeaders(webConfig), allowHosts(allowedHosts), limitRate(webConfig), basicAuth(webConfig));
  const routes = routesOf(options, lifecycle);
  for (const [path, methods, handle] of routes)
    app.all(path, (request, response, next) => {
      const isTaken = methods.includes(request.method);
      if (!isTaken) response.setHeader('Allow', methods.join(', '));
      return isTaken
        ? handle(request, response, next)
        : sendText(response, 405, [`${path} takes ${methods.join(', ')}`]);
    });
  const available = routes.map(([path]) => path);
  app.use((_request, response) => sendText(response, 404, ['Not found. Available:', ...available]));
  app.use(failWith(log));
  return app;
}

function failWith(log: WebLog): ErrorRequestHandler {
  return (error, request, response, _next) => {
    log.error({ err: error, method: request.method, path: request.path }, 'a request could not be answered');
    if (response.headersSent) request.socket.destroy();
    else sendText(response, 500, ['Internal error; see the log of the exporter.']);
  };
}

type Route = readonly [path: string, methods: readonly string[], handle: RequestHandler];

const READING = ['GET', 'HEAD'];

function routesOf(sources: WebSources, lifecycle: boolean): readonly Route[] {
  const { telemetryPath, exposition } = sources;
  return [
    [telemetryPath, READING, (request, response) => sendExposition(request, response, exposition)],
    ['/', READING, sendPage(sources)],
    ['/-/healthy', READING, (_, response) => sendText(response, 200, ['healthy'])],
    ['/-/ready', READING, sendReady(sources)],
    ['/-/reload', ['POST', 'PUT'], lifecycle ? sendReload(sources) : refuseLifecycle],
    // The same path as in Loki and Mimir.
    ['/log_level', [...READING, 'POST'], answerLogLevel(sources, lifecycle)],
    ['/api/v1/status', READING, sendStatus(sources)],
  ];
}

function sendStatus({ status }: WebSources): RequestHandler {
  return (request, response) => {
    const query = parseStatusQuery(searchOf(request));
    if (!('offset' in query)) return sendText(response, 400, query);
    const { account } = query;
    const asked = status((name) => account === undefined || name === account);
    const body = JSON.stringify(statusDocument(asked, query));
    return sendDocument(request, response, { type: 'application/json; charset=utf-8', body });
  };
}

function searchOf({ url }: Request): string {
  return url.split('?').slice(1).join('?');
}

function sendPage({ status, telemetryPath }: WebSources): RequestHandler {
  return (request, response) => {
    const query = parsePageQuery(searchOf(request));
    const asked = status((name) => query.jobs !== undefined || name === query.account);
    const body = renderPage(asked, { query, now: Date.now(), telemetryPath });
    return sendDocument(request, response, { type: 'text/html; charset=utf-8', body });
  };
}

function sendReady({ notReady }: WebSources): RequestHandler {
  return (_request, response) => {
    const reasons = notReady();
    if (reasons.length === 0) sendText(response, 200, ['ready']);
    else sendText(response, 503, ['not ready', ...reasons]);
  };
}

const NOT_ENABLED = 'The lifecycle API is not enabled (--web.enable-lifecycle).';

const refuseLifecycle: RequestHandler = (_request, response) =>
  sendText(response, 403, [`${NOT_ENABLED} SIGHUP reloads the configuration.`]);

/** Handles `GET` with the current level, and `POST ?log_level=debug` to set it. */
function answerLogLevel({ logLevel }: WebSources, lifecycle: boolean): RequestHandler {
  const { levels, read, set } = logLevel;
  return (request, response) => {
    if (request.method !== 'POST') return sendText(response, 200, [read()]);
    if (!lifecycle) return sendText(response, 403, [NOT_ENABLED]);
    if (isForeign(request))
      return sendText(response, 403, ['Requests from pages of other sites are refused.']);
    const wanted = new URLSearchParams(searchOf(request)).get('log_level') ?? '';
    if (!levels.includes(wanted))
      return sendText(response, 400, [`Expected ?log_level= and one of: ${levels.join(', ')}`]);
    set(wanted);
    return sendText(response, 200, [`log level is now ${wanted}`]);
  };
}

/** Returns true for a POST from another site's page, which could otherwise use the reader's login here. */
function isForeign({ headers: { origin, host } }: Request): boolean {
  return origin !== undefined && URL.parse(origin)?.host !== host;
}

function sendReload({ reload }: WebSources): RequestHandler {
  return async (request, response) => {
    if (isForeign(request))
      return sendText(response, 403, ['Reloads from pages of other sites are refused.']);
    const result = await reload();
    const refusal = 'The configuration was not reloaded; the previous one is in use.';
    if (result.ok) sendText(response, 200, ['reloaded']);
    else sendText(response, 422, [refusal, ...result.issues]);
  };
}
