import type { Credentials } from '../../../src/exporter/platform/credentials.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';

/** Credentials without a token, so that nothing is asked of a platform; they are given back when `closed` is kept. */
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
