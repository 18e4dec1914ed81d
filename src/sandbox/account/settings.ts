import { z } from 'zod';

const limit = z.int().min(0);

/** Schema of the behaviour that the specification leaves open. config/sandbox.yaml explains each setting. */
export const settingsSchema = z.strictObject({
  rateLimit: z
    .strictObject({ reads: limit, writes: limit, purges: limit })
    .default({ reads: 200, writes: 20, purges: 200 }),
  resetFormat: z.enum(['zoneless', 'zulu']).default('zoneless'),
  headerCase: z.enum(['recorded', 'documented']).default('recorded'),
  rateHeaders: z.enum(['sent', 'absent']).default('sent'),
  retryAfter: z.union([limit, z.enum(['reset', 'absent'])]).default('absent'),
  metricsIds: z.enum(['domain', 'configuration', 'both', 'domain_or_own']).default('domain'),
  metricsShape: z.enum(['dimensions', 'nested', 'bare']).default('dimensions'),
  configurationsShape: z.enum(['array', 'envelope', 'sequence', 'object']).default('array'),
  byNameShape: z.enum(['object', 'list']).default('object'),
  laterFields: z.enum(['absent', 'present']).default('absent'),
  overwrittenFunctionId: z.enum(['string', 'number']).default('string'),
  tokenTimestamps: z.enum(['specified', 'recorded']).default('specified'),
  analyticsMetricsAdded: z.record(z.string(), z.array(z.string()).min(1)).default({}),
  analyticsMetricsMissing: z.array(z.string()).default([]),
  restAnalytics: z.enum(['served', 'absent']).default('served'),
  graphql: z.enum(['served', 'forbidden', 'absent']).default('served'),
  graphqlRateLimit: limit.default(60),
  graphqlQuota: z.enum(['own', 'shared']).default('own'),
  graphqlRateHeaders: z.enum(['sent', 'absent']).default('absent'),
  graphqlMissing: z.array(z.string()).default(['botManagerMetrics']),
  graphqlWindowEnd: z.enum(['included', 'excluded']).default('excluded'),
  graphqlReadLimit: z.number().min(0).default(10_000_000_000),
  propagationMs: z.number().min(0).default(300_000),
  settleMs: z.number().min(0).default(600_000),
  maxPageSize: z.int().min(1).default(100),
  utcOffsetMinutes: z.int().min(-840).max(840).default(0),
});

export type Settings = z.output<typeof settingsSchema>;
