import { createServer, type Server, type ServerOptions } from 'node:https';
import type { SecureContextOptions, SecureVersion, TLSSocket } from 'node:tls';
import { z } from 'zod';
import { isMapping } from '../configuration/field-types.ts';

/** The TLS settings of a server. */
export interface TlsConfig {
  readonly context: SecureContextOptions;
  readonly clientPolicy: ClientPolicy;
  /** Accepted names in a client's certificate; undefined accepts any. */
  readonly clientNames: readonly string[] | undefined;
}

/** Policy for client certificates: if one is required, and if the client CA must have signed it. Values of Go's ClientAuthType. */
export type ClientPolicy =
  | 'NoClientCert'
  | 'RequestClientCert'
  | 'RequireAnyClientCert'
  | 'VerifyClientCertIfGiven'
  | 'RequireAndVerifyClientCert';

const POLICIES: Readonly<Record<string, ClientPolicy>> = {
  NoClientCert: 'NoClientCert',
  RequestClientCert: 'RequestClientCert',
  // The old name of the next value.
  RequireClientCert: 'RequireAnyClientCert',
  RequireAnyClientCert: 'RequireAnyClientCert',
  VerifyClientCertIfGiven: 'VerifyClientCertIfGiven',
  RequireAndVerifyClientCert: 'RequireAndVerifyClientCert',
};

const VERSIONS: Readonly<Record<string, SecureVersion>> = { TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' };

const CURVES: Readonly<Record<string, string>> = {
  CurveP256: 'P-256',
  CurveP384: 'P-384',
  CurveP521: 'P-521',
  X25519: 'X25519',
};

/** Cipher suites of TLS 1.3. Go always allows all three, whatever is configured. */
const TLS13_SUITES = ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'];

/** Go's secure cipher suites, with OpenSSL's names for those up to TLS 1.2. */
const SUITES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(TLS13_SUITES.map((name) => [name, ''])),
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
};

/** Returns a schema for the names in a table, which converts a name to its value. */
function nameIn<Value>(table: Readonly<Record<string, Value>>) {
  return z.enum(Object.keys(table)).transform((name) => table[name] as Value);
}

const tlsKeys = z
  .strictObject({
    cert: z.string(),
    key: z.string(),
    client_ca: z.string(),
    cert_file: z.string(),
    key_file: z.string(),
    client_ca_file: z.string(),
    client_auth_type: nameIn(POLICIES),
    client_allowed_sans: z.array(z.string()),
    min_version: nameIn(VERSIONS),
    max_version: nameIn(VERSIONS),
    cipher_suites: z.array(nameIn(SUITES)),
    prefer_server_cipher_suites: z.boolean(),
    curve_preferences: z.array(nameIn(CURVES)),
  })
  .partial()
  .superRefine((tls, context) => {
    for (const [path, message] of mistakes(tls)) context.addIssue({ code: 'custom', path: [path], message });
  });

type TlsKeys = Readonly<z.output<typeof tlsKeys>>;

/** Schema of `tls_server_config` in exporter-toolkit's web configuration. A key without a value counts as absent. */
export const tlsServerConfig = z.preprocess(
  (given) =>
    isMapping({ value: given })
      ? Object.fromEntries(
          Object.entries(Object(given)).filter(([, value]) => value !== null && value !== ''),
        )
      : given,
  tlsKeys,
);

/** Returns true if the section enables TLS; versions, suites and names alone do not. */
export function asksForTls(tls: TlsKeys): boolean {
  const { cert, cert_file, key, key_file, client_ca, client_ca_file, client_auth_type } = tls;
  return [cert, cert_file, key, key_file, client_ca, client_ca_file, client_auth_type].some(Boolean);
}

function* mistakes(tls: TlsKeys): Generator<[path: keyof TlsKeys, message: string]> {
  if (!asksForTls(tls)) return;
  for (const key of ['cert', 'key'] as const) {
    if (!tls[key] && !tls[`${key}_file`])
      yield [`${key}_file`, `required, or ${key} with the PEM text itself`];
  }
  const asksNobody = (tls.client_auth_type ?? 'NoClientCert') === 'NoClientCert';
  if ((tls.client_ca || tls.client_ca_file) && asksNobody)
    yield ['client_auth_type', 'required beside a client CA'];
  if (tls.client_allowed_sans && asksNobody)
    yield ['client_allowed_sans', 'does nothing: client_auth_type asks for no certificate'];
  if (tls.min_version === 'TLSv1.3' && tls.max_version === 'TLSv1.2')
    yield ['min_version', 'is above max_version: no client could connect'];
}

/** Returns the settings in the form that Node accepts, with the contents of the certificates. */
export function secureContextOptions(tls: TlsKeys, read: (file: string) => string): SecureContextOptions {
  const text = (key: 'cert' | 'key' | 'client_ca') => {
    const file = tls[`${key}_file`];
    return file ? read(file) : tls[key] || undefined;
  };
  const ca = text('client_ca');
  const { curve_preferences: curves = [], cipher_suites: suites = [] } = tls;
  return {
    cert: text('cert'),
    key: text('key'),
    ...(ca === undefined ? {} : { ca }),
    minVersion: tls.min_version ?? 'TLSv1.2',
    maxVersion: tls.max_version ?? 'TLSv1.3',
    honorCipherOrder: tls.prefer_server_cipher_suites ?? true,
    // Node disables the suites of TLS 1.3 unless they are in the list.
    ...(suites.length === 0 ? {} : { ciphers: [...TLS13_SUITES, ...suites.filter(Boolean)].join(':') }),
    ...(curves.length === 0 ? {} : { ecdhCurve: curves.join(':') }),
  };
}

/** Provides the current TLS settings of the web configuration. */
interface TlsSource {
  current(): { readonly tls: TlsConfig | undefined };
}

/** Creates an HTTPS server whose certificates follow the web configuration. Client certificates need a restart. */
export function createTlsServer(webConfig: TlsSource, options: ServerOptions): Server {
  let tls = tlsOf(webConfig);
  const requestCert = tls.clientPolicy !== 'NoClientCert';
  const server = createServer({ ...options, ...tls.context, requestCert, rejectUnauthorized: false });
  server.prependListener('connection', () => {
    const now = tlsOf(webConfig, tls);
    if (now === tls) return;
    tls = now;
    server.setSecureContext(tls.context);
  });
  server.prependListener('secureConnection', (socket) => {
    if (!admits(tls, socket)) socket.destroy();
  });
  return server;
}

/** Returns the TLS settings. Disabling TLS needs a restart; until then the former certificate stays in use. */
function tlsOf(webConfig: TlsSource, before?: TlsConfig): TlsConfig {
  const tls = webConfig.current().tls ?? before;
  if (tls === undefined) throw new Error('the web configuration has no tls_server_config');
  return tls;
}

/** Returns true if the policy accepts the client's certificate or its absence (Go's ClientAuthType). */
function admits({ clientPolicy, clientNames }: TlsConfig, socket: TLSSocket): boolean {
  const certificate = socket.getPeerX509Certificate();
  if (clientPolicy === 'NoClientCert') return true;
  // Like exporter-toolkit, refuses a client without a certificate if names are configured, even if the policy does not require one.
  if (certificate === undefined) return !clientPolicy.startsWith('Require') && clientNames === undefined;
  const isFromAnybody = clientPolicy === 'RequestClientCert' || clientPolicy === 'RequireAnyClientCert';
  if (!isFromAnybody && !socket.authorized) return false;
  if (clientNames === undefined) return true;
  // Node's form is `DNS:a, IP Address:10.0.0.1`. A quoted name is ambiguous and is ignored.
  const names = (certificate.subjectAltName ?? '').split(', ');
  return names.some((entry) => clientNames.includes(entry.slice(entry.indexOf(':') + 1)));
}
