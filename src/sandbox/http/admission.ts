import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from 'express';
import { type Exchange, type Handler, pathBelow, record, send } from './http-exchange.ts';
import type { Platform } from './platform.ts';
import { operationKind } from './rate-limit.ts';
import { detail, htmlError, type Reply } from './reply.ts';

/**
 * Returns the version in an Accept header (specification section 9): `application/json; version=<n>`. The first media range with a
 * supported version counts.
 * @param supported versions; if empty, the header only has to accept JSON (section 4.16)
 * @returns undefined if the header is missing, malformed or has no supported version, which causes a 406
 */
export function acceptedVersion(
  header: string | undefined,
  supported: readonly number[],
): number | undefined {
  if (supported.length === 0) return acceptsJson(header ?? '') ? 0 : undefined;
  const versions = (header ?? '').split(',').map(versionOf);
  return versions.find((version) => version !== undefined && supported.includes(version));
}

function versionOf(range: string): number | undefined {
  const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') return undefined;
  const version = parameters.find((parameter) => parameter.startsWith('version='))?.slice('version='.length);
  return version !== undefined && /^\d{1,3}$/.test(version) ? Number(version) : undefined;
}

function acceptsJson(header: string): boolean {
  return header.split(',').some((range) => /^\s*(application\/(json|\*)|\*\/\*)\s*(;|$)/i.test(range));
}

/** Returns a handler that starts the exchange: determines its time, and applies the faults that do not depend on the account. */
export function admit(platform: Platform): Handler {
  const { faults } = platform;
  return async (req, res, next) => {
    const context = { method: req.method, path: req.path, now: platform.now() };
    const node = faults.strike('node_clock', context);
    const off = (kind: 'date' | 'data') => (node?.shows === kind || node?.shows === 'both' ? node.ms : 0);
    const ahead = node?.future === 'absent' ? Math.min(0, off('data')) : off('data');
    const exchange = { ...context, nodeTime: context.now + ahead };
    res.locals = { exchange };
    res.sendDate = false;
    res.setHeader('Date', new Date(exchange.now + off('date')).toUTCString());
    const latency = faults.strike('latency', exchange);
    if (latency) {
      const { ms, spread_ms } = latency;
      await sleep(ms + spread_ms * faults.chance('latency', exchange), undefined, { ref: false });
    }
    if (faults.strike('timeout', exchange)) return record(platform, req, exchange, 0);
    if (faults.strike('connection_reset', exchange)) {
      record(platform, req, exchange, 0);
      return void req.socket.resetAndDestroy();
    }
    const redirect = faults.strike('redirect', exchange);
    if (redirect) {
      const headers = { Location: new URL(req.originalUrl, redirect.origin).href };
      return send(platform, req, res, { status: redirect.status, headers });
    }
    if (faults.strike('html_error', exchange)) return send(platform, req, res, htmlError(400));
    next();
  };
}

/** Returns a handler that finds the valid token of the request, if any. */
export function identify({ tokens }: Platform): Handler {
  return (req, res, next) => {
    const { exchange } = res.locals;
    const session = tokens.sessionOf(req.headers.authorization, exchange.now);
    if (session !== undefined) exchange.session = session;
    next();
  };
}

/**
 * Returns a handler that requires a valid token (section 5), as every operation except those of tokens does. The refusal counts
 * against the rate limit.
 * @param wording returns the text for a header without a valid token
 */
export function authenticate(
  platform: Platform,
  wording: (authorization: string | undefined, now: number) => string,
): Handler {
  return (req, res, next) => {
    const { session, now } = res.locals.exchange;
    const path = pathBelow(res.locals.exchange.path);
    if (session !== undefined || path === '/tokens' || path.startsWith('/tokens/')) return next();
    const text = wording(req.headers.authorization, now);
    send(platform, req, res, detail(401, text, { 'WWW-Authenticate': 'Token' }));
  };
}

/** Rate limit (operations per minute), its owner, and its visibility in responses. */
export interface Quota {
  readonly holder: string;
  readonly limit: number;
  readonly refusal: string;
  /** True if responses have the three headers. */
  readonly isShown: boolean;
}

/** Returns a handler that responds with 429 to operations beyond a quota (section 8). */
export function limit(platform: Platform, quotaOf: (req: Request, exchange: Exchange) => Quota): Handler {
  const { faults, settings, rateLimit } = platform;
  return (req, res, next) => {
    const { exchange } = res.locals;
    const quota = quotaOf(req, exchange);
    const others = faults.strike('other_consumer', exchange)?.share ?? 0;
    const allowance = rateLimit.take(quota.holder, quota.limit, exchange.now, others);
    const elsewhere = allowance.allowed ? faults.strike('rate_limited', exchange) : undefined;
    if (quota.isShown) exchange.allowance = elsewhere ? { ...allowance, remaining: 0 } : allowance;
    if (allowance.allowed && elsewhere === undefined) return next();
    const left = Math.ceil((allowance.reset - exchange.now) / 1000);
    const own = settings.retryAfter === 'reset' ? left : settings.retryAfter;
    const after = elsewhere === undefined ? own : (elsewhere.retry_after ?? 'absent');
    const headers: Record<string, string> = after === 'absent' ? {} : { 'Retry-After': String(after) };
    send(platform, req, res, detail(429, quota.refusal, headers));
  };
}

/** Returns a function for the quota of REST: one per token, one per user of Basic authentication, one for all others. */
export function restQuota({ settings, tokens }: Platform) {
  return (req: Request, { method, path, session }: Exchange): Quota => {
    const user = tokens.userOf(req.headers.authorization)?.username;
    const holder = session?.token ?? (user === undefined ? 'nobody' : `user ${user}`);
    const kind = operationKind(method, pathBelow(path));
    return {
      holder: `${kind} ${holder}`,
      limit: settings.rateLimit[kind],
      refusal: 'Request was throttled.',
      isShown: true,
    };
  };
}

/** Returns a handler for failures of the platform itself, which count against the rate limit as on the real platform. */
export function fail(platform: Platform): Handler {
  return (req, res, next) => {
    const fault = platform.faults.strike('server_error', res.locals.exchange);
    if (fault === undefined) return next();
    const forms: Record<typeof fault.form, Reply> = {
      json: detail(fault.status, 'Sorry unable to perform operation.'),
      html: htmlError(fault.status),
      empty: { status: fault.status },
    };
    send(platform, req, res, forms[fault.form]);
  };
}
