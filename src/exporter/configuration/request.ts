import { z } from 'zod';
import { duration, integer, text } from './field-types.ts';
import { proxyAddress } from './proxy-address.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const MEBIBYTE = 2 ** 20;

/** How connections are made. */
export const ROUTE = {
  proxy: proxyAddress()
    .exactOptional()
    .describe(
      'Proxy to tunnel through, with user name and password if it needs them; "none" for no proxy. Without this key, HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment apply.',
    ),
  ca_file: text()
    .exactOptional()
    .describe(
      'PEM file of the certificate authorities to trust instead of the default ones; read again for each connection.',
    ),
  cert_file: text()
    .exactOptional()
    .describe(
      'PEM file of the client certificate with its chain, if the server requires one; needs key_file.',
    ),
  key_file: text().exactOptional().describe('PEM file of the private key of cert_file, not encrypted.'),
  server_name: text()
    .exactOptional()
    .describe('Name expected in the server certificate, if it is not the host of the address.'),
};

/** How an account's platform is spoken to. */
export const REQUEST = z.strictObject({
  timeout: duration({ min: SECOND, max: 5 * MINUTE })
    .prefault('30s')
    .describe('Timeout of one operation.'),
  concurrency: integer().min(1).max(64).default(6).describe('Maximum number of operations in flight.'),
  max_response_bytes: integer()
    .min(64 * 1024)
    .max(1024 * MEBIBYTE)
    .default(8 * MEBIBYTE)
    .describe(
      'Largest accepted answer, in bytes after decompression; more than a million values (an object counts for five, a key for three) never are.',
    ),
  ...ROUTE,
});

type TlsKey = 'ca_file' | 'cert_file' | 'key_file' | 'server_name';

const TLS_KEYS: readonly TlsKey[] = ['ca_file', 'cert_file', 'key_file', 'server_name'];

/** The rules that the keys for TLS break as a whole: a certificate has a key, and none is without effect. */
export function tlsMistakes(
  address: unknown,
  request: { readonly [Key in TlsKey]?: unknown } | null | undefined,
  addressKey = 'api_url',
): { readonly key: TlsKey; readonly message: string }[] {
  const given = TLS_KEYS.filter((key) => request?.[key] !== undefined);
  if (typeof address === 'string' && address.startsWith('http:')) {
    return given.map((key) => ({ key, message: `has no effect: ${addressKey} begins with http` }));
  }
  if (given.includes('cert_file') === given.includes('key_file')) return [];
  return given.includes('cert_file')
    ? [{ key: 'cert_file', message: 'expected key_file as well' }]
    : [{ key: 'key_file', message: 'expected cert_file as well' }];
}
