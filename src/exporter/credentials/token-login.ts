import { type Clock, unlessAborted, withDeadline } from '../clock.ts';
import { type Credentials, staticToken } from '../platform/credentials.ts';
import { ExchangeFailure, type ExchangeInfo, type TransportOptions } from '../platform/exchange.ts';
import { PlatformFailure } from '../platform/read.ts';
import { Secret } from '../secret.ts';
import { readPasswordFile, tokenFile } from './secret-file.ts';
import { type CreatedToken, type Login, TokenOperations } from './token-operations.ts';

const LONGEST_CLOSE_MS = 2_000;

interface TokenLoginOptions extends CredentialsOptions {
  readonly username: string;
  /** Returns the password. Called before every use, so that a changed password file takes effect. */
  readonly password: () => Promise<Secret>;
}

/** Tokens from a login. Creates them when needed or refused, renews them in the background, and revokes replaced ones. */
class TokenLogin implements Credentials {
  readonly kind = 'password';
  readonly #options: TokenLoginOptions;
  readonly #clock: Clock;
  readonly #owner: Secret;
  readonly #operations: TokenOperations;
  readonly #gate = new TokenCreationGate();
  readonly #stop = new AbortController();
  #login: Login | undefined;
  /** Login of the last attempt to create a token. */
  #tried: Login | undefined;
  #current: CreatedToken | undefined;
  /** The last token for which the platform responded with 401; undefined if there is none. */
  #refused: Secret | undefined;
  #creation: Promise<CreatedToken> | undefined;
  /** Replaced tokens, which requests in flight may still use. */
  #retired: readonly (CreatedToken & { retiredAt: number })[] = [];

  constructor(options: TokenLoginOptions) {
    this.#options = options;
    this.#owner = new Secret(options.username);
    this.#clock = options.clock;
    this.#operations = new TokenOperations(options);
  }

  async authorization(signal: AbortSignal): Promise<Secret> {
    const now = this.#clock.now();
    this.#revokeRetired(now);
    const current = this.#current;
    if (current === undefined || now >= current.expiresAt) return (await this.#created(signal)).token;
    if (now >= current.renewAt && this.#gate.isOpen(now)) this.#renew();
    return current.token;
  }

  async refused(used: Secret, signal: AbortSignal): Promise<boolean> {
    const current = this.#current;
    // The token was replaced while the request was in flight, and the new one has not been tried yet.
    if (current !== undefined && current.token !== used) return true;
    if (current !== undefined && this.#refused !== used) {
      this.#refused = used;
      this.#gate.refused(this.#clock.now() - current.createdAt);
    }
    // The refused token stays in use until there is another: the refusal may concern one resource only.
    await this.#created(signal);
    return true;
  }

  async renewed(): Promise<boolean> {
    if (this.#current?.token !== this.#refused || this.#gate.isOpen(this.#clock.now())) return true;
    return this.#hasAnotherLogin();
  }

  /** Does nothing, because the owner is the login's user, who does not change. */
  async look(): Promise<void> {}

  expiresAt(): number | undefined {
    return this.#current?.expiresAt;
  }

  renewsAt(): number | undefined {
    return this.#current?.renewAt;
  }

  owner(): Secret {
    return this.#owner;
  }

  secrets(): readonly Secret[] {
    const tokens = [...this.#retired, ...(this.#current === undefined ? [] : [this.#current])];
    const login = this.#login === undefined ? [] : [this.#login.password, this.#login.basic];
    return [...login, ...tokens.map(({ token }) => token)];
  }

  takeExchanges(): readonly ExchangeInfo[] {
    return this.#operations.takeExchanges();
  }

  async close(signal: AbortSignal): Promise<void> {
    try {
      await withDeadline(LONGEST_CLOSE_MS, signal, (inner) => this.#revokeAll(inner));
    } catch (error) {
      if (!signal.aborted) throw error;
      this.#options.onNotice?.('the token was not revoked: no time left');
    } finally {
      this.#stop.abort(new PlatformFailure('unauthorized', 'the login is closed'));
      await this.#operations.close();
    }
  }

  /** Returns the token of the creation in progress, or starts one: one at a time, however many callers wait. */
  #created(signal: AbortSignal): Promise<CreatedToken> {
    this.#creation ??= this.#create().finally(() => {
      this.#creation = undefined;
    });
    return unlessAborted(this.#creation, signal);
  }

  async #create(): Promise<CreatedToken> {
    if (!(await this.#hasAnotherLogin())) this.#gate.pass(this.#clock.now());
    try {
      this.#tried = await this.#currentLogin();
      const created = await this.#operations.create(this.#tried, this.#stop.signal);
      if (created.assumed)
        this.#options.onNotice?.('the platform returned no usable expiry of the token: assuming 24 h');
      this.#replace(created);
      return created;
    } catch (error) {
      if (error instanceof PlatformFailure) this.#gate.failed(error, this.#clock.now());
      throw error;
    }
  }

  #replace(created: CreatedToken): void {
    const old = this.#current;
    const now = this.#clock.now();
    this.#current = created;
    this.#gate.created(now, old === undefined ? 0 : now - old.createdAt);
    if (old !== undefined) this.#retired = [...this.#retired, { ...old, retiredAt: now }];
  }

  #renew(): void {
    this.#created(this.#stop.signal).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.onNotice?.(`the token could not be renewed, the old one is still valid: ${reason}`);
    });
  }

  /** Revokes the replaced tokens that no request in flight can use any more. */
  #revokeRetired(now: number): void {
    const free = this.#retired.filter(({ retiredAt }) => now - retiredAt >= this.#options.timeoutMs);
    if (free.length === 0) return;
    this.#retired = this.#retired.filter((token) => !free.includes(token));
    void this.#revoke(free, this.#stop.signal);
  }

  async #revokeAll(signal: AbortSignal): Promise<void> {
    await Promise.allSettled(this.#creation === undefined ? [] : [unlessAborted(this.#creation, signal)]);
    const current = this.#current === undefined ? [] : [this.#current];
    await this.#revoke([...this.#retired, ...current], signal);
  }

  /** Revokes tokens. If that fails, they expire. */
  async #revoke(tokens: readonly CreatedToken[], signal: AbortSignal): Promise<void> {
    const alive = tokens.filter(({ expiresAt }) => expiresAt > this.#clock.now());
    if (alive.length === 0) return;
    const results = await Promise.allSettled(
      alive.map(async ({ token }) => this.#operations.revoke(token, await this.#currentLogin(), signal)),
    );
    const failed = results.filter(({ status }) => status === 'rejected').length;
    if (failed > 0) this.#options.onNotice?.(`${failed} of ${alive.length} tokens could not be revoked`);
  }

  /** Returns true if the platform refused a login and another one is available, which need not wait. */
  async #hasAnotherLogin(): Promise<boolean> {
    if (!this.#gate.isOfLogin) return false;
    // A password that cannot be read is not another login.
    const login = await this.#currentLogin().catch(() => this.#tried);
    return login !== this.#tried;
  }

  /** Returns the current login: the same object while the password stays the same. */
  async #currentLogin(): Promise<Login> {
    const password = await this.#options.password();
    if (this.#login?.password.reveal() === password.reveal()) return this.#login;
    const pair = Buffer.from(`${this.#options.username}:${password.reveal()}`).toString('base64');
    this.#login = { password, basic: new Secret(pair) };
    return this.#login;
  }
}

/** First delay (ms) after the platform refused the login itself, or a token that it had just created. */
const FIRST_WAIT_REFUSED_MS = 30_000;
/** First delay (ms) after a temporary failure. */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** Time (ms) in use after which a token counts as valid, so that its refusal is a new problem. */
const PROVEN_AFTER_MS = 3_600_000;

const REFUSED_AT_ONCE = new PlatformFailure(
  'unauthorized',
  'the platform refuses the tokens that it created',
  401,
);

/** Limits token creations to growing intervals while they fail, or while new tokens are refused at once. */
export class TokenCreationGate {
  #strikes = 0;
  #opensAt = Number.NEGATIVE_INFINITY;
  #last: PlatformFailure | undefined;

  /** True if the last failure concerned the login or its token, not the platform. */
  get isOfLogin(): boolean {
    return this.#last !== undefined && isRefusal(this.#last);
  }

  isOpen(now: number): boolean {
    return now >= this.#opensAt;
  }

  /** @throws PlatformFailure the last failure, with the time until the next attempt, while creations are not allowed */
  pass(now: number): void {
    if (this.isOpen(now)) return;
    const seconds = Math.ceil((this.#opensAt - now) / 1000);
    const { outcome, message, status } = this.#last ?? REFUSED_AT_ONCE;
    throw new PlatformFailure(outcome, `${message}; next attempt to create a token in ${seconds} s`, status);
  }

  /** Records that a token was created. @param servedMs time (ms) for which the replaced token was in use */
  created(now: number, servedMs: number): void {
    if (servedMs >= PROVEN_AFTER_MS) this.#strikes = 0;
    this.#opensAt = now + waitAfter(this.#strikes, FIRST_WAIT_REFUSED_MS);
  }

  /** Records that a creation failed at `now`. */
  failed(failure: PlatformFailure, now: number): void {
    this.#strikes += 1;
    this.#last = failure;
    const wait = waitAfter(this.#strikes, isRefusal(failure) ? FIRST_WAIT_REFUSED_MS : FIRST_WAIT_MS);
    this.#opensAt = now + Math.max(wait, askedWait(failure));
  }

  /** Records that the platform refused a token. Called once per token. @param servedMs time (ms) for which it was in use */
  refused(servedMs: number): void {
    if (servedMs < PROVEN_AFTER_MS) {
      this.#strikes += 1;
      this.#last = REFUSED_AT_ONCE;
    } else {
      this.#strikes = 0;
      this.#opensAt = Number.NEGATIVE_INFINITY;
    }
  }
}

function isRefusal({ outcome }: PlatformFailure): boolean {
  return outcome === 'unauthorized' || outcome === 'forbidden';
}

function waitAfter(strikes: number, first: number): number {
  return strikes === 0 ? 0 : Math.min(first * 2 ** (strikes - 1), LONGEST_WAIT_MS);
}

/** Returns the delay (ms) after a 429: `Retry-After`, or the time until the window's reset, in the platform's time. */
function askedWait(failure: PlatformFailure): number {
  if (!(failure instanceof ExchangeFailure) || failure.outcome !== 'rate_limited') return 0;
  const { retryAfterMs, rate, serverDate } = failure.info;
  // Ignores 0 and times in the past.
  if (retryAfterMs !== undefined && retryAfterMs > 0) return Math.min(retryAfterMs, LONGEST_WAIT_MS);
  if (rate?.resetAt === undefined) return 0;
  return Math.min(Math.max(0, rate.resetAt - (serverDate ?? failure.info.endedAt)), LONGEST_WAIT_MS);
}

/** Configured source of an account's credentials: a token, or the user for whom the exporter creates, renews and revokes tokens. */
export type CredentialsSource =
  | { readonly kind: 'token'; readonly token: Secret }
  | { readonly kind: 'token_file'; readonly path: string }
  | {
      readonly kind: 'password';
      readonly username: string;
      readonly password: Secret | { readonly file: string };
    };

interface CredentialsOptions extends TransportOptions {
  /** Reports events to the operator that no poll reports, such as a failed renewal. */
  readonly onNotice?: (text: string) => void;
}

/** Returns the credentials of an account. A login has its own connection. */
export function openCredentials(source: CredentialsSource, options: CredentialsOptions): Credentials {
  if (source.kind === 'token') return staticToken(source.token);
  if (source.kind === 'token_file') return tokenFile(source.path);
  const { username, password } = source;
  return new TokenLogin({
    ...options,
    username,
    password: async () => ('file' in password ? readPasswordFile(password.file, 'the password') : password),
  });
}
