import { z } from 'zod';
import { ACCESS, credentialMistakes, toCredentials, unencrypted } from './access.ts';
import { COLLECTORS_SCHEMA, defaultCollectors, toCollectors } from './collector-settings.ts';
import { addMistake, duration, durationOrAuto, integer, schedule, text } from './field-types.ts';
import { PUSH } from './push-settings.ts';
import { REQUEST, tlsMistakes } from './request.ts';
import { UNITS } from './unit-settings.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const quota = z.strictObject({
  reserve: z
    .number()
    .min(0)
    .max(0.95)
    .default(0.2)
    .describe("Share of each limit to leave to the token's other clients."),
  assumed_limit: integer()
    .min(1)
    .default(60)
    .describe('Assumed limit in operations per minute while the platform sends no rate limit headers.'),
});

const TIMES = {
  publish_delay: durationOrAuto({ min: 0, max: HOUR })
    .prefault('auto')
    .describe(
      'Age at which gauges show a bucket; "auto" starts with 2m and learns, by metric, when buckets are 98 % complete.',
    ),
  settle_delay: durationOrAuto({ min: MINUTE, max: 24 * HOUR })
    .prefault('10m')
    .describe(
      'Age at which counters take a bucket; "auto" starts with 10m and learns when buckets stop changing.',
    ),
  stale_after: duration({ min: MINUTE, max: 7 * 24 * HOUR })
    .prefault('15m')
    .describe(
      'How long a value is kept after its last successful poll; stale gauges go sooner while the platform is up.',
    ),
  reconciliation_share: z
    .number()
    .min(0)
    .max(0.5)
    .default(0.01)
    .describe('Share of the allowed operations used to compare past hours with the platform; 0 disables it.'),
  discovery: schedule()
    .default('*/10 * * * *')
    .describe('When to read the lists of configurations, as a cron expression.'),
};

const ACCOUNT = z
  .strictObject({
    name: text().describe('Value of the account label; unique.'),
    ...ACCESS,
    quota: quota.prefault({}).describe('How much of the rate limit to use.'),
    request: REQUEST.prefault({}).describe('How requests are sent.'),
    ...TIMES,
    units: UNITS.default({}).describe(
      'Units by metric or metric.dimension, if the platform uses others than assumed: data_transferred: gigabytes.',
    ),
    collectors: COLLECTORS_SCHEMA.exactOptional().describe('What to collect; without this key, everything.'),
  })
  .superRefine(
    (account, context) => {
      for (const mistake of credentialMistakes(account)) addMistake(context, [], mistake);
      const throughProxy = typeof account.request?.proxy === 'object';
      const exposed = unencrypted(account.api_url, account.allow_http, throughProxy);
      if (exposed !== undefined) addMistake(context, ['api_url'], exposed);
      for (const { key, message } of tlsMistakes(account.api_url, account.request)) {
        context.addIssue({ code: 'custom', path: ['request', key], message });
      }
      if (Number(account.settle_delay) < Number(account.publish_delay)) {
        context.addIssue({
          code: 'custom',
          path: ['settle_delay'],
          message: 'expected at least publish_delay: a bucket is published before it is counted',
        });
      }
    },
    { when: isObject },
  )
  .transform((given) => ({
    name: given.name,
    api_url: given.api_url,
    allow_http: given.allow_http,
    credentials: toCredentials(given),
    quota: given.quota,
    request: given.request,
    publish_delay: given.publish_delay,
    settle_delay: given.settle_delay,
    stale_after: given.stale_after,
    reconciliation_share: given.reconciliation_share,
    discovery: given.discovery,
    units: given.units,
    collectors: given.collectors === undefined ? defaultCollectors() : toCollectors(given.collectors),
  }));

/** One account of the platform, checked and complete: durations in milliseconds, schedules as cron expressions. */
export type Account = z.output<typeof ACCOUNT>;

const limits = z.strictObject({
  series: integer().min(1).default(500_000).describe('Maximum number of exposed series of the platform.'),
  configurations: integer()
    .min(1)
    .default(10_000)
    .describe('Maximum number of configurations taken from a list of the platform, in its order.'),
  jobs: integer()
    .min(1)
    .default(50_000)
    .describe('Number of jobs of an account above which no further metrics of configurations are read.'),
});

/** Default limits. */
export const DEFAULT_LIMITS = limits.parse({});

/** The configuration as it is written in YAML (its input) and as the program uses it (its output). */
export const CONFIG = z
  .strictObject({
    accounts: z.array(ACCOUNT).min(1, 'must not be empty').describe('The accounts to poll.'),
    limits: limits.prefault({}).describe('Limits on the size of the exporter.'),
    push: PUSH,
  })
  .superRefine(
    ({ accounts }, context) => {
      if (!Array.isArray(accounts)) return;
      const names: unknown[] = accounts.map((account) => account?.name);
      for (const [index, name] of names.entries()) {
        if (name === undefined || names.indexOf(name) === index) continue;
        const message = `must be unique; accounts[${names.indexOf(name)}] has this name`;
        context.addIssue({ code: 'custom', path: ['accounts', index, 'name'], message });
      }
    },
    { when: isObject },
  );

export type Config = z.output<typeof CONFIG>;

let jsonSchema: z.core.JSONSchema.BaseSchema | undefined;

/** The JSON Schema of the YAML file, by which editors complete and check it. Made once, since that takes milliseconds. */
export function configJsonSchema(): z.core.JSONSchema.BaseSchema {
  jsonSchema ??= z.toJSONSchema(CONFIG.meta({ title: 'Configuration of edge-exporter' }), { io: 'input' });
  return jsonSchema;
}

function isObject({ value }: { readonly value: unknown }): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
