import type { Secret } from '../secret.ts';
import type { Credentials } from './credentials.ts';

/** Credentials whose every token is made known before it is used, so that it can be kept out of the log. */
export function guardedCredentials(credentials: Credentials, guard: (secret: Secret) => void): Credentials {
  const guarded = new WeakSet<Secret>();
  return {
    get kind() {
      return credentials.kind;
    },
    async authorization(signal) {
      const token = await credentials.authorization(signal);
      if (!guarded.has(token)) guard(token);
      guarded.add(token);
      return token;
    },
    refused: (used, signal) => credentials.refused(used, signal),
    expiresAt: () => credentials.expiresAt(),
    secrets: () => credentials.secrets(),
    close: (signal) => credentials.close(signal),
  };
}
