import { z } from 'zod';
import { duration, integer, text } from './fields.ts';
import { proxyAddress } from './proxy.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const MEBIBYTE = 2 ** 20;

/** How an account's platform is spoken to. */
export const REQUEST = z.strictObject({
  timeout: duration({ min: SECOND, max: 5 * MINUTE })
    .prefault('30s')
    .describe('How long one operation may take.'),
  concurrency: integer().min(1).max(64).default(6).describe('How many operations may be under way at once.'),
  max_response_bytes: integer()
    .min(64 * 1024)
    .max(1024 * MEBIBYTE)
    .default(64 * MEBIBYTE)
    .describe('Largest answer that is read, in bytes after decompression.'),
  proxy: proxyAddress()
    .exactOptional()
    .describe(
      'Proxy to tunnel through, with user name and password in it where it asks for them; "none" for no proxy. Without this key HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment count.',
    ),
  ca_file: text()
    .exactOptional()
    .describe(
      'PEM file of the authorities to trust instead of the well-known ones; read again for each connection.',
    ),
  cert_file: text()
    .exactOptional()
    .describe(
      'PEM file of the client certificate that the platform asks for, with its chain; needs key_file.',
    ),
  key_file: text().exactOptional().describe('PEM file of the private key of cert_file, not encrypted.'),
  server_name: text()
    .exactOptional()
    .describe('Name that the certificate must be for, where it is not the host of api_url.'),
});

type TlsKey = 'ca_file' | 'cert_file' | 'key_file' | 'server_name';

const TLS_KEYS: readonly TlsKey[] = ['ca_file', 'cert_file', 'key_file', 'server_name'];

/** The rules that the keys for TLS break as a whole: a certificate has a key, and none is without effect. */
export function tlsMistakes(
  apiUrl: unknown,
  request: { readonly [Key in TlsKey]?: unknown } | null | undefined,
): { readonly key: TlsKey; readonly message: string }[] {
  const given = TLS_KEYS.filter((key) => request?.[key] !== undefined);
  if (typeof apiUrl === 'string' && apiUrl.startsWith('http:')) {
    return given.map((key) => ({ key, message: 'has no effect: api_url begins with http' }));
  }
  if (given.includes('cert_file') === given.includes('key_file')) return [];
  return given.includes('cert_file')
    ? [{ key: 'cert_file', message: 'expected key_file as well' }]
    : [{ key: 'key_file', message: 'expected cert_file as well' }];
}
