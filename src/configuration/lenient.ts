import { z } from 'zod';
import { durationOrAuto } from './field-types.ts';

/**
 * What a configuration says, as far as it can be read whatever else is wrong with it. Mistakes are left out here:
 * the schema tells them.
 */
const PRODUCT = z
  .object({ metrics: z.array(z.unknown()).catch([]), dimensions: z.array(z.unknown()).catch([]) })
  .catch({ metrics: [], dimensions: [] });

const COLLECTOR = z
  .object({ enabled: z.unknown().optional(), products: z.record(z.string(), PRODUCT).optional().catch({}) })
  .catch({ enabled: true, products: {} });

const PATH = z.string().optional().catch(undefined);

const REQUEST = z.object({ ca_file: PATH, cert_file: PATH, key_file: PATH }).catch({});

const ACCOUNT = z
  .object({
    token_file: PATH,
    password_file: PATH,
    request: REQUEST.prefault({}),
    settle_delay: durationOrAuto({ min: 0, max: Number.POSITIVE_INFINITY }).optional().catch(undefined),
    units: z.record(z.string(), z.unknown()).catch({}),
    collectors: z.record(z.string(), COLLECTOR).optional().catch(undefined),
  })
  .catch({ units: {}, request: {} });

const RECEIVER = z
  .object({ token_file: PATH, password_file: PATH, request: REQUEST.prefault({}) })
  .catch({ request: {} });

const CONFIG = z
  .object({ accounts: z.array(ACCOUNT).catch([]), push: z.array(RECEIVER).catch([]) })
  .catch({ accounts: [], push: [] });

/** An account, as far as it can be read; without `collectors` it runs all, or what it says of them is no mapping. */
export type LenientAccount = z.output<typeof ACCOUNT>;

/** The accounts of a configuration, in their order. */
export function lenientAccounts(value: unknown): readonly LenientAccount[] {
  return CONFIG.parse(value).accounts;
}

/** The receivers of a configuration, in their order: the files that they name. */
export function lenientReceivers(value: unknown): readonly z.output<typeof RECEIVER>[] {
  return CONFIG.parse(value).push;
}
