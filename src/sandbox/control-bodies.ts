import { z } from 'zod';
import { WAF_FAMILIES } from './account/security.ts';
import { faultsSchema } from './faults/faults.ts';
import { timestampOption } from './timestamp-format.ts';
import { INCIDENT_KINDS } from './traffic/incident-recipes.ts';

/** The query of `GET /_sandbox/truth`; the width is in ms. */
export const truthQuery = z.strictObject({
  api: z.enum(['analytics', 'metrics']),
  product: z.coerce.number().int(),
  configuration: z.union([z.literal('product'), z.coerce.number().int()]),
  metric: z.string(),
  from: timestampOption,
  to: timestampOption,
  width: z.coerce.number().int().min(60_000).multipleOf(60_000).optional(),
});

/** The body of `POST /_sandbox/events`. */
export const incidentBody = z.strictObject({
  kind: z.enum(INCIDENT_KINDS),
  configuration: z.int(),
  from: timestampOption,
  to: timestampOption,
  per_minute: z.number().min(0).default(0),
});

const sensitivity = z.enum(['lowest', 'low', 'medium', 'high', 'highest']);

/** The body of `PATCH /_sandbox/waf/rulesets/:id`: the API shows no write of them, so rehearsals use this. */
export const wafPatch = z
  .strictObject({
    name: z.string().min(1),
    mode: z.enum(['blocking', 'counting']),
    active: z.boolean(),
    whitelist: z.string(),
    ...Object.fromEntries(WAF_FAMILIES.map((family) => [family, z.boolean()])),
    ...Object.fromEntries(WAF_FAMILIES.map((family) => [`${family}_sensitivity`, sensitivity])),
  })
  .partial();

/** The body of `PATCH /_sandbox/faults`: null turns a fault off. */
export const faultPatch = z.strictObject(
  Object.fromEntries(Object.entries(faultsSchema.shape).map(([name, fault]) => [name, fault.nullable()])),
);
