import type { Credentials } from '../platform/credentials.ts';
import type { Secret } from '../secret.ts';

/** Credentials that register every secret for masking when it appears and whenever it is used, so that it never gets into the log. */
export function guardedCredentials(credentials: Credentials, guard: (secret: Secret) => void): Credentials {
  const guardAll = (): readonly Secret[] => {
    const secrets = credentials.secrets();
    for (const secret of secrets) guard(secret);
    return secrets;
  };
  return {
    get kind() {
      return credentials.kind;
    },
    // What failed has used secrets too: a wrong password is one.
    authorization: (signal) => credentials.authorization(signal).finally(guardAll),
    refused: (used, signal) => credentials.refused(used, signal).finally(guardAll),
    renewed: () => credentials.renewed().finally(guardAll),
    expiresAt: () => credentials.expiresAt(),
    secrets: guardAll,
    close: (signal) => credentials.close(signal).finally(guardAll),
  };
}
