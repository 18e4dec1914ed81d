import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJobQuery } from '../page/job-selection.ts';
import { renderPage } from '../page/page.ts';
import { madeInSlices } from '../slices.ts';
import type { Status } from '../status.ts';
import { parseStatusQuery, statusDocument, statusText } from '../status-document.ts';
import { type ReadExposition, sendExposition } from './exposition-response.ts';
import { isAwaited, sendDocument, sendText } from './responses.ts';

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

export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A path of the surface, the methods that it takes, and what it does. */
interface Route {
  readonly path: string;
  readonly methods: readonly string[];
  readonly handle: Handler;
}

const READING = ['GET', 'HEAD'];

/** Answers every path of the surface, letter by letter, and all other requests with what there is. */
export function createRouter(sources: WebSources, lifecycle: boolean): Handler {
  // The telemetry path comes first, so that it may even be `/`.
  const listed = routesOf(sources, lifecycle);
  const routes = new Map(listed.toReversed().map((route) => [route.path, route]));
  return (request, response) => {
    const route = routes.get(pathOf(request));
    if (route === undefined)
      return sendText(response, 404, ['Not found. Available:', ...listed.map(({ path }) => path)]);
    if (route.methods.includes(request.method ?? '')) return route.handle(request, response);
    response.setHeader('Allow', route.methods.join(', '));
    return sendText(response, 405, [`${route.path} takes ${route.methods.join(', ')}`]);
  };
}

/** The path of a request as it was sent, also where its target is a whole address. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const target = url.startsWith('/') ? url : url.replace(/^[a-z][\w+.-]*:\/\/[^/?#]*/i, '');
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}

function routesOf(sources: WebSources, lifecycle: boolean): readonly Route[] {
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
      handle: lifecycle ? (request, response) => sendReload(request, response, sources) : refuseLifecycle,
    },
    {
      path: '/api/v1/status',
      methods: READING,
      handle: (request, response) => sendStatus(request, response, sources),
    },
  ];
}

async function sendStatus(
  request: IncomingMessage,
  response: ServerResponse,
  { status }: WebSources,
): Promise<void> {
  const query = parseStatusQuery(searchOf(request));
  if (!('offset' in query)) return sendText(response, 400, query);
  const body = await madeInSlices(statusText(statusDocument(status(), query)));
  return sendDocument(request, response, { type: 'application/json; charset=utf-8', body });
}

/** What follows the first question mark of the address. */
function searchOf({ url = '' }: IncomingMessage): string {
  return url.split('?').slice(1).join('?');
}

async function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  { status, telemetryPath }: WebSources,
): Promise<void> {
  const query = parseJobQuery(searchOf(request));
  const body = await madeInSlices(renderPage(status(), { query, now: Date.now(), telemetryPath }));
  return sendDocument(request, response, { type: 'text/html; charset=utf-8', body });
}

function sendReady(response: ServerResponse, { notReady }: WebSources): void {
  const reasons = notReady();
  if (reasons.length === 0) sendText(response, 200, ['ready']);
  else sendText(response, 503, ['not ready', ...reasons]);
}

function refuseLifecycle(_request: IncomingMessage, response: ServerResponse): void {
  sendText(response, 403, [
    'The lifecycle API is not enabled (--web.enable-lifecycle). SIGHUP reloads the configuration.',
  ]);
}

async function sendReload(
  request: IncomingMessage,
  response: ServerResponse,
  { reload }: WebSources,
): Promise<void> {
  if (isFromAnotherSite(request)) {
    return sendText(response, 403, ['Reloads from pages of other sites are refused.']);
  }
  const result = await reload();
  if (!isAwaited(response)) return;
  if (result.ok) sendText(response, 200, ['reloaded']);
  else
    sendText(response, 422, [
      'The configuration was not reloaded; the previous one is in use.',
      ...result.issues,
    ]);
}

/** Browsers name the page that a POST comes from; without this, any page could reload us with the reader's login. */
function isFromAnotherSite({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined && URL.parse(headers.origin)?.host !== headers.host;
}
