import type { Request, RequestHandler, Response } from 'express';
import { damageDocument, damageText } from '../faults/damage.ts';
import type { FaultContext } from '../faults/faults.ts';
import type { Platform } from './platform.ts';
import { authorizationKind } from './platform.ts';
import { type Allowance, rateHeaders } from './rate-limit.ts';
import type { Reply } from './reply.ts';
import type { Session } from './token-store.ts';

/** Facts about a request while the sandbox processes it. */
export interface Exchange extends FaultContext {
  /** Time (ms since the epoch) of the responding node. */
  readonly nodeTime: number;
  session?: Session;
  allowance?: Allowance;
}

export type Handler = RequestHandler<
  Record<string, string>,
  unknown,
  unknown,
  Record<string, string | string[] | undefined>,
  { exchange: Exchange }
>;

export type ExchangeResponse = Response<unknown, { exchange: Exchange }>;

/** Sends a response with the headers that every response has, after applying the faults. */
export function send(platform: Platform, req: Request, res: ExchangeResponse, reply: Reply): void {
  const { exchange } = res.locals;
  const { faults } = platform;
  const damaged = damageDocument(reply, faults, exchange);
  const text = damaged.text ?? (damaged.body === undefined ? '' : JSON.stringify(damaged.body));
  const sent = text === '' ? { text, missing: 0 } : damageText(text, faults, exchange);
  res.writeHead(reply.status, {
    ...(text === '' ? {} : { 'Content-Type': reply.contentType ?? 'application/json' }),
    ...(reply.status === 204 ? {} : { 'Content-Length': Buffer.byteLength(sent.text) + sent.missing }),
    ...limitHeaders(platform, exchange),
    ...reply.headers,
  });
  record(platform, req, exchange, reply.status);
  if (sent.missing === 0) res.end(req.method === 'HEAD' ? undefined : sent.text);
  else res.write(sent.text, () => res.destroy());
}

/** Returns the path of an operation without the base path of version 4. */
export function pathBelow(path: string): string {
  return path.replace(/^\/v4(?=\/)/, '');
}

/** Logs the request. @param status 0 if there is no response */
export function record(platform: Platform, req: Request, exchange: Exchange, status: number): void {
  const [, query = ''] = req.originalUrl.split('?');
  platform.requests.add({
    time: exchange.now,
    method: exchange.method,
    path: exchange.path.replace(/^((?:\/v4)?\/tokens)\/.+/, '$1/:token'),
    query,
    status,
    authorization: authorizationKind(req.headers.authorization),
  });
}

function limitHeaders({ settings, faults }: Platform, exchange: Exchange): Record<string, string> {
  const { allowance } = exchange;
  if (allowance === undefined || settings.rateHeaders === 'absent') return {};
  return rateHeaders(allowance, settings, faults.strike('rate_headers', exchange));
}
