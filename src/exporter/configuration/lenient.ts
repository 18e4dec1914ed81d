import { z } from 'zod';
import { durationOrAuto } from './field-types.ts';

/**
 * What a configuration says, as far as it can be read whatever else is wrong with it. Mistakes are left out here:
 * the schema reports them.
 */
const PRODUCT = z
  .object({
    schedule: z.string().optional().catch(undefined),
    metrics: z.array(z.unknown()).catch([]),
    top: z.unknown().optional(),
    by: z.array(z.unknown()).catch([]),
    dimensions: z.array(z.unknown()).catch([]),
  })
  .catch({ schedule: undefined, metrics: [], dimensions: [], by: [] });

const TEXT = z.string().optional().catch(undefined);

const COLLECTOR = z
  .object({
    enabled: z.unknown().optional(),
    source: TEXT,
    schedule: TEXT,
    configurations: z.array(z.unknown()).catch([]),
    products: z.record(z.string(), PRODUCT).optional().catch({}),
  })
  .catch({ enabled: true, source: undefined, schedule: undefined, configurations: [], products: {} });

const REQUEST = z.object({ ca_file: TEXT, cert_file: TEXT, key_file: TEXT }).catch({});

const ACCOUNT = z
  .object({
    name: TEXT,
    api_url: TEXT,
    source: TEXT,
    token: TEXT,
    token_file: TEXT,
    password_file: TEXT,
    discovery: TEXT,
    request: REQUEST.prefault({}),
    settle_delay: durationOrAuto({ min: 0, max: Number.POSITIVE_INFINITY }).optional().catch(undefined),
    units: z.record(z.string(), z.unknown()).catch({}),
    collectors: z.record(z.string(), COLLECTOR).optional().catch(undefined),
  })
  .catch({ units: {}, request: {} });

const RECEIVER = z
  .object({
    token_file: TEXT,
    password_file: TEXT,
    request: REQUEST.prefault({}),
    accounts: z.array(z.unknown()).catch([]),
    families: z.array(z.unknown()).catch([]),
  })
  .catch({ request: {}, accounts: [], families: [] });

const METRICS = z.object({ exclude: z.array(z.unknown()).catch([]) }).catch({ exclude: [] });

const CONFIG = z
  .object({ metrics: METRICS.default({ exclude: [] }), push: z.array(RECEIVER).catch([]) })
  .catch({ metrics: { exclude: [] }, push: [] });

/** An account, as far as it can be read; without `collectors` it runs all, or what it says of them is no mapping. */
export type LenientAccount = z.output<typeof ACCOUNT>;

export function lenientAccount(value: unknown): LenientAccount {
  return ACCOUNT.parse(value);
}

/** A receiver: the files that it names, and what it selects. */
export type LenientReceiver = z.output<typeof RECEIVER>;

/** What of a configuration is not its accounts': receivers in their order, and what is left out. */
export function lenientConfig(value: unknown): z.output<typeof CONFIG> {
  return CONFIG.parse(value);
}

const FILES = z.union([z.string().transform((file) => [file]), z.array(z.string())]);
const ACCOUNTS_FROM = z.object({ accounts_from: FILES.catch([]) }).catch({ accounts_from: [] });

/** Where a configuration says that further accounts are. */
export function lenientAccountsFrom(value: unknown): readonly string[] {
  return ACCOUNTS_FROM.parse(value).accounts_from;
}
