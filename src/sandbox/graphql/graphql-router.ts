import express, { type Request, Router } from 'express';
import { authenticate, fail, limit, type Quota } from '../http/admission.ts';
import { type Exchange, type Handler, send } from '../http/http-exchange.ts';
import type { Platform } from '../http/platform.ts';
import { detail, NO_CONTENT, type Reply } from '../http/reply.ts';
import { createAnalytics } from './analytics.ts';

/** Where the endpoint is: with the base path that is documented, and without. */
const PATHS = ['/metrics/graphql', '/v4/metrics/graphql'];

const NO_ACCESS = detail(404, 'The following resource could not be found.');

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
  endpoint.use(limit(platform, quotaOf(platform)), authenticate(platform, wording(platform)), fail(platform));
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
function quotaOf({ settings }: Platform) {
  return (req: Request, { session }: Exchange): Quota => {
    const isShared = settings.graphqlQuota === 'shared';
    return {
      holder: isShared ? `reads ${session?.token ?? 'nobody'}` : `address ${req.socket.remoteAddress}`,
      limit: isShared ? settings.rateLimit.reads : settings.graphqlRateLimit,
      refusal: 'You have reached the request rate limit!',
      isShown: settings.graphqlRateHeaders === 'sent',
    };
  };
}

function wording({ tokens }: Platform) {
  return (authorization: string | undefined, now: number): string => {
    if (!/^token +\S/i.test(authorization ?? '')) return 'Authentication credentials were not provided.';
    return tokens.hasExpired(authorization, now) ? 'The authorization token has expired.' : 'Invalid Token';
  };
}
