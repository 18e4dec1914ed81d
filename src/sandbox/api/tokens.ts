import { isoTimestamp, spacedTimestamp } from '../formats.ts';
import type { Platform } from '../http/platform.ts';
import { detail, NO_CONTENT, NOT_FOUND, type Reply } from '../http/reply.ts';
import type { User } from '../http/token-store.ts';
import type { Call, Resource } from './resource-router.ts';

/** Returns the resource of specification 4.1, the only one with Basic authentication. */
export function tokens({ tokens: issued, settings }: Platform): Resource {
  const withUser = (handle: (user: User, call: Call) => Reply) => (call: Call) => {
    const user = issued.userOf(call.authorization);
    if (user !== undefined) return handle(user, call);
    return detail(401, 'Invalid username/password.', { 'WWW-Authenticate': 'Basic realm="api"' });
  };
  const create = (user: User, { now, version }: Call) => {
    const { token, createdAt, expiresAt } = issued.create(user, now);
    const spaced = (version === 1) === (settings.tokenTimestamps === 'specified');
    const write = spaced ? spacedTimestamp : isoTimestamp;
    return { status: 201, body: { token, created_at: write(createdAt), expires_at: write(expiresAt) } };
  };
  const revoke = (user: User, { params }: Call) =>
    issued.revoke(params['token'] ?? '', user) ? NO_CONTENT : NOT_FOUND;
  return {
    versions: [1, 3],
    operations: [
      ['post', '/', withUser(create)],
      ['delete', '/:token', withUser(revoke)],
    ],
  };
}
