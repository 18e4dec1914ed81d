import { z } from 'zod';
import { refuse } from '../configuration/field-types.ts';
import { goBoolean, goDuration, goInteger, goText } from './go-values.ts';
import { normalizeHash } from './password-hash.ts';
import { tlsServerConfig } from './tls-settings.ts';

/** A bcrypt hash, in the form that the verifier takes. */
const passwordHash = goText().transform((text, context) => {
  return (
    normalizeHash(text) ?? refuse(context, 'expected a bcrypt hash, such as `htpasswd -nBC 10 ""` prints')
  );
});

/** Not zod's record, which leaves out a user named `__proto__`: a file with no other would open every door. */
const users = z.preprocess(
  (given) => (isMapping(given) ? new Map(Object.entries(given)) : given),
  z.map(z.string(), passwordHash),
);

function isMapping(given: unknown): given is object {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

function oneOf(values: readonly string[]) {
  return goText().refine((value) => values.includes(value), `expected ${values.join(' or ')}`);
}

/** The headers that exporter-toolkit lets one set; an empty one is not sent. */
const headers = z
  .strictObject({
    'Content-Security-Policy': goText(),
    'Strict-Transport-Security': goText(),
    'X-Content-Type-Options': oneOf(['nosniff']),
    'X-Frame-Options': oneOf(['deny', 'sameorigin']),
    'X-XSS-Protection': goText(),
  })
  .partial();

/**
 * The file of `--web.config.file`, in the form of exporter-toolkit (its docs/web-configuration.md), as Go reads it:
 * nothing in place of a value is the zero value of its type. `http2` is taken and changes nothing: this server speaks
 * HTTP/1.1.
 */
export const webConfigSchema = z.strictObject({
  tls_server_config: tlsServerConfig.nullish(),
  http_server_config: z.strictObject({ http2: goBoolean().optional(), headers: headers.nullish() }).nullish(),
  basic_auth_users: users.nullish(),
  rate_limit: z.strictObject({ interval: goDuration(), burst: goInteger() }).partial().nullish(),
});

export type WebConfigKeys = z.infer<typeof webConfigSchema>;
