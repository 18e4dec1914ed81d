import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAwaited, sendText } from './responses.ts';

/** Whether a request may go on, since it carries the name and password of one of the users (RFC 7617); where it may not, it has been answered. */
export async function admits(
  users: Users,
  request: IncomingMessage,
  response: ServerResponse,
  verify: VerifyLogin,
): Promise<boolean> {
  const login = parseAuthorization(request.headers.authorization);
  const client = request.socket.remoteAddress ?? '';
  const verdict = login === undefined ? false : await verify(users, login, client);
  if (!isAwaited(response)) return false;
  if (verdict === true) return true;
  if (verdict === 'busy') {
    response.setHeader('Retry-After', '1');
    sendText(response, 503, ['Too many logins are being verified.']);
    return false;
  }
  response.setHeader('WWW-Authenticate', 'Basic realm="edge-exporter", charset="UTF-8"');
  sendText(response, 401, ['A user name and password are required.']);
  return false;
}

/** The login in an `Authorization` header, or `undefined` where it holds none. */
export function parseAuthorization(header: string | undefined): WebLogin | undefined {
  const encoded = /^basic +([\w+/=-]+) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** User names and their bcrypt hashes. */
export type Users = ReadonlyMap<string, string>;

export interface WebLogin {
  readonly user: string;
  readonly password: string;
}

/** Whether a password belongs to a hash; it works on another thread. */
export type Compare = (password: string, hash: string) => Promise<boolean>;

/** Loaded with the first login: most servers ask for none. */
const compareOnThread: Compare = async (password, hash) =>
  (await import('@node-rs/bcrypt')).verify(password, hash);

/** Whether the login is one of `users`'; `busy` where too many are being verified. `client` is who shares a queue's part. */
export type VerifyLogin = (users: Users, login: WebLogin, client: string) => Promise<boolean | 'busy'>;

/** A comparison takes a core for tens of milliseconds: how many wait for one is bounded, of each client and in all. */
const LONGEST_LINE = 128;
const LONGEST_LINE_OF_CLIENT = 32;
const REMEMBERED_LOGINS = 100;

/**
 * Verifies one login after the other, so that guesses take no more than one of the threads that polls and compression
 * share, and remembers those that were right, so that a scrape does not pay for bcrypt. Kept is no password but a
 * keyed hash of it, name and stored hash: a changed password is forgotten at once. Clients take turns; behind an ingress all
 * have one address, so that its line is long enough for a right login to wait among guesses instead of being refused.
 */
export function createLoginVerifier(compare: Compare = compareOnThread): VerifyLogin {
  const secret = randomBytes(32);
  const remembered = new Set<string>();
  const turns = new OneAfterTheOther();

  return async (users, login, client) => {
    const hash = users.get(login.user);
    const key = createHmac('sha256', secret)
      .update(JSON.stringify([hash, login.user, login.password]))
      .digest('base64');
    if (hash !== undefined && remembered.has(key)) return true;
    // A refusal takes as long for a user as for anybody else.
    const [anyHash = ''] = users.values();
    const verdict = await turns.take(client, () => compare(login.password, hash ?? decoyOf(anyHash)));
    if (verdict === 'busy') return 'busy';
    const right = verdict && hash !== undefined;
    if (right) remember(remembered, key);
    return right;
  };
}

/** Does one thing after another: of each client in the order in which it asked, and of all clients in turns. */
class OneAfterTheOther {
  /** The client whose turn is next comes first. */
  readonly #lines = new Map<string, (() => Promise<void>)[]>();
  #waiting = 0;
  #isBusy = false;

  /** The outcome of `work`, or `busy`, at once, where too many wait. */
  take(client: string, work: () => Promise<boolean>): Promise<boolean | 'busy'> {
    const line = this.#lines.get(client) ?? [];
    if (this.#waiting >= LONGEST_LINE || line.length >= LONGEST_LINE_OF_CLIENT)
      return Promise.resolve('busy');
    this.#lines.set(client, line);
    this.#waiting++;
    const outcome = new Promise<boolean>((resolve, reject) => {
      line.push(() => work().then(resolve, reject));
    });
    if (!this.#isBusy) void this.#work();
    return outcome;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (const [client, line] of this.#lines) {
      this.#lines.delete(client);
      const next = line.shift();
      // Set anew, it comes after all others.
      if (line.length > 0) this.#lines.set(client, line);
      this.#waiting--;
      await next?.();
    }
    this.#isBusy = false;
  }
}

function remember(remembered: Set<string>, key: string): void {
  const [oldest] = remembered;
  if (remembered.size >= REMEMBERED_LOGINS && oldest !== undefined) remembered.delete(oldest);
  remembered.add(key);
}

/** A hash that Go's bcrypt reads, whatever stands between the parts; 53 characters of salt and digest, what follows is ignored. */
const GO_HASH = /^\$[\0-2](?:\$|[^$].)([+-]\d|\d\d).(.{52,})$/s;
const SHORTEST_BYTES = 59;

/** A stored hash as the verifier takes it, `$2b$<cost>$<salt and digest>`; undefined where exporter-toolkit would refuse it. */
export function normalizeHash(stored: string): string | undefined {
  const bytes = Buffer.from(stored).toString('latin1');
  const [, digits, rest = ''] = GO_HASH.exec(bytes) ?? [];
  const cost = Number(digits);
  if (bytes.length < SHORTEST_BYTES || !(cost >= 4 && cost <= 31)) return undefined;
  return `$2b$${String(cost).padStart(2, '0')}$${rest.slice(0, 53)}`;
}

/** A hash that no password has, as costly as `hash`. */
export function decoyOf(hash: string): string {
  return `${hash.slice(0, 7)}${'.'.repeat(53)}`;
}
