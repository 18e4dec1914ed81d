import { z } from 'zod';

const limit = z.int().min(0);

/** How this platform behaves where the specification leaves it open, by default as here. All of it can change while it runs. */
export const settingsSchema = z.strictObject({
  /** Operations per minute, for each token. */
  rateLimit: z
    .strictObject({ reads: limit, writes: limit, purges: limit })
    .default({ reads: 200, writes: 20, purges: 200 }),
  resetFormat: z.enum(['zoneless', 'zulu']).default('zoneless'),
  headerCase: z.enum(['recorded', 'documented']).default('recorded'),
  /** Whether the three headers are sent at all. */
  rateHeaders: z.enum(['sent', 'absent']).default('sent'),
  /** Seconds in Retry-After of a 429; `reset` takes the time left in the window, `absent` sends none. */
  retryAfter: z.union([z.int().min(0), z.enum(['reset', 'absent'])]).default('absent'),
  /**
   * Which ids the metrics API takes for `:conf_id`: as specified, those of domains; of products without domains the
   * configuration's own. `domain_or_own` takes the own one also of an application or function that has no domain yet.
   */
  metricsIds: z.enum(['domain', 'configuration', 'both', 'domain_or_own']).default('domain'),
  /** `dimensions`: `{dim: series}`; `nested`: as the analytics API; `bare`: only the first dimension's series. */
  metricsShape: z.enum(['dimensions', 'nested', 'bare']).default('dimensions'),
  /** How the metrics API lists configurations. */
  configurationsShape: z.enum(['array', 'envelope', 'sequence', 'object']).default('array'),
  /** What a by-name read answers when it finds one: the resource in an envelope, or a list of one. */
  byNameShape: z.enum(['object', 'list']).default('object'),
  /** Whether answers carry the fields that were seen in some, though they are not documented. */
  laterFields: z.enum(['absent', 'present']).default('absent'),
  /** How a function's id is written in the answer to an overwrite. */
  overwrittenFunctionId: z.enum(['string', 'number']).default('string'),
  /**
   * Timestamps of tokens in versions 3 and 1. `specified`: ISO 8601 with `Z` in version 3, a space and `+00:00` in
   * version 1 (specification 2.0). `recorded`: the other way round, as in answers recorded from such a platform.
   */
  tokenTimestamps: z.enum(['specified', 'recorded']).default('specified'),
  /** Metrics that the analytics API lists and serves beside the documented ones: their dimensions by name. */
  analyticsMetricsAdded: z.record(z.string(), z.array(z.string()).min(1)).default({}),
  /** Documented metrics that the analytics API neither lists nor serves. */
  analyticsMetricsMissing: z.array(z.string()).default([]),
  /** `absent`: every analytics and metrics read of REST is answered 404. */
  restAnalytics: z.enum(['served', 'absent']).default('served'),
  /** The GraphQL analytics. `forbidden`: the account may not use them (404); `absent`: there is no such path (204). */
  graphql: z.enum(['served', 'forbidden', 'absent']).default('served'),
  /** Its operations per minute, for each client address; `shared`: they count as the token's reads of REST do. */
  graphqlRateLimit: limit.default(60),
  graphqlQuota: z.enum(['own', 'shared']).default('own'),
  graphqlRateHeaders: z.enum(['sent', 'absent']).default('absent'),
  /** Datasets, and fields of them (`workloadMetrics.requestTime`), that the account's schema lacks. */
  graphqlMissing: z.array(z.string()).default(['botManagerMetrics']),
  /** Whether a bucket that starts at the end of a `tsRange` is part of it. */
  graphqlWindowEnd: z.enum(['included', 'excluded']).default('excluded'),
  /** Where a question would read more rows (one a minute and source), it fails with 500. */
  graphqlReadLimit: z.number().min(0).default(10_000_000_000),
  /** How long a change of a workload takes to reach the whole infrastructure. */
  propagationMs: z.number().min(0).default(300_000),
  /** After this many ms every bucket is final. */
  settleMs: z.number().min(0).default(600_000),
  maxPageSize: z.int().min(1).default(100),
  /** Local time of the account minus UTC, in minutes; timestamps without `Z` and wide buckets follow it. */
  utcOffsetMinutes: z.int().min(-840).max(840).default(0),
});

export type Settings = z.output<typeof settingsSchema>;
