import { createHmac, randomBytes } from 'node:crypto';
import bcrypt from 'bcryptjs';
import type { RequestHandler } from 'express';
import { sendText } from './responses.ts';

/** User names and their bcrypt hashes. */
export type Users = ReadonlyMap<string, string>;

interface Login {
  readonly user: string;
  readonly password: string;
}

/** Verifying costs this process tens of milliseconds each; what guessing may queue up is bounded. */
const LONGEST_QUEUE = 16;
const REMEMBERED_LOGINS = 100;

/** Lets a request pass when no users are configured, or when it carries one's name and password (RFC 7617). */
export function createGate(users: () => Users): RequestHandler {
  const verify = createVerifier();
  return async (request, response, next) => {
    const known = users();
    if (known.size === 0) return next();
    const login = parseAuthorization(request.get('authorization'));
    const verdict = login === undefined ? false : await verify(known, login);
    if (verdict === true) return next();
    if (verdict === 'busy') {
      response.set('Retry-After', '1');
      return sendText(response, 503, ['Too many logins are being verified.']);
    }
    response.set('WWW-Authenticate', 'Basic realm="edge-exporter", charset="UTF-8"');
    return sendText(response, 401, ['A user name and password are required.']);
  };
}

/** The login in an `Authorization` header, or `undefined` where it holds none. */
export function parseAuthorization(header: string | undefined): Login | undefined {
  const encoded = /^basic +([\w+/=-]+) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

type Verify = (users: Users, login: Login) => Promise<boolean | 'busy'>;

/**
 * Verifies one login after the other and remembers those that were right, so that a scrape does not pay for bcrypt.
 * What is remembered depends on the stored hash: a changed password is forgotten at once.
 */
function createVerifier(): Verify {
  const secret = randomBytes(32);
  const remembered = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  let queued = 0;

  return async (users, login) => {
    const hash = users.get(login.user);
    const key = createHmac('sha256', secret)
      .update(JSON.stringify([hash, login]))
      .digest('base64');
    if (remembered.has(key)) return true;
    if (queued >= LONGEST_QUEUE) return 'busy';
    queued++;
    const comparison = last.then(() => bcrypt.compare(login.password, hash ?? decoyHash(users)));
    last = comparison.catch(() => undefined).finally(() => queued--);
    const right = (await comparison) && hash !== undefined;
    if (right) remember(remembered, key);
    return right;
  };
}

function remember(remembered: Set<string>, key: string): void {
  const [oldest] = remembered;
  if (remembered.size >= REMEMBERED_LOGINS && oldest !== undefined) remembered.delete(oldest);
  remembered.add(key);
}

/** A hash that no password has, as costly as the real ones: how long a refusal takes does not tell who is a user. */
function decoyHash(users: Users): string {
  const [first = ''] = users.values();
  return `${first.slice(0, 7)}${'.'.repeat(53)}`;
}
