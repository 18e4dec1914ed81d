import { type Request, Router } from 'express';
import { acceptedVersion } from '../http/admission.ts';
import { type ExchangeResponse, type Handler, send } from '../http/http-exchange.ts';
import type { Platform } from '../http/platform.ts';
import { codedError, detail, listedErrors, NOT_FOUND, type Reply } from '../http/reply.ts';
import type { Permission } from '../http/token-store.ts';

/** A request in the form for the operations of a resource. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** JSON document of the request; undefined without one. */
  readonly body: unknown;
  /** Negotiated version. */
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Time of the responding node (ms since the epoch); the fault `node_clock` changes it. */
  readonly nodeTime: number;
  /** Absolute URL without its query, for links. */
  readonly address: string;
  readonly authorization: string | undefined;
  /** Owner of the token. */
  readonly editor: string;
}

/** One operation of section 4. It may need no permission (`open`), or a Content-Type without a body (`typed`). */
export type Operation = readonly [
  method: 'get' | 'post' | 'put' | 'patch' | 'delete',
  path: string,
  handle: (call: Call) => Reply,
  particular?: 'open' | 'typed' | undefined,
];

/** Properties that all operations of a resource share. */
export interface Manners {
  /** Accepted versions (section 9); empty to ignore the version of the Accept header. */
  readonly versions: readonly number[];
  /** Format of the platform's refusals for this resource; default: `detail`. */
  readonly refusals?: keyof typeof REFUSALS;
  /** Permissions for reading and writing; absent if the specification lists none. */
  readonly read?: Permission;
  readonly write?: Permission;
}

export interface Resource extends Manners {
  readonly operations: readonly Operation[];
}

const REFUSALS = {
  detail: (status: number, text: string) => detail(status, text),
  coded: (status: number, text: string) => codedError(status, text, text.toLowerCase().replaceAll(' ', '_')),
  listed: (status: number, text: string) => listedErrors(status, text),
};

/** Returns the routes of a resource. Other methods of a path get a 405. */
export function resourceRouter(platform: Platform, resource: Resource): Router {
  const router = Router();
  const refuse = REFUSALS[resource.refusals ?? 'detail'];
  for (const path of new Set(resource.operations.map(([, of]) => of))) {
    const operations = resource.operations.filter(([, of]) => of === path);
    for (const operation of operations) router[operation[0]](path, serve(platform, resource, operation));
    const headers = { Allow: operations.map(([method]) => method.toUpperCase()).join(', ') };
    const methodNotAllowed: Handler = (req, res) =>
      send(platform, req, res, { ...refuse(405, `Method "${req.method}" not allowed.`), headers });
    router.all(path, methodNotAllowed);
  }
  return router;
}

function serve(platform: Platform, resource: Resource, [method, , handle, particular]: Operation): Handler {
  const permission = particular === 'open' ? undefined : resource[method === 'get' ? 'read' : 'write'];
  const refuse = REFUSALS[resource.refusals ?? 'detail'];
  const answer = (req: Request, { locals: { exchange } }: ExchangeResponse): Reply => {
    const version = acceptedVersion(req.headers.accept, resource.versions);
    if (version === undefined) return refuse(406, 'Could not satisfy the request Accept header.');
    const permitted = permission === undefined || exchange.session?.permissions.has(permission);
    if (!permitted || platform.faults.strike('forbidden', exchange)) return refuse(403, 'Forbidden');
    if (platform.faults.strike('not_found', exchange)) return NOT_FOUND;
    if ((particular === 'typed' || hasBody(req)) && !isJson(req))
      return refuse(400, 'Content-Type: application/json is required.');
    const own = `${req.protocol}://${req.headers.host ?? 'localhost'}`;
    const origin = platform.faults.strike('foreign_links', exchange)?.origin ?? own;
    return handle({
      params: req.params as Record<string, string>,
      query: firstValues(req.query as Record<string, string | string[] | undefined>),
      body: req.body,
      version,
      now: exchange.now,
      nodeTime: exchange.nodeTime,
      address: `${origin}${exchange.path}`,
      authorization: req.headers.authorization,
      editor: exchange.session?.owner ?? 'operator@example.com',
    });
  };
  return (req, res) => send(platform, req, res, answer(req, res));
}

function hasBody({ headers }: Request): boolean {
  return 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0;
}

function isJson({ headers }: Request): boolean {
  return /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
}

function firstValues(query: Record<string, string | string[] | undefined>): Call['query'] {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat()[0]]));
}

/** Returns the number in a path, or NaN, which is never an id. */
export function idOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
