import { z } from 'zod';
import type { OAuth2, Receiver, SigV4 } from '../configuration/push-settings.ts';
import { type FoundSecret, readPasswordFile, readTokenFile } from '../credentials/secret-file.ts';
import { networkFailure } from '../platform/network-failure.ts';
import { PlatformFailure } from '../platform/read.ts';
import type { Pool } from '../platform/undici.ts';
import { Secret } from '../secret.ts';
import { parsedJson } from '../text/received.ts';
import { beginningOf } from './answer-body.ts';

/** Registers a secret for masking, and returns its text. */
type Guard = (secret: Secret) => string;

/** Message to sign: its body, address and time (ms since the epoch). */
interface Posted {
  readonly body: Uint8Array;
  readonly at: number;
}

/** Authenticates the exporter to a receiver. */
export class ReceiverLogin {
  readonly #receiver: Receiver;
  readonly #tokens: OAuth2Tokens | undefined;
  #token: FoundSecret | undefined;

  /** @param poolTo returns connections to an origin along the receiver's route */
  constructor(receiver: Receiver, poolTo: (origin: string) => Pool, now: () => number) {
    const { oauth2 } = receiver;
    this.#receiver = receiver;
    this.#tokens = oauth2 && new OAuth2Tokens(oauth2, poolTo(new URL(oauth2.token_url).origin), now);
  }

  /** Returns the headers that authenticate a request. @throws PlatformFailure if there are none */
  async headers(posted: Posted, guard: Guard, signal: AbortSignal): Promise<Record<string, string>> {
    const { sigv4, url, credentials } = this.#receiver;
    if (sigv4 !== undefined) return awsSignature(sigv4, { url, ...posted }, guard);
    const bearer = (token: Secret) => ({ authorization: `Bearer ${guard(token)}` });
    if (this.#tokens !== undefined) return bearer(await this.#tokens.token(guard, signal));
    if (credentials === undefined) return {};
    if (credentials.kind === 'token') return bearer(credentials.token);
    if (credentials.kind === 'token_file') {
      this.#token = await readTokenFile(credentials.path, 'the token in token_file', this.#token);
      return bearer(this.#token.secret);
    }
    const { username, password } = credentials;
    const found =
      password instanceof Secret
        ? password
        : await readPasswordFile(password.file, 'the password in password_file');
    return { authorization: basic(username, found, guard) };
  }

  /** Discards the token, because the receiver refused a request. The next request gets another token. */
  refused(): void {
    this.#tokens?.forget();
  }

  async close(): Promise<void> {
    await this.#tokens?.close();
  }
}

function basic(username: string, password: Secret, guard: Guard): string {
  const pair = new Secret(Buffer.from(`${username}:${guard(password)}`).toString('base64'));
  return `Basic ${guard(pair)}`;
}

/** Time (ms) before its expiry at which a token is renewed, because requests may take a while. */
const EARLY_MS = 60_000;

/** Assumed lifetime (ms) of a token whose server does not state one. */
const UNSAID_MS = 5 * 60_000;

/** Time limit (ms) for reading the body with the token. */
const LONGEST_TOKEN_MS = 10_000;

const tokenAnswer = z.object({
  access_token: z.string().min(1),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.coerce.number().nonnegative().optional(),
});

/** Requests access tokens with client credentials (RFC 6749, section 4.4), one at a time. They are stored only in memory. */
class OAuth2Tokens {
  readonly #settings: OAuth2;
  readonly #pool: Pool;
  readonly #now: () => number;
  #token: { readonly secret: Secret; readonly until: number } | undefined;

  constructor(settings: OAuth2, pool: Pool, now: () => number) {
    this.#settings = settings;
    this.#pool = pool;
    this.#now = now;
  }

  /** Returns a token that does not expire soon. @throws PlatformFailure if there is none */
  async token(guard: Guard, signal: AbortSignal): Promise<Secret> {
    if (this.#token !== undefined && this.#now() < this.#token.until) return this.#token.secret;
    try {
      const { access_token, expires_in } = await this.#ask(guard, signal);
      const lasts = expires_in === undefined ? UNSAID_MS : 1_000 * expires_in;
      const secret = new Secret(access_token);
      this.#token = { secret, until: this.#now() + Math.max(lasts - EARLY_MS, lasts / 2) };
      return secret;
    } catch (error) {
      signal.throwIfAborted();
      const { message } = error instanceof PlatformFailure ? error : networkFailure(error);
      throw new PlatformFailure('unauthorized', `no token from oauth2.token_url: ${message}`);
    }
  }

  forget(): void {
    this.#token = undefined;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #ask(guard: Guard, signal: AbortSignal): Promise<z.output<typeof tokenAnswer>> {
    const { token_url, client_id, client_secret, client_secret_file, scopes, endpoint_params } =
      this.#settings;
    const secret =
      client_secret ?? (await readPasswordFile(client_secret_file ?? '', 'the secret in client_secret_file'));
    guard(secret);
    const { pathname, search } = new URL(token_url);
    const answer = await this.#pool.request({
      method: 'POST',
      path: pathname + search,
      headers: {
        authorization: basic(formEncoded(client_id), new Secret(formEncoded(secret.reveal())), guard),
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: new URLSearchParams({
        ...endpoint_params,
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
        grant_type: 'client_credentials',
      }).toString(),
      signal,
    });
    const document = parsedJson((await beginningOf(answer.body, LONGEST_TOKEN_MS)).toString('utf8'));
    if (answer.statusCode !== 200) {
      const { error } = Object(document);
      const words = typeof error === 'string' ? `: ${error}` : '';
      throw new PlatformFailure('unauthorized', `HTTP ${answer.statusCode}${words}`);
    }
    const given = tokenAnswer.safeParse(document).data;
    if (given === undefined) throw new PlatformFailure('undecodable', 'the answer holds no bearer token');
    return given;
  }
}

/** Encodes a text for client authentication (RFC 6749, section 2.3.1). */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/**
 * Returns the headers that sign a request to AWS (Signature Version 4). The signature covers host, address and body, but no header
 * that a proxy may change.
 */
async function awsSignature(
  { region, access_key, secret_key, secret_key_file, session_token }: SigV4,
  { url, body, at }: Posted & { readonly url: string },
  guard: (secret: Secret) => void,
): Promise<Record<string, string>> {
  // Loaded only if needed.
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
