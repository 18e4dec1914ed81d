import { DeadlineExceeded, unlessAborted, withDeadline } from '../clock.ts';
import { routeOf } from '../configuration/access.ts';
import type { OAuth2, Receiver, SigV4 } from '../configuration/push-settings.ts';
import { type FoundSecret, readPasswordFile, readTokenFile } from '../credentials/secret-file.ts';
import { connectorOf } from '../platform/connector.ts';
import { networkFailure } from '../platform/network-failure.ts';
import { parseRetryAfter, parseServerDate } from '../platform/platform-clock.ts';
import { PlatformFailure } from '../platform/read.ts';
import { Pool } from '../platform/undici.ts';
import { Secret, scrub } from '../secret.ts';
import { VERSION } from '../version.ts';

/** An answer of a receiver. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The beginning of its body. */
  readonly body: Uint8Array;
  /** The same as text in one line and without secrets. */
  readonly words: string;
  readonly retryAfterMs: number | undefined;
}

/** No answer, or none that could be read to its end; the message is safe to log. */
export class NoReply extends Error {
  override readonly name = 'NoReply';
}

/** One request at a time takes one; a replica sends for each of its accounts. */
const MOST_CONNECTIONS = 16;

/** More of an answer is not read. */
const MOST_BYTES = 64 * 1_024;

const MOST_WORDS = 300;

/** HTTP to one receiver: what is posted, and what it answers. */
export class ReceiverConnection {
  readonly #receiver: Receiver;
  readonly #now: () => number;
  readonly #pool: Pool;
  readonly #path: string;
  readonly #tokens: OAuth2Tokens | undefined;
  #token: FoundSecret | undefined;

  constructor(receiver: Receiver, now: () => number) {
    const { url, request, oauth2 } = receiver;
    const { origin, pathname, search } = new URL(url);
    this.#receiver = receiver;
    this.#tokens = oauth2 && new OAuth2Tokens(oauth2, request, now);
    this.#now = now;
    this.#path = pathname + search;
    this.#pool = poolTo(origin, request, MOST_CONNECTIONS);
  }

  /** Posts a message. @throws NoReply, and the signal's reason when it aborts */
  async post(
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Reply> {
    const { request: settings, headers: further } = this.#receiver;
    const { timeout } = settings;
    const secrets: Secret[] = Object.values(further);
    const own = Object.fromEntries(Object.entries(further).map(([name, secret]) => [name, secret.reveal()]));
    try {
      return await withDeadline(timeout, signal, async (inner) => {
        const guard = (secret: Secret) => {
          secrets.push(secret);
          return secret.reveal();
        };
        const login = await this.#login(body, guard, inner);
        const request = this.#pool.request({
          method: 'POST',
          path: this.#path,
          body,
          headers: { ...own, ...headers, ...login, 'user-agent': `edge-exporter/${VERSION}` },
          signal: inner,
        });
        const response = await unlessAborted(request, inner);
        if (response.statusCode === 401) this.#tokens?.forget();
        const serverDate = parseServerDate(response.headers);
        const said = await beginningOf(response.body);
        return {
          status: response.statusCode,
          headers: response.headers,
          body: said,
          words: scrub(inOneLine(said.toString('utf8')), secrets),
          retryAfterMs: parseRetryAfter(response.headers, serverDate ?? this.#now()),
        };
      });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof DeadlineExceeded) throw new NoReply(`no answer within ${timeout / 1_000} s`);
      const { message } = error instanceof PlatformFailure ? error : networkFailure(error);
      throw new NoReply(scrub(message, secrets));
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.destroy(), this.#tokens?.close()]);
  }

  /** The headers that authenticate us. @param guard is told of what in them is secret, and reveals it */
  async #login(body: Uint8Array, guard: Guard, signal: AbortSignal): Promise<Record<string, string>> {
    const { sigv4, url, credentials } = this.#receiver;
    if (sigv4 !== undefined) return awsSignature(sigv4, { url, body, at: this.#now() }, guard);
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
    const basic = new Secret(Buffer.from(`${username}:${guard(found)}`).toString('base64'));
    return { authorization: `Basic ${guard(basic)}` };
  }
}

type Guard = (secret: Secret) => string;

function poolTo(origin: string, request: Receiver['request'], connections: number): Pool {
  const { timeout } = request;
  const connect = connectorOf(routeOf(request), { timeoutMs: timeout });
  return new Pool(origin, { connections, connect, headersTimeout: timeout, bodyTimeout: timeout });
}

/** Time limit (ms) for a body whose status has decided. */
const LONGEST_BODY_MS = 1_000;

/** The same (ms) of a token server, whose body is the token. */
const LONGEST_TOKEN_MS = 10_000;

/** The beginning of a body, as far as it comes in time; what breaks or never ends is dropped. */
async function beginningOf(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
  longestMs = LONGEST_BODY_MS,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(() => body.destroy(), longestMs);
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MOST_BYTES) break;
    }
  } catch {
    // The receiver has said by its status what became of the samples.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}

/** Without characters that would break the line or the terminal. */
function inOneLine(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > MOST_WORDS ? `${line.slice(0, MOST_WORDS - 1)}…` : line;
}

/** A token is renewed so long (ms) before it expires: requests with it may take a while. */
const EARLY_MS = 60_000;

/** How long (ms) a token is used whose server does not say when it expires. */
const UNSAID_MS = 5 * 60_000;

/** Access tokens by client credentials (RFC 6749, section 4.4), one at a time, in memory alone. */
class OAuth2Tokens {
  readonly #settings: OAuth2;
  readonly #pool: Pool;
  readonly #now: () => number;
  #token: { readonly secret: Secret; readonly until: number } | undefined;

  constructor(settings: OAuth2, request: Receiver['request'], now: () => number) {
    this.#settings = settings;
    this.#now = now;
    this.#pool = poolTo(new URL(settings.token_url).origin, request, 1);
  }

  /** A token that is good for a while. @param guard is told of each other secret before it leaves @throws PlatformFailure with why there is none */
  async token(guard: Guard, signal: AbortSignal): Promise<Secret> {
    if (this.#token !== undefined && this.#now() < this.#token.until) return this.#token.secret;
    try {
      return await this.#renewed(guard, signal);
    } catch (error) {
      signal.throwIfAborted();
      const { message } = error instanceof PlatformFailure ? error : networkFailure(error);
      const words = error instanceof Error && /^HTTP \d/.test(error.message) ? error.message : message;
      throw new PlatformFailure('unauthorized', `no token from oauth2.token_url: ${words}`);
    }
  }

  async #renewed(guard: Guard, signal: AbortSignal): Promise<Secret> {
    const { client_secret: own, client_secret_file: path } = this.#settings;
    const secret = own ?? (await readPasswordFile(path ?? '', 'the secret in client_secret_file'));
    guard(secret);
    const { access_token, expires_in } = await this.#ask(secret, signal);
    const lasts = expires_in === undefined ? UNSAID_MS : 1_000 * expires_in;
    const token = new Secret(access_token);
    this.#token = { secret: token, until: this.#now() + Math.max(lasts - EARLY_MS, lasts / 2) };
    return token;
  }

  /** Asks for another token the next time: the receiver has refused this one. */
  forget(): void {
    this.#token = undefined;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #ask(secret: Secret, signal: AbortSignal) {
    // Loaded only here, for those who use it.
    const oauth = await import('oauth4webapi');
    const { token_url, client_id, scopes, endpoint_params } = this.#settings;
    const server = { issuer: new URL(token_url).origin, token_endpoint: token_url };
    const parameters = { ...endpoint_params, ...(scopes.length > 0 && { scope: scopes.join(' ') }) };
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      { client_id },
      oauth.ClientSecretBasic(secret.reveal()),
      parameters,
      {
        signal,
        // Whether it may be http was decided where the configuration was read.
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: async (url, { method, headers, body }) => {
          const { pathname, search } = new URL(url);
          const answer = await this.#pool.request({
            method,
            path: pathname + search,
            headers,
            body: String(body),
            signal,
          });
          const text = (await beginningOf(answer.body, LONGEST_TOKEN_MS)).toString('utf8');
          const type = answer.headers['content-type'];
          return new Response(text, {
            status: answer.statusCode,
            headers: typeof type === 'string' ? { 'content-type': type } : {},
          });
        },
      },
    );
    try {
      return await oauth.processClientCredentialsResponse(server, { client_id }, response);
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError) throw new Error(`HTTP ${error.status}: ${error.error}`);
      throw response.ok ? error : new Error(`HTTP ${response.status}`);
    }
  }
}

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
