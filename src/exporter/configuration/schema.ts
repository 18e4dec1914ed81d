import { z } from 'zod';
import { NAMES_WITH_UNITS, unitKinds } from '../catalogue/catalogue.ts';
import { DISCOVERY_FAMILIES, LEARNED_FAMILIES, PLATFORM_FAMILIES } from '../catalogue/platform-families.ts';
import { baseUnits, UNIT_NAMES, type UnitName, unitsOf } from '../catalogue/units.ts';
import type { Sharded } from '../cluster/shard.ts';
import { ACCESS, credentialMistakes, REQUEST, SOURCE, toCredentials, unencrypted } from './access.ts';
import { COLLECTORS_SCHEMA, defaultCollectors, toCollectors } from './collector-settings.ts';
import {
  addMistake,
  DAY,
  duration,
  durationOrAuto,
  HOUR,
  integer,
  isMapping,
  MINUTE,
  MOST_ENTRIES,
  nameText,
  patternText,
  schedule,
  text,
} from './field-types.ts';
import { PUSH } from './push-settings.ts';

/** Labels that Prometheus sets, that histograms have, or that the exporter's own metrics use. */
const RESERVED = [
  'job',
  'instance',
  'le',
  'quantile',
  'collector',
  'outcome',
  'status',
  'receiver',
  'reason',
];

/** Returns the names of the labels of traffic and accounts, which have the same meaning in every query and rule. */
function takenNames(): ReadonlySet<string> {
  const known = [...PLATFORM_FAMILIES, ...DISCOVERY_FAMILIES, ...LEARNED_FAMILIES].flatMap(
    ({ labels }) => labels,
  );
  return new Set([...RESERVED, ...known, ...PARTS]);
}

/** Labels that partition traffic. */
const PARTS = ['cache', 'scheme', 'method', 'class', 'code', 'family', 'dimension'];

/** Maximum number of further labels, because every series has them. */
const MOST_LABELS = 20;
const LONGEST_VALUE = 256;

/** Further labels of an account's series, by name. */
export const LABELS = z
  .record(z.string(), z.string().min(1, 'must not be empty').max(LONGEST_VALUE))
  .superRefine((labels, context) => {
    const taken = takenNames();
    if (Object.keys(labels).length > MOST_LABELS)
      return addMistake(context, [], `expected at most ${MOST_LABELS} labels`);
    for (const name of Object.keys(labels)) {
      if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) || name.startsWith('__'))
        addMistake(
          context,
          [name],
          'expected the name of a label: letters, digits and underscores, not two of them at first',
        );
      else if (taken.has(name))
        addMistake(context, [name], 'is a label of the exporter itself: choose another name');
    }
  });

const unitName = z.enum(UNIT_NAMES);

/** Units by metric or `metric.dimension`. Only units with an effect are accepted. */
export const UNITS = z.record(z.string(), unitName).superRefine(
  (units, context) => {
    for (const [name, unit] of Object.entries(units)) {
      const mistake = unitMistake(name, unit);
      if (mistake !== undefined) addMistake(context, [name], mistake);
    }
  },
  { when: isMapping },
);

/** Returns the reason why a unit has no effect; undefined if it has one. A name outside the catalogue causes a warning instead. */
function unitMistake(name: string, given: unknown): string | undefined {
  const kinds = unitKinds(name);
  if (kinds === undefined) return undefined;
  if (kinds.size === 0) {
    return `its figures are numbers or shares and have no unit to set; these have: ${NAMES_WITH_UNITS.join(', ')}`;
  }
  // An unknown unit is reported separately.
  const { data: unit } = unitName.safeParse(given);
  if (unit === undefined || fits(unit, kinds)) return undefined;
  const what = kinds.has('rate') ? 'a bandwidth' : 'an amount of data';
  return `expected a unit of ${what}: ${unitsOf(kinds).join(', ')}`;
}

function fits(unit: UnitName, kinds: NonNullable<ReturnType<typeof unitKinds>>): boolean {
  return [...kinds].some((kind) => baseUnits(unit, kind) !== undefined);
}

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
  settle_delay: durationOrAuto({ min: MINUTE, max: DAY })
    .prefault('auto')
    .describe(
      'Age at which counters take a bucket; "auto" is 10m, and up to 30m for a metric whose buckets keep changing later.',
    ),
  stale_after: duration({ min: MINUTE, max: 7 * DAY })
    .prefault('15m')
    .describe(
      'Time that a value stays after its last successful poll; stale gauges disappear sooner while the platform is up.',
    ),
  reconciliation_share: z
    .number()
    .min(0)
    .max(0.5)
    .default(0.01)
    .describe('Share of the allowed operations used to compare past hours with the platform; 0 disables it.'),
  discovery: schedule()
    .default('*/10 * * * *')
    .describe('When to read the lists of configurations, as a cron expression in UTC.'),
};

/** Part of the account to poll, which only a flag sets. */
const WHOLE: Pick<Sharded, 'shard'> = {};

/** Schema of one account, before (input) and after validation (output). */
export const ACCOUNT = z
  .strictObject({
    name: nameText().describe('Value of the account label; unique.'),
    labels: LABELS.default({}).describe(
      'Further labels of all series of the account, for instance team: web. Labels of the family itself win.',
    ),
    ...ACCESS,
    ...SOURCE,
    quota: quota.prefault({}).describe('Share of the rate limit to use.'),
    request: REQUEST.prefault({}).describe('Timeouts, concurrency, proxy and TLS of requests.'),
    ...TIMES,
    units: UNITS.default({}).describe(
      'Units by metric or metric.dimension, if the platform uses others than assumed: data_transferred: gigabytes.',
    ),
    collectors: COLLECTORS_SCHEMA.exactOptional().describe('Collectors to run; without this key, all.'),
  })
  .superRefine(
    (account, context) => {
      for (const mistake of credentialMistakes(account)) addMistake(context, [], mistake);
      const throughProxy = typeof account.request?.proxy === 'object';
      for (const key of ['api_url', 'graphql_url'] as const) {
        const exposed = unencrypted(account[key], account.allow_http, throughProxy);
        if (exposed !== undefined) addMistake(context, [key], exposed);
      }
      if (Number(account.settle_delay) < Number(account.publish_delay)) {
        const message = 'expected at least publish_delay: a bucket is published before it is counted';
        addMistake(context, ['settle_delay'], message);
      }
    },
    { when: isMapping },
  )
  .transform(({ token, token_file, username, password, password_file, ...given }) => ({
    ...WHOLE,
    ...given,
    graphql_url: given.graphql_url ?? given.api_url,
    credentials: toCredentials({ token, token_file, username, password, password_file }),
    collectors: given.collectors === undefined ? defaultCollectors() : toCollectors(given.collectors),
  }));

/** A validated account with defaults: durations in milliseconds, schedules as cron expressions. */
export type AccountConfig = z.output<typeof ACCOUNT>;

const limits = z.strictObject({
  series: integer().min(1).default(500_000).describe('Maximum number of exposed series of the platform.'),
  configurations: integer()
    .min(1)
    .default(10_000)
    .describe('Maximum number of configurations from a list of the platform, in its order.'),
  jobs: integer()
    .min(1)
    .default(50_000)
    .describe('Maximum number of series (metrics of configurations) and other jobs of an account.'),
});

export const DEFAULT_LIMITS = limits.parse({});

const metrics = z.strictObject({
  exclude: z
    .array(patternText())
    .max(MOST_ENTRIES)
    .default([])
    .describe(
      'Names (globs) of families that /metrics leaves out: "edge_exporter_*", "nodejs_*", "edge_*_total". Buckets are pushed all the same.',
    ),
});

/** Files, folders or patterns from which further accounts are read. */
export const ACCOUNTS_FROM = z
  .union([text(), z.array(text()).min(1, 'must not be empty')], {
    error: 'expected a file, folder or pattern, or a list of them',
  })
  .transform((given) => (typeof given === 'string' ? [given] : given));

const REST = {
  accounts_from: ACCOUNTS_FROM.exactOptional().describe(
    'Further files of accounts: files, folders (all their *.yaml and *.yml) or patterns such as "accounts.d/*.yaml".',
  ),
  limits: limits.prefault({}).describe('Limits on the size of the exporter.'),
  metrics: metrics.prefault({}).describe('Content of /metrics.'),
  push: PUSH,
};

const someAccounts = (
  given: { readonly accounts?: unknown; readonly accounts_from?: unknown },
  context: z.RefinementCtx,
) => {
  if (given.accounts === undefined && given.accounts_from === undefined)
    addMistake(context, ['accounts'], 'is required, or accounts_from');
};

/** Top-level keys that the reader ignores. */
const EXTENSIONS = { '^x-': { description: 'Anything, for anchors and merge keys.' } };

/** Schema of the configuration, before (input) and after validation (output). */
export const CONFIG = z
  .strictObject({
    accounts: z
      .array(ACCOUNT)
      .min(1, 'must not be empty')
      .exactOptional()
      .describe('The accounts to poll; without this key, those of accounts_from.'),
    ...REST,
  })
  .superRefine(someAccounts, { when: isMapping })
  .transform(({ accounts = [], limits, metrics, push }) => ({ accounts, limits, metrics, push }))
  .meta({ title: 'Configuration of edge-exporter', patternProperties: EXTENSIONS });

/** Schema of a configuration without its accounts, which `ACCOUNT` checks one by one. */
export const OUTLINE = z
  .strictObject({
    accounts: z.array(z.unknown()).min(1, 'must not be empty').exactOptional(),
    ...REST,
  })
  .superRefine(someAccounts, { when: isMapping });

/** Schema of a file of `accounts_from` without its accounts. */
export const ACCOUNTS_OUTLINE = z.strictObject({ accounts: z.array(z.unknown()) });

export type Config = z.output<typeof CONFIG>;

let jsonSchema: z.core.JSONSchema.BaseSchema | undefined;

/** Returns the JSON Schema of the YAML file for editors. Cached, because its creation takes milliseconds. */
export function configJsonSchema(): z.core.JSONSchema.BaseSchema {
  jsonSchema ??= z.toJSONSchema(CONFIG, { io: 'input' });
  return jsonSchema;
}
