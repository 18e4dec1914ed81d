import express, { Router } from 'express';
import { fail } from '../http/admission.ts';
import { type Handler, send } from '../http/http-exchange.ts';
import type { Platform } from '../http/platform.ts';
import { detail, NO_CONTENT, type Reply } from '../http/reply.ts';
import { createAnalytics } from './analytics.ts';

/** Where the endpoint is: with the base path that is documented, and without. */
const PATHS = ['/metrics/graphql', '/v4/metrics/graphql'];

const NO_ACCESS = detail(404, 'The following resource could not be found.');
const THROTTLED = 'You have reached the request rate limit!';

/**
 * The platform's GraphQL analytics: an endpoint beside the REST API, with a quota and with refusals of its own. Its siblings
 * are not served: 204, as every path that it does not know.
 */
export function graphqlRouter(platform: Platform): Router {
  const router = Router();
  const endpoint = Router();
  const answer = createAnalytics(platform);
  const post: Handler = (req, res) => {
    const { exchange } = res.locals;
    const refusal = refusalOf(platform, req.method, res.locals);
    send(platform, req, res, refusal ?? answer(req.body, exchange));
  };
  endpoint.use(limit(platform), authenticate(platform), fail(platform));
  endpoint.use(express.json({ limit: '2mb', strict: false, type: () => true }), post);
  const served: Handler = (_req, _res, next) =>
    next(platform.settings.graphql === 'absent' ? 'route' : undefined);
  router.all(PATHS, served, endpoint);
  const unknown: Handler = (req, res, next) => {
    if (res.locals.exchange.path.endsWith('/graphql')) send(platform, req, res, NO_CONTENT);
    else next();
  };
  return router.use(unknown);
}

function refusalOf(
  { faults, settings }: Platform,
  method: string,
  { exchange }: Parameters<Handler>[1]['locals'],
): Reply | undefined {
  if (faults.strike('no_content', exchange)) return NO_CONTENT;
  if (method !== 'POST') return detail(405, `Method "${method}" not allowed.`, { Allow: 'POST' });
  const mayRead = settings.graphql === 'served' && exchange.session?.permissions.has('Analytics');
  const isRefused = faults.strike('forbidden', exchange) ?? faults.strike('not_found', exchange);
  return mayRead && isRefused === undefined ? undefined : NO_ACCESS;
}

/** A quota counted by the client's address; or one of the token, together with its REST operations. */
function limit(platform: Platform): Handler {
  const { faults, rateLimit, settings } = platform;
  return (req, res, next) => {
    const { exchange } = res.locals;
    const isShared = settings.graphqlQuota === 'shared';
    const limits = isShared ? settings.rateLimit : { reads: settings.graphqlRateLimit, writes: 0, purges: 0 };
    const holder = isShared ? (exchange.session?.token ?? 'nobody') : `address ${req.socket.remoteAddress}`;
    const others = faults.lasting('other_consumer', exchange)?.share ?? 0;
    const allowance = rateLimit.take(holder, 'reads', limits, exchange.now, others);
    if (settings.graphqlRateHeaders === 'sent') exchange.allowance = allowance;
    const refuse = (retryAfter: number | undefined) => {
      const headers: Record<string, string> =
        retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
      send(platform, req, res, detail(429, THROTTLED, headers));
    };
    if (!allowance.allowed) return refuse(retryAfter(settings.retryAfter, allowance.reset - exchange.now));
    const elsewhere = faults.strike('rate_limited', exchange);
    if (elsewhere === undefined) return next();
    if (exchange.allowance) exchange.allowance = { ...allowance, remaining: 0 };
    refuse(elsewhere.retry_after ?? undefined);
  };
}

function retryAfter(setting: number | 'reset' | 'absent', left: number): number | undefined {
  if (setting === 'absent') return undefined;
  return setting === 'reset' ? Math.ceil(left / 1000) : setting;
}

function authenticate(platform: Platform): Handler {
  const { tokens } = platform;
  return (req, res, next) => {
    const { exchange } = res.locals;
    if (exchange.session !== undefined) return next();
    const { authorization } = req.headers;
    const isToken = /^token +\S/i.test(authorization ?? '');
    const given = tokens.hasExpired(authorization, exchange.now)
      ? 'The authorization token has expired.'
      : 'Invalid Token';
    const text = isToken ? given : 'Authentication credentials were not provided.';
    send(platform, req, res, detail(401, text, { 'WWW-Authenticate': 'Token' }));
  };
}
