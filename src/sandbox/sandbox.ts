import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ErrorRequestHandler, Express } from 'express';
import express, { Router } from 'express';
import { z } from 'zod';
import { type Settings, settingsSchema } from './account/settings.ts';
import { resourceOf } from './api/crud.ts';
import { resourceRouter } from './api/resource-router.ts';
import { resources } from './api/resources.ts';
import { workloads } from './api/workloads.ts';
import { controlRouter } from './control.ts';
import { type FaultSettings, FaultSwitch } from './faults/faults.ts';
import { graphqlRouter } from './graphql/endpoint.ts';
import { admit, authenticate, fail, identify, limit, restQuota } from './http/admission.ts';
import { type Handler, send } from './http/http-exchange.ts';
import { type Platform, RequestLog } from './http/platform.ts';
import { RateLimit } from './http/rate-limit.ts';
import { detail, NO_CONTENT, NOT_FOUND } from './http/reply.ts';
import { type StaticToken, Tokens, type User } from './http/token-store.ts';
import { type AccountSize, seedAccount, sizeSchema } from './seed.ts';
import type { Incident } from './traffic/incidents.ts';
import { type SeriesByDimension, type TruthQuery, truthOf } from './traffic/series.ts';
import { Traffic } from './traffic/traffic.ts';

const DAY = 86_400_000;

/** Default user and token. */
export const DEFAULT_USER: User = { username: 'operator@example.com', password: 'sandbox' };
export const DEFAULT_TOKEN: StaticToken = { token: 'sandbox-token' };

/** Options of a sandbox. All have defaults, which give a small, realistic account. */
export interface SandboxOptions extends Partial<Settings>, Partial<AccountSize> {
  readonly seed?: number;
  /** Returns the present time (ms since the epoch). */
  readonly now?: () => number;
  readonly users?: readonly User[];
  readonly tokens?: readonly StaticToken[];
  /** Lifetime (ms) of a created token. */
  readonly tokenLifetime?: number;
  readonly faults?: FaultSettings;
}

/** Embedded platform: its API over HTTP, and its owner's access to account, faults and settings at any time. */
export interface Sandbox extends Pick<Platform, 'account' | 'faults' | 'settings' | 'requests'> {
  readonly app: Express;
  /** Returns the final values of every bucket, in the units of the settings. @throws RangeError if the metric does not exist */
  truth(query: TruthQuery): SeriesByDimension;
  /** Adds an incident to the traffic. @throws RangeError if the configuration does not exist */
  inject(incident: Incident): void;
  /** Starts listening. @param port 0 for any free one @param host default: loopback */
  listen(port: number, host?: string): Promise<{ url: string; close(): Promise<void> }>;
}

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const platform = assemble(options);
  const { settings, traffic } = platform;
  const app = createApplication(platform);
  return {
    ...platform,
    app,
    truth: (query) => truthOf(traffic, query, settings),
    inject: (incident) => traffic.inject(incident),
    listen: (port, host = '127.0.0.1') => listen(app, port, host),
  };
}

function assemble(options: SandboxOptions): Platform {
  const {
    seed = 1,
    now = Date.now,
    users = [DEFAULT_USER],
    tokens = [DEFAULT_TOKEN],
    tokenLifetime = DAY,
  } = options;
  const faults = new FaultSwitch(seed, options.faults);
  const ownTime = () => {
    const time = now();
    return time + (faults.strike('clock_skew', { method: '', path: '', now: time })?.ms ?? 0);
  };
  const account = seedAccount(seed, sizeSchema.parse(options), () => traffic.observe(ownTime()));
  const traffic = new Traffic(seed, account);
  return {
    account,
    traffic,
    tokens: new Tokens({ users, tokens, lifetime: tokenLifetime, seed }),
    rateLimit: new RateLimit(),
    faults,
    settings: settingsSchema.strip().parse(options),
    requests: new RequestLog(),
    seed,
    now: ownTime,
  };
}

async function listen(
  app: Express,
  port: number,
  host: string,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${bound}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

/** Base path of version 4, below which the platform serves its endpoints, too. */
const VERSION_4 = '/v4';

/** Returns the platform's API as an Express application, with the sandbox's control API. */
function createApplication(platform: Platform): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  app.use('/_sandbox', controlRouter(platform), complain);
  app.use(admit(platform), identify(platform), graphqlRouter(platform));
  app.use(limit(platform, restQuota(platform)), authenticate(platform, restWording), fail(platform));
  app.use(express.json({ limit: '2mb', strict: false }));
  app.use(
    `${VERSION_4}/workspace/workloads`,
    resourceRouter(platform, resourceOf(platform.settings, workloads(platform))),
  );
  const api = Router();
  api.use(['/analytics', '/metrics'], restAnalytics(platform));
  for (const [path, resource] of resources(platform)) api.use(path, resourceRouter(platform, resource));
  app.use(api).use(VERSION_4, api);
  app.use(VERSION_4, ((req, res) => send(platform, req, res, NO_CONTENT)) satisfies Handler);
  app.use(((req, res) => send(platform, req, res, NOT_FOUND)) satisfies Handler);
  app.use(refuseBody(platform));
  return app;
}

function restWording(authorization: string | undefined): string {
  return authorization === undefined ? 'Authentication credentials were not provided.' : 'Invalid token.';
}

/** Returns a handler that responds to analytics reads with 404 if REST no longer serves them. */
function restAnalytics(platform: Platform): Handler {
  return (_req, _res, next) => next(platform.settings.restAnalytics === 'served' ? undefined : 'router');
}

/** Handles mistakes in the use of the control API, with an explanation in plain text. */
const complain: ErrorRequestHandler = (error, _req, res, next) => {
  if (error instanceof z.ZodError)
    return void res
      .status(400)
      .type('text')
      .send(`${z.prettifyError(error)}\n`);
  if (error instanceof RangeError) return void res.status(404).type('text').send(`${error.message}\n`);
  next(error);
};

/** Returns a handler that responds with 400 to a request body that is not JSON, and with 500 to any other failure. */
function refuseBody(platform: Platform): ErrorRequestHandler {
  return (error: { status?: number; expose?: boolean }, req, res, _next) => {
    const status = error.expose ? (error.status ?? 400) : 500;
    const text = status === 500 ? 'Sorry unable to perform operation.' : 'JSON parse error.';
    send(platform, req, res as Parameters<Handler>[1], detail(status, text));
  };
}
