import type { SecureContextOptions, SecureVersion } from 'node:tls';
import { z } from 'zod';

/** Go's names of client authentication policies, in which exporter-toolkit's files are written. */
const CLIENT_POLICIES = [
  'NoClientCert',
  'RequestClientCert',
  'RequireClientCert',
  'RequireAnyClientCert',
  'VerifyClientCertIfGiven',
  'RequireAndVerifyClientCert',
] as const;

export type ClientPolicy = (typeof CLIENT_POLICIES)[number];

const VERSIONS = { TLS10: 'TLSv1', TLS11: 'TLSv1.1', TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const;

const CURVES = { CurveP256: 'P-256', CurveP384: 'P-384', CurveP521: 'P-521', X25519: 'X25519' } as const;

/** Go's cipher suites up to TLS 1.2, with OpenSSL's names; those of TLS 1.3 are not configurable there. */
const CIPHERS = {
  TLS_RSA_WITH_AES_128_CBC_SHA: 'AES128-SHA',
  TLS_RSA_WITH_AES_256_CBC_SHA: 'AES256-SHA',
  TLS_RSA_WITH_AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  TLS_RSA_WITH_AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
} as const;

/** One of a table's keys, which becomes its value. */
function named<Name extends string, Value extends string>(table: Readonly<Record<Name, Value>>) {
  const names = Object.keys(table) as [Name, ...Name[]];
  return z.enum(names).transform((name): Value => table[name]);
}

/** `tls_server_config` of exporter-toolkit's web configuration. */
export const tlsServerConfig = z
  .strictObject({
    cert: z.string().optional(),
    key: z.string().optional(),
    client_ca: z.string().optional(),
    cert_file: z.string().optional(),
    key_file: z.string().optional(),
    client_ca_file: z.string().optional(),
    client_auth_type: z.enum(CLIENT_POLICIES).default('NoClientCert'),
    client_allowed_sans: z.array(z.string()).optional(),
    min_version: named(VERSIONS).default('TLSv1.2'),
    max_version: named(VERSIONS).default('TLSv1.3'),
    cipher_suites: z.array(named(CIPHERS)).default([]),
    prefer_server_cipher_suites: z.boolean().default(true),
    curve_preferences: z.array(named(CURVES)).default([]),
  })
  .superRefine((tls, context) => {
    for (const [path, message] of mistakes(tls)) context.addIssue({ code: 'custom', path: [path], message });
  });

interface TlsKeys {
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly client_ca?: string | undefined;
  readonly cert_file?: string | undefined;
  readonly key_file?: string | undefined;
  readonly client_ca_file?: string | undefined;
  readonly client_auth_type: ClientPolicy;
  readonly client_allowed_sans?: readonly string[] | undefined;
  readonly min_version: SecureVersion;
  readonly max_version: SecureVersion;
  readonly cipher_suites: readonly string[];
  readonly prefer_server_cipher_suites: boolean;
  readonly curve_preferences: readonly string[];
}

function* mistakes(tls: TlsKeys): Generator<[path: keyof TlsKeys, message: string]> {
  for (const key of ['cert', 'key', 'client_ca'] as const) {
    if (tls[key] && tls[`${key}_file`]) yield [key, `not together with ${key}_file`];
  }
  for (const key of ['cert', 'key'] as const) {
    if (!tls[key] && !tls[`${key}_file`])
      yield [`${key}_file`, `required, or ${key} with the PEM text itself`];
  }
  const policy = tls.client_auth_type;
  if ((tls.client_ca || tls.client_ca_file) && policy === 'NoClientCert') {
    yield ['client_auth_type', 'required beside a client CA'];
  }
  if (verifies(policy) && !tls.client_ca && !tls.client_ca_file) {
    yield ['client_ca_file', `required by client_auth_type ${policy}`];
  }
  if (tls.client_allowed_sans && !policy.startsWith('Require')) {
    yield [
      'client_allowed_sans',
      'needs client_auth_type RequireAnyClientCert or RequireAndVerifyClientCert',
    ];
  }
  if (tls.min_version > tls.max_version) yield ['min_version', 'must not be above max_version'];
}

/** Whether a certificate that a client shows must come from the client CA. */
export function verifies(policy: ClientPolicy): boolean {
  return policy === 'VerifyClientCertIfGiven' || policy === 'RequireAndVerifyClientCert';
}

/** The settings as Node takes them, with the certificates' texts in place. */
export function secureContextOptions(tls: TlsKeys, read: (file: string) => string): SecureContextOptions {
  const text = (key: 'cert' | 'key' | 'client_ca') => {
    const file = tls[`${key}_file`];
    return file ? read(file) : tls[key];
  };
  const ca = text('client_ca');
  return {
    cert: text('cert'),
    key: text('key'),
    ...(ca === undefined ? {} : { ca }),
    minVersion: tls.min_version,
    maxVersion: tls.max_version,
    honorCipherOrder: tls.prefer_server_cipher_suites,
    ...(tls.cipher_suites.length === 0 ? {} : { ciphers: withTls13(tls.cipher_suites) }),
    ...(tls.curve_preferences.length === 0 ? {} : { ecdhCurve: tls.curve_preferences.join(':') }),
  };
}

/** Without TLS 1.3's own suites in the list, Node would switch them off. */
function withTls13(ciphers: readonly string[]): string {
  const own = ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'];
  return [...own, ...ciphers].join(':');
}
