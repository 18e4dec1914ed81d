import { createHmac, randomBytes } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { WebConfigFile } from './config-file.ts';
import { isAwaited, sendText } from './responses.ts';

/** User names and their bcrypt hashes. */
export type Users = ReadonlyMap<string, string>;

export interface WebLogin {
  readonly user: string;
  readonly password: string;
}

/** Accepts a request only with the name and password of a user (RFC 7617); accepts every request if there are no users. */
export function basicAuth(webConfig: WebConfigFile, verify = createLoginVerifier()): RequestHandler {
  return async (request, response, next) => {
    const { users } = webConfig.current();
    const login = parseAuthorization(request.headers.authorization);
    const verdict = users.size === 0 || (login !== undefined && (await verify(users, login)));
    if (!isAwaited(response)) return;
    if (verdict === true) return next();
    if (verdict === 'busy') {
      response.setHeader('Retry-After', '1');
      return sendText(response, 503, ['Too many logins are being verified.']);
    }
    response.setHeader('WWW-Authenticate', 'Basic realm="edge-exporter", charset="UTF-8"');
    sendText(response, 401, ['A user name and password are required.']);
  };
}

/** Returns the login in an `Authorization` header; undefined if there is none. */
export function parseAuthorization(header: string | undefined): WebLogin | undefined {
  const encoded = /^basic +([\w+/=-]+) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Compares a password with a bcrypt hash. */
export type Compare = (password: string, hash: string) => Promise<boolean>;

/** Compares on a thread. Loads the library with the first login, because most servers need none. */
const compareOnThread: Compare = async (password, hash) =>
  (await import('@node-rs/bcrypt')).verify(password, hash);

/** Returns true if the login belongs to one of `users`; `busy` if too many are being verified. */
export type VerifyLogin = (users: Users, login: WebLogin) => Promise<boolean | 'busy'>;

/** Maximum number of queued comparisons, each of which takes a core for tens of milliseconds. */
const LONGEST_LINE = 64;
const REMEMBERED_LOGINS = 100;

/**
 * Returns a function that verifies one login after another, so that guesses occupy only one of the threads that polls and
 * compression share. Caches correct logins with a keyed hash of password, name and stored hash. So a scrape does not pay for
 * bcrypt, and a changed password takes effect at once.
 */
export function createLoginVerifier(compare: Compare = compareOnThread): VerifyLogin {
  const secret = randomBytes(32);
  const remembered = new Set<string>();
  let line: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  return async (users, login) => {
    const hash = users.get(login.user);
    const key = createHmac('sha256', secret)
      .update(JSON.stringify([hash, login.user, login.password]))
      .digest('base64');
    if (hash !== undefined && remembered.has(key)) return true;
    if (waiting >= LONGEST_LINE) return 'busy';
    waiting += 1;
    // An unknown user costs as much time as a known one, so that response times do not reveal names.
    const [anyHash = ''] = users.values();
    const verdict = line.then(() => compare(login.password, hash ?? decoyOf(anyHash)));
    const leave = () => {
      waiting -= 1;
    };
    line = verdict.then(leave, leave);
    if (!(await verdict) || hash === undefined) return false;
    if (remembered.size >= REMEMBERED_LOGINS) remembered.clear();
    remembered.add(key);
    return true;
  };
}

/** Returns a hash that no password has, as costly as `hash`. */
function decoyOf(hash: string): string {
  return `${hash.slice(0, 7)}${'.'.repeat(53)}`;
}
