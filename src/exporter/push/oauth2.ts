import type { OAuth2, Receiver } from '../configuration/push-settings.ts';
import { routeOf } from '../configuration/request.ts';
import { readPasswordFile } from '../credentials/secret-file.ts';
import { connectorOf } from '../platform/connector.ts';
import { Pool } from '../platform/undici.ts';
import { Secret } from '../secret.ts';

/** A token is renewed so long (ms) before it expires: requests with it may take a while. */
const EARLY_MS = 60_000;

/** How long (ms) a token is used whose server does not say when it expires. */
const UNSAID_MS = 5 * 60_000;

/** Access tokens by client credentials (RFC 6749, section 4.4), one at a time, in memory alone. */
export class OAuth2Tokens {
  readonly #settings: OAuth2;
  readonly #pool: Pool;
  readonly #now: () => number;
  #token: { readonly secret: Secret; readonly until: number } | undefined;

  constructor(settings: OAuth2, request: Receiver['request'], now: () => number) {
    this.#settings = settings;
    this.#now = now;
    this.#pool = new Pool(new URL(settings.token_url).origin, {
      connections: 1,
      connect: connectorOf(routeOf(request), { timeoutMs: request.timeout }),
      headersTimeout: request.timeout,
      bodyTimeout: request.timeout,
    });
  }

  /**
   * A token that is good for a while.
   * @param guard is told of each secret before it leaves
   * @throws Error when the server does not give one; its message may hold what was guarded
   */
  async token(guard: (secret: Secret) => void, signal: AbortSignal): Promise<Secret> {
    if (this.#token !== undefined && this.#now() < this.#token.until) return this.#token.secret;
    const { client_secret: own, client_secret_file: path } = this.#settings;
    const secret = own ?? (await readPasswordFile(path ?? '', 'the secret in client_secret_file'));
    guard(secret);
    const { access_token, expires_in } = await this.#ask(secret, signal);
    const lasts = expires_in === undefined ? UNSAID_MS : 1_000 * expires_in;
    const token = new Secret(access_token);
    guard(token);
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
    const client = { client_id };
    const parameters = { ...endpoint_params, ...(scopes.length > 0 && { scope: scopes.join(' ') }) };
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
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
          const text = await answer.body.text();
          const type = answer.headers['content-type'];
          return new Response(text, {
            status: answer.statusCode,
            headers: typeof type === 'string' ? { 'content-type': type } : {},
          });
        },
      },
    );
    try {
      return await oauth.processClientCredentialsResponse(server, client, response);
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError) throw new Error(`HTTP ${error.status}: ${error.error}`);
      throw response.ok ? error : new Error(`HTTP ${response.status}`);
    }
  }
}
