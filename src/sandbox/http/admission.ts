import { setTimeout as sleep } from 'node:timers/promises';
import { type Handler, record, send } from './http-exchange.ts';
import type { Platform } from './platform.ts';
import { operationKind } from './rate-limit.ts';
import { detail, htmlError, type Reply } from './reply.ts';

/**
 * The version that an Accept header asks for (specification section 9): `application/json; version=<n>`. Of several
 * media ranges the first that names a supported version counts.
 * @param supported without any, the header only has to accept JSON (section 4.16)
 * @returns undefined when the header is missing, malformed or names no supported version: a 406
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

/** Starts the exchange: fixes its time, and applies the faults that need no account. */
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

/** Finds the live token that the request carries, if any. */
export function identify({ tokens }: Platform): Handler {
  return (req, res, next) => {
    const { exchange } = res.locals;
    const session = tokens.sessionOf(req.headers.authorization, exchange.now);
    if (session !== undefined) exchange.session = session;
    next();
  };
}

/** Section 5: every operation but the tokens' own needs a live token. The refusal counts against the rate limit. */
export function authenticate(platform: Platform): Handler {
  return (req, res, next) => {
    const { exchange } = res.locals;
    if (exchange.session !== undefined || isTokens(exchange.path)) return next();
    const missing = req.headers.authorization === undefined;
    const text = missing ? 'Authentication credentials were not provided.' : 'Invalid token.';
    send(platform, req, res, detail(401, text, { 'WWW-Authenticate': 'Token' }));
  };
}

/** Section 8: the rate limit, for each token, for each user with Basic authentication, and for all others together. */
export function limit(platform: Platform): Handler {
  const { faults, settings, rateLimit, tokens } = platform;
  return (req, res, next) => {
    const { exchange } = res.locals;
    const { method, path, now } = exchange;
    const user = tokens.userOf(req.headers.authorization)?.username;
    const holder = exchange.session?.token ?? (user === undefined ? 'nobody' : `user ${user}`);
    const others = faults.lasting('other_consumer', exchange)?.share ?? 0;
    const allowance = rateLimit.take(holder, operationKind(method, path), settings.rateLimit, now, others);
    exchange.allowance = allowance;
    if (!allowance.allowed) return send(platform, req, res, tooMany(platform, allowance.reset - now));
    const elsewhere = faults.strike('rate_limited', exchange);
    if (elsewhere === undefined) return next();
    exchange.allowance = { ...allowance, remaining: 0 };
    const retry = elsewhere.retry_after;
    send(platform, req, res, throttled(retry === null ? {} : { 'Retry-After': String(retry) }));
  };
}

/** A failure of the platform itself; it counts against the rate limit, as on the real platform. */
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

function tooMany({ settings: { retryAfter } }: Platform, left: number): Reply {
  if (retryAfter === 'absent') return throttled({});
  return throttled({ 'Retry-After': String(retryAfter === 'reset' ? Math.ceil(left / 1000) : retryAfter) });
}

function throttled(headers: Record<string, string>): Reply {
  return detail(429, 'Request was throttled.', headers);
}

function isTokens(path: string): boolean {
  return path === '/tokens' || path.startsWith('/tokens/');
}
