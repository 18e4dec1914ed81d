import type { SigV4 } from '../configuration/push-settings.ts';
import { readPasswordFile } from '../credentials/secret-file.ts';
import type { Secret } from '../secret.ts';

/**
 * The headers that sign a request to AWS (Signature Version 4): its host, address and body, and no header that a proxy may change.
 * @param at when it is made (ms since the epoch): AWS takes it for five minutes
 * @param guard is told of each secret before it is used
 */
export async function awsSignature(
  { region, access_key, secret_key, secret_key_file, session_token }: SigV4,
  { url, body, at }: { readonly url: string; readonly body: Uint8Array; readonly at: number },
  guard: (secret: Secret) => void,
): Promise<Record<string, string>> {
  // Loaded only here, for those who use it.
  const { AwsV4Signer } = await import('aws4fetch');
  const secret = secret_key ?? (await readPasswordFile(secret_key_file ?? '', 'the key in secret_key_file'));
  guard(secret);
  if (session_token !== undefined) guard(session_token);
  const { headers } = await new AwsV4Signer({
    method: 'POST',
    url,
    body: Buffer.from(body),
    service: 'aps',
    region,
    accessKeyId: access_key,
    secretAccessKey: secret.reveal(),
    ...(session_token !== undefined && { sessionToken: session_token.reveal() }),
    datetime: new Date(at).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
  }).sign();
  return Object.fromEntries(headers);
}
