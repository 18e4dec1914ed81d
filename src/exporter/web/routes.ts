import type { ErrorRequestHandler } from 'express';
import express from 'express';
import { parseJobQuery } from '../page/jobs-table.ts';
import { renderPage } from '../page/page.ts';
import { madeInSlices } from '../slices.ts';
import type { Status } from '../status.ts';
import { parseStatusQuery, statusText } from '../status-document.ts';
import {
  type Handler,
  type OnFailure,
  READING,
  type ReadExposition,
  refuseMethod,
  sendDocument,
  sendText,
} from './responses.ts';

/** How an attempt to load the configuration anew ended. */
export type ReloadResult = { readonly ok: true } | { readonly ok: false; readonly issues: readonly string[] };

/** What the HTTP surface shows and starts; each is asked for at the time of a request. */
export interface WebSources {
  readonly telemetryPath: string;
  readonly exposition: ReadExposition;
  readonly status: () => Status | Promise<Status>;
  /** Why the exporter is not ready to be scraped and trusted; empty when it is. */
  readonly notReady: () => readonly string[] | Promise<readonly string[]>;
  readonly reload: () => Promise<ReloadResult>;
  readonly logLevel: LogLevel;
}

/** The least severe messages that are logged, which may be changed while the exporter runs. */
export interface LogLevel {
  readonly levels: readonly string[];
  readonly read: () => string;
  readonly set: (level: string) => void;
}

/** The Express application of every path but the telemetry path; all others are 404 with what there is. */
export function createRoutes(sources: WebSources, lifecycle: boolean, onFailure: OnFailure): Handler {
  const routes = routesOf(sources, lifecycle);
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  // Paths are taken letter by letter.
  app.enable('case sensitive routing').enable('strict routing');
  for (const { path, methods, handle } of routes) {
    app.all(path, (request, response) =>
      methods.includes(request.method) ? handle(request, response) : refuseMethod(response, path, methods),
    );
  }
  const available = [sources.telemetryPath, ...routes.map(({ path }) => path)];
  app.use((_request, response) => sendText(response, 404, ['Not found. Available:', ...available]));
  const failed: ErrorRequestHandler = (error, request, response, _next) =>
    onFailure(error, request, response);
  app.use(failed);
  return app;
}

function routesOf(
  sources: WebSources,
  lifecycle: boolean,
): { readonly path: string; readonly methods: readonly string[]; readonly handle: Handler }[] {
  return [
    { path: '/', methods: READING, handle: sendPage(sources) },
    { path: '/-/healthy', methods: READING, handle: (_, response) => sendText(response, 200, ['healthy']) },
    { path: '/-/ready', methods: READING, handle: sendReady(sources) },
    {
      path: '/-/reload',
      methods: ['POST', 'PUT'],
      handle: lifecycle ? sendReload(sources) : refuseLifecycle,
    },
    // As in Loki and Mimir.
    {
      path: '/log_level',
      methods: [...READING, 'POST'],
      handle: answerLogLevel(sources, lifecycle),
    },
    { path: '/api/v1/status', methods: READING, handle: sendStatus(sources) },
  ];
}

function sendStatus({ status }: WebSources): Handler {
  return async (request, response) => {
    const query = parseStatusQuery(searchOf(request));
    if (!('offset' in query)) return sendText(response, 400, query);
    const body = await madeInSlices(statusText(await status(), query, Date.now()), () => true);
    return sendDocument(request, response, { type: 'application/json; charset=utf-8', body });
  };
}

function searchOf({ url = '' }: { readonly url?: string | undefined }): string {
  return url.split('?').slice(1).join('?');
}

function sendPage({ status, telemetryPath }: WebSources): Handler {
  return async (request, response) => {
    const query = parseJobQuery(searchOf(request));
    const page = renderPage(await status(), { query, now: Date.now(), telemetryPath });
    const body = await madeInSlices(page, () => true);
    return sendDocument(request, response, { type: 'text/html; charset=utf-8', body });
  };
}

function sendReady({ notReady }: WebSources): Handler {
  return async (_request, response) => {
    const reasons = await notReady();
    if (reasons.length === 0) sendText(response, 200, ['ready']);
    else sendText(response, 503, ['not ready', ...reasons]);
  };
}

const NOT_ENABLED = 'The lifecycle API is not enabled (--web.enable-lifecycle).';

const refuseLifecycle: Handler = (_request, response) =>
  sendText(response, 403, [`${NOT_ENABLED} SIGHUP reloads the configuration.`]);

/** `GET` says the level, `POST ?log_level=debug` sets it. */
function answerLogLevel({ logLevel }: WebSources, lifecycle: boolean): Handler {
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

/** Browsers name the page that a POST comes from; without this, any page could use the reader's login here. */
function isForeign({ headers: { origin, host } }: Parameters<Handler>[0]): boolean {
  return origin !== undefined && URL.parse(origin)?.host !== host;
}

function sendReload({ reload }: WebSources): Handler {
  return async (request, response) => {
    if (isForeign(request))
      return sendText(response, 403, ['Reloads from pages of other sites are refused.']);
    const result = await reload();
    const refusal = 'The configuration was not reloaded; the previous one is in use.';
    if (result.ok) sendText(response, 200, ['reloaded']);
    else sendText(response, 422, [refusal, ...result.issues]);
  };
}
