import type { Credentials } from '../../../src/exporter/platform/credentials.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';

/**
 * Returns credentials without a token, so that no request reaches a platform. `close` returns the promise of
 * `closed`.
 */
export function noToken(closed: () => Promise<void> = () => Promise.resolve()): Credentials {
  return {
    kind: 'token',
    authorization: async () => {
      throw new PlatformFailure('unauthorized', 'no token in this test');
    },
    refused: async () => false,
    renewed: async () => false,
    look: async () => undefined,
    expiresAt: () => undefined,
    renewsAt: () => undefined,
    owner: () => undefined,
    secrets: () => [],
    takeExchanges: () => [],
    close: closed,
  };
}
