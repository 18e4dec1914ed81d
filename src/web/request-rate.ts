import type { RequestHandler } from 'express';
import { sendText } from './responses.ts';

/** How many requests are taken: `burst` at once, and then one every `interval` milliseconds. */
export interface RequestRate {
  readonly interval: number;
  readonly burst: number;
}

/** Refuses the requests that come faster than `rate()` allows, all clients taken together; `undefined` takes them all. */
export function limitRate(rate: () => RequestRate | undefined, now: () => number): RequestHandler {
  let current: RequestRate | undefined;
  let tokens = 0;
  let filled = now();
  const take = (limit: RequestRate) => {
    const passed = now() - filled;
    filled += passed;
    tokens = limit === current ? Math.min(limit.burst, tokens + passed / limit.interval) : limit.burst;
    current = limit;
    if (tokens < 1) return false;
    tokens--;
    return true;
  };
  return (_request, response, next) => {
    const limit = rate();
    if (limit === undefined || take(limit)) return next();
    response.set('Retry-After', String(Math.ceil(limit.interval / 1000)));
    return sendText(response, 429, ['Too many requests.']);
  };
}
