import { z } from 'zod';
import { duration } from '../configuration/fields.ts';
import { tlsServerConfig } from './tls-settings.ts';

const BCRYPT_HASH = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;

const basicAuthUsers = z
  .record(
    z.string(),
    z.string().regex(BCRYPT_HASH, 'expected a bcrypt hash, such as `htpasswd -nBC 10 ""` prints'),
  )
  .superRefine((users, context) => {
    for (const user of Object.keys(users)) {
      if (/^[^:]+$/.test(user)) continue;
      context.addIssue({
        code: 'custom',
        path: [user],
        message: 'a user name must not be empty and holds no colon',
      });
    }
  });

/** The headers that exporter-toolkit lets one set; an empty one is not sent. */
const headers = z.strictObject({
  'Content-Security-Policy': z.string().optional(),
  'Strict-Transport-Security': z.string().optional(),
  'X-Content-Type-Options': z.enum(['nosniff', ''], 'expected nosniff, or "" to leave it out').optional(),
  'X-Frame-Options': z
    .enum(['deny', 'sameorigin', ''], 'expected deny, sameorigin, or "" to leave it out')
    .optional(),
  'X-XSS-Protection': z.string().optional(),
});

/**
 * The file of `--web.config.file`, in the form of exporter-toolkit (its docs/web-configuration.md). `http2` is taken
 * and changes nothing: this server speaks HTTP/1.1.
 */
export const webConfigSchema = z.strictObject({
  tls_server_config: tlsServerConfig.optional(),
  http_server_config: z
    .strictObject({ http2: z.boolean().optional(), headers: headers.optional() })
    .optional(),
  basic_auth_users: basicAuthUsers.nullish(),
  rate_limit: z
    .strictObject({ interval: duration({ min: 0, max: 3_600_000 }), burst: z.int().min(1) })
    .optional(),
});

export type WebConfigKeys = z.infer<typeof webConfigSchema>;
