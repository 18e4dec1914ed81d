import type { Platform } from '../http/platform.ts';
import { detail, NO_CONTENT, NOT_FOUND, type Reply } from '../http/reply.ts';
import type { User } from '../http/tokens.ts';
import type { Call, Resource } from '../resource.ts';
import { microseconds } from '../timestamp.ts';

/** Specification 4.1: the only operations with Basic authentication. */
export function tokens({ tokens: issued }: Platform): Resource {
  return {
    versions: [1, 3],
    operations: [
      {
        method: 'post',
        path: '/',
        handle: withUser((user, { now, version }) => {
          const { token, createdAt, expiresAt } = issued.create(user, now);
          const body = {
            token,
            created_at: stamp(createdAt, version),
            expires_at: stamp(expiresAt, version),
          };
          return { status: 201, body };
        }),
      },
      {
        method: 'delete',
        path: '/:token',
        handle: withUser((user, { params }) =>
          issued.revoke(params['token'] ?? '', user) ? NO_CONTENT : NOT_FOUND,
        ),
      },
    ],
  };

  function withUser(handle: (user: User, call: Call) => Reply): (call: Call) => Reply {
    return (call) => {
      const user = issued.userOf(call.authorization);
      if (user !== undefined) return handle(user, call);
      return detail(401, 'Invalid username/password.', { 'WWW-Authenticate': 'Basic realm="api"' });
    };
  }
}

/** Version 1 writes `2016-11-18T14:10:58.024903Z`, version 3 `2016-11-18 14:10:58.024903+00:00`. */
function stamp(time: number, version: number): string {
  const zulu = microseconds(time);
  return version === 1 ? zulu : zulu.replace('T', ' ').replace('Z', '+00:00');
}
