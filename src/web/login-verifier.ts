import { createHmac, randomBytes } from 'node:crypto';
import { verify as compareOnThread } from '@node-rs/bcrypt';
import { decoyOf } from './password-hash.ts';

/** User names and their bcrypt hashes. */
export type Users = ReadonlyMap<string, string>;

export interface Login {
  readonly user: string;
  readonly password: string;
}

/** Whether a password belongs to a hash; it works on another thread. */
export type Compare = (password: string, hash: string) => Promise<boolean>;

/** Whether the login is one of `users`'; `busy` where too many are being verified. `client` is who shares a queue's part. */
export type VerifyLogin = (users: Users, login: Login, client: string) => Promise<boolean | 'busy'>;

/** A comparison takes a core for tens of milliseconds: what guessing may queue up is bounded, for each client and in all. */
const LONGEST_QUEUE = 16;
const LONGEST_QUEUE_OF_CLIENT = 4;
const REMEMBERED_LOGINS = 100;

/**
 * Verifies one login after the other, so that guesses take no more than one of the threads that polls and compression
 * share, and remembers those that were right, so that a scrape does not pay for bcrypt. Kept is no password but a
 * keyed hash of it, name and stored hash: a changed password is forgotten at once.
 */
export function createLoginVerifier(compare: Compare = compareOnThread): VerifyLogin {
  const secret = randomBytes(32);
  const remembered = new Set<string>();
  const queuedBy = new Map<string, number>();
  let last: Promise<unknown> = Promise.resolve();
  let queued = 0;

  function enqueue(password: string, hash: string, client: string): Promise<boolean> {
    queued++;
    queuedBy.set(client, (queuedBy.get(client) ?? 0) + 1);
    const leave = () => {
      queued--;
      const left = (queuedBy.get(client) ?? 0) - 1;
      if (left > 0) queuedBy.set(client, left);
      else queuedBy.delete(client);
    };
    const comparison = last.then(() => compare(password, hash));
    last = comparison.then(leave, leave);
    return comparison;
  }

  return async (users, login, client) => {
    const hash = users.get(login.user);
    const key = createHmac('sha256', secret)
      .update(JSON.stringify([hash, login.user, login.password]))
      .digest('base64');
    if (hash !== undefined && remembered.has(key)) return true;
    if (queued >= LONGEST_QUEUE || (queuedBy.get(client) ?? 0) >= LONGEST_QUEUE_OF_CLIENT) return 'busy';
    // How long a refusal takes does not tell who is a user.
    const [anyHash = ''] = users.values();
    const right = (await enqueue(login.password, hash ?? decoyOf(anyHash), client)) && hash !== undefined;
    if (right) remember(remembered, key);
    return right;
  };
}

function remember(remembered: Set<string>, key: string): void {
  const [oldest] = remembered;
  if (remembered.size >= REMEMBERED_LOGINS && oldest !== undefined) remembered.delete(oldest);
  remembered.add(key);
}
