import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { parseJobQuery } from '../page/job-selection.ts';
import { renderPage } from '../page/page.ts';
import type { Status } from '../status.ts';
import { type ReadExposition, sendExposition } from './exposition-response.ts';
import { sendDocument, sendText } from './responses.ts';

/** How an attempt to load the configuration anew ended. */
export type ReloadResult = { readonly ok: true } | { readonly ok: false; readonly issues: readonly string[] };

/** What the HTTP surface shows and starts; each is asked for at the time of a request. */
export interface WebSources {
  readonly telemetryPath: string;
  readonly exposition: ReadExposition;
  readonly status: () => Status;
  /** Why the exporter is not ready to be scraped and trusted; empty when it is. */
  readonly notReady: () => readonly string[];
  readonly reload: () => Promise<ReloadResult>;
}

/** A path of the surface, the methods that it takes, and what it does. */
interface Route {
  readonly path: string;
  readonly methods: readonly string[];
  readonly handle: RequestHandler;
}

const READING = ['GET', 'HEAD'];

/** Adds every path of the surface to `app`, and clear answers for all other requests. */
export function addRoutes(app: Express, sources: WebSources): void {
  const routes = routesOf(sources);
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const { path, methods, handle } of routes) {
    router.all(literally(path), (request, response, next) => {
      if (methods.includes(request.method)) return handle(request, response, next);
      response.set('Allow', methods.join(', '));
      return sendText(response, 405, [`${path} takes ${methods.join(', ')}`]);
    });
  }
  app.use(router);
  app.use((_request, response) => {
    sendText(response, 404, ['Not found. There is:', ...routes.map(({ path }) => path)]);
  });
}

/** The telemetry path comes first, so that it may even be `/`. */
function routesOf(sources: WebSources): readonly Route[] {
  return [
    {
      path: sources.telemetryPath,
      methods: READING,
      handle: (request, response) => sendExposition(request, response, sources.exposition),
    },
    { path: '/', methods: READING, handle: (request, response) => sendPage(request, response, sources) },
    {
      path: '/-/healthy',
      methods: READING,
      handle: (_request, response) => sendText(response, 200, ['healthy']),
    },
    { path: '/-/ready', methods: READING, handle: (_request, response) => sendReady(response, sources) },
    {
      path: '/-/reload',
      methods: ['POST', 'PUT'],
      handle: (request, response) => sendReload(request, response, sources),
    },
    {
      path: '/api/v1/status',
      methods: READING,
      handle: (request, response) =>
        sendDocument(request, response, { type: 'json', body: JSON.stringify(sources.status()) }),
    },
  ];
}

/** The path with the characters escaped that mean something in express' patterns. */
function literally(path: string): string {
  return path.replace(/[{}()[\]+?!:*\\]/g, '\\$&');
}

function sendPage(
  request: Request,
  response: Response,
  { status, telemetryPath }: WebSources,
): Promise<void> {
  const search = request.originalUrl.split('?').slice(1).join('?');
  const body = renderPage(status(), { query: parseJobQuery(search), now: Date.now(), telemetryPath });
  return sendDocument(request, response, { type: 'html', body });
}

function sendReady(response: Response, { notReady }: WebSources): void {
  const reasons = notReady();
  if (reasons.length === 0) sendText(response, 200, ['ready']);
  else sendText(response, 503, ['not ready', ...reasons]);
}

async function sendReload(request: Request, response: Response, { reload }: WebSources): Promise<void> {
  if (isFromAnotherSite(request)) {
    return sendText(response, 403, ['A reload is not taken from a page of another site.']);
  }
  const result = await reload();
  if (result.ok) sendText(response, 200, ['reloaded']);
  else
    sendText(response, 422, [
      'The configuration was not reloaded; the one before it is in force.',
      ...result.issues,
    ]);
}

/** Browsers name the page that a POST comes from; without this, any page could reload us with the reader's login. */
function isFromAnotherSite(request: Request): boolean {
  const origin = request.get('origin');
  return origin !== undefined && URL.parse(origin)?.host !== request.get('host');
}
