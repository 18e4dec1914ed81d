import express, { type ErrorRequestHandler, type Express } from 'express';
import { z } from 'zod';
import { controlRouter } from './control.ts';
import { graphqlRouter } from './graphql/graphql-router.ts';
import { admit, authenticate, fail, identify, limit } from './http/admission.ts';
import { type Handler, send } from './http/http-exchange.ts';
import type { Platform } from './http/platform.ts';
import { detail, NO_CONTENT, NOT_FOUND } from './http/reply.ts';
import type { Resource } from './resource.ts';
import { resourceRouter } from './resource-router.ts';
import { certificates } from './resources/certificates.ts';
import { domains } from './resources/domains.ts';
import { edgeApplications } from './resources/edge-applications.ts';
import { edgeFirewalls } from './resources/edge-firewalls.ts';
import { edgeFunctions } from './resources/edge-functions.ts';
import { errorResponses } from './resources/error-responses.ts';
import { intelligentDns } from './resources/intelligent-dns.ts';
import { networkLists } from './resources/network-lists.ts';
import { purge } from './resources/purge.ts';
import { firewallRulesets, wafRulesets } from './resources/rulesets.ts';
import { analytics, metrics } from './resources/series-reads.ts';
import { tokens } from './resources/tokens.ts';
import { workloads } from './resources/workloads.ts';

/** Where each part of the API lives. The first match counts; the busiest come first. */
const RESOURCES: readonly (readonly [path: string, (platform: Platform) => Resource])[] = [
  ['/analytics', analytics],
  ['/metrics', metrics],
  ['/tokens', tokens],
  ['/domains', domains],
  ['/content_delivery', errorResponses],
  ['/digital_certificates', certificates],
  ['/purge', purge],
  ['/edge_applications', edgeApplications],
  ['/edge_functions', edgeFunctions],
  ['/edge_firewall/rulesets', firewallRulesets],
  ['/edge_firewall', edgeFirewalls],
  ['/waf/rulesets', wafRulesets],
  ['/network_lists', networkLists],
  ['/intelligent_dns', intelligentDns],
  ['/v4/workspace/workloads', workloads],
];

/** The platform's API as an Express application, with the sandbox's own controls beside it. */
export function createApplication(platform: Platform): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  app.use('/_sandbox', controlRouter(platform), complain);
  app.use(admit(platform), identify(platform), graphqlRouter(platform));
  app.use(limit(platform), authenticate(platform), fail(platform));
  app.use(express.json({ limit: '2mb', strict: false }));
  app.use(['/analytics', '/metrics'], restAnalytics(platform));
  for (const [path, resource] of RESOURCES) app.use(path, resourceRouter(platform, resource(platform)));
  app.use('/v4', ((req, res) => send(platform, req, res, NO_CONTENT)) satisfies Handler);
  app.use(((req, res) => send(platform, req, res, NOT_FOUND)) satisfies Handler);
  app.use(refuseBody(platform));
  return app;
}

/** Where REST serves no analytics any more, its reads of them are unknown paths. */
function restAnalytics(platform: Platform): Handler {
  return (req, res, next) => {
    if (platform.settings.restAnalytics === 'served') next();
    else send(platform, req, res, NOT_FOUND);
  };
}

/** Mistakes in the use of the control API, explained in plain text. */
const complain: ErrorRequestHandler = (error, _req, res, next) => {
  if (error instanceof z.ZodError)
    return void res
      .status(400)
      .type('text')
      .send(`${z.prettifyError(error)}\n`);
  if (error instanceof RangeError) return void res.status(404).type('text').send(`${error.message}\n`);
  next(error);
};

/** A request body that is not JSON is answered 400, any other failure 500. */
function refuseBody(platform: Platform): ErrorRequestHandler {
  return (error: { status?: number; expose?: boolean }, req, res, _next) => {
    const status = error.expose ? (error.status ?? 400) : 500;
    const text = status === 500 ? 'Sorry unable to perform operation.' : 'JSON parse error.';
    send(platform, req, res as Parameters<Handler>[1], detail(status, text));
  };
}
