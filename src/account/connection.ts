import type { Clock } from '../clock.ts';
import { routeOf } from '../configuration/route.ts';
import type { Account as AccountConfig } from '../configuration/schema.ts';
import { guardedCredentials } from '../credentials/guarded.ts';
import { openCredentials } from '../credentials/open.ts';
import { Client } from '../platform/client.ts';
import type { Credentials } from '../platform/credentials.ts';
import type { ExchangeInfo } from '../platform/exchange.ts';
import { PlatformClock } from '../platform/platform-clock.ts';
import type { TransportOptions } from '../platform/transport.ts';
import { Operations, type Turns } from '../poll/operations.ts';
import { type LimitScope, LimitScopes } from '../rate-limit/limit-scopes.ts';
import { RequestQueue, type RequestQueueOptions } from '../rate-limit/request-queue.ts';
import type { Secret } from '../secret.ts';
import { Reachability } from './reachability.ts';

/** Creates an account's credentials; their requests are reported like all others. */
export type CredentialsFactory = (
  account: AccountConfig,
  onExchange: (info: ExchangeInfo) => void,
) => Credentials;

export interface ConnectionOptions {
  readonly account: AccountConfig;
  readonly clock: Clock;
  readonly credentials: CredentialsFactory;
  /** Called for every exchange, after the rate limiter has recorded it. */
  readonly onExchange?: (info: ExchangeInfo, scope: LimitScope) => void;
  readonly onTurn?: RequestQueueOptions['onTurn'];
  /** Shared by all accounts; default: none. */
  readonly turns?: Turns;
  /** Share of each limit to leave to others, called each time; default: the account's reserve. */
  readonly reserve?: () => number;
}

/** Default time limit for revoking the token. */
const CLOSE_MS = 2_000;

/** An account's connection to the platform, for the exporter and all commands: requests within the quota, and what the answers tell. */
export class Connection {
  readonly platform: ObservedPlatform;
  readonly credentials: Credentials;
  readonly queue: RequestQueue;
  /** Requests within the quota. */
  readonly operations: Operations;
  /** Reads that are sent at once, for a caller that observes the quota itself. */
  readonly readAtOnce: Client['get'];
  readonly #client: Client;

  constructor(options: ConnectionOptions) {
    const { account, clock, credentials, reserve, onExchange, onTurn, turns } = options;
    const { api_url, quota, request } = account;
    this.platform = new ObservedPlatform({
      clock,
      basePath: new URL(api_url).pathname.replace(/\/$/, ''),
      reserve: reserve ?? (() => quota.reserve),
      assumedLimit: quota.assumed_limit,
      ...(onExchange !== undefined && { onExchange }),
    });
    this.credentials = credentials(account, this.platform.observe);
    this.#client = new Client({
      ...transportOf(account, clock),
      credentials: this.credentials,
      onExchange: this.platform.observe,
    });
    this.readAtOnce = (resource, signal) => this.#client.get(resource, signal);
    this.queue = new RequestQueue({
      clock,
      tokenRenewed: () => this.credentials.renewed(),
      scopes: this.platform.scopes,
      concurrency: request.concurrency,
      ...(onTurn !== undefined && { onTurn }),
    });
    this.operations = new Operations({
      clock,
      queue: this.queue,
      exchange: this.readAtOnce,
      timeoutMs: request.timeout,
      turns,
    });
  }

  /** Revokes a token that the exporter created, until the signal aborts, and closes the connections. */
  async close(signal: AbortSignal = AbortSignal.timeout(CLOSE_MS)): Promise<void> {
    this.queue.stop();
    try {
      await this.credentials.close(signal);
    } finally {
      await this.#client.close();
    }
  }
}

/** Credentials as configured. @param hooks.guard keeps a secret out of whatever is written */
export function credentialsFrom(
  clock: Clock,
  hooks: {
    readonly guard: (secret: Secret) => void;
    /** Called with what an operator should know and no read reports. */
    readonly onNotice?: (account: string, text: string) => void;
  },
): CredentialsFactory {
  return (account, onExchange) => {
    const credentials = openCredentials(account.credentials, {
      ...transportOf(account, clock),
      connections: 1,
      onExchange,
      onNotice: (text) => hooks.onNotice?.(account.name, text),
    });
    return guardedCredentials(credentials, hooks.guard);
  };
}

/** How requests are sent to an account's platform. */
function transportOf({ api_url, request }: AccountConfig, clock: Clock): TransportOptions {
  return {
    baseUrl: api_url,
    route: routeOf(request),
    timeoutMs: request.timeout,
    maxResponseBytes: request.max_response_bytes,
    connections: request.concurrency,
    clock,
  };
}

export interface ObservedPlatformOptions {
  readonly clock: Clock;
  /** The path of the account's base address, which precedes every resource's. */
  readonly basePath: string;
  /** Share of each limit to leave to others; called each time, since it may change. */
  readonly reserve: () => number;
  readonly assumedLimit: number;
  /** Called for every exchange, after the rate limiter has recorded it. */
  readonly onExchange?: (info: ExchangeInfo, scope: LimitScope) => void;
}

/** Tokens are created and revoked, and so limited, apart from the reads. */
const TOKENS = 'tokens';

/** What an account knows of its platform from the answers: its clock, its limits, and whether it is up. */
export class ObservedPlatform {
  readonly reachability: Reachability;
  readonly platformClock: PlatformClock;
  readonly scopes: LimitScopes;
  readonly #options: ObservedPlatformOptions;

  constructor(options: ObservedPlatformOptions) {
    this.#options = options;
    this.reachability = new Reachability(() => options.clock.now());
    this.platformClock = new PlatformClock(
      () => options.clock.now(),
      () => options.clock.wall(),
    );
    const { platformClock } = this;
    this.scopes = new LimitScopes({
      platformClock,
      assumedLimit: options.assumedLimit,
      get reserve() {
        return options.reserve();
      },
    });
  }

  /** Records an exchange: its time, its limits, and its outcome. */
  readonly observe = (info: ExchangeInfo): void => {
    const { endedAt, startedAt, serverDate, rate, status, retryAfterMs, outcome } = info;
    if (outcome === 'aborted') return;
    if (serverDate !== undefined) {
      this.platformClock.observe({ sentAt: startedAt, receivedAt: endedAt, serverDate });
    }
    const group = this.groupOf(info);
    this.scopes.learn(group, rate);
    const scope = this.scopes.of(group);
    scope.limiter.observe(endedAt, rate, startedAt);
    if (status === 429) scope.limiter.stop(endedAt, retryAfterMs);
    if (info.method === 'GET' && status !== undefined) this.scopes.token.observe(endedAt, status);
    this.reachability.exchanged(info);
    this.#options.onExchange?.(info, scope);
  };

  /** The group of operations that an exchange belongs to: the first segment of its path, or the tokens. */
  groupOf({ method, path }: Pick<ExchangeInfo, 'method' | 'path'>): string {
    if (method !== 'GET') return this.scopes.apart(TOKENS).name;
    return path.slice(this.#options.basePath.length).split(/[/?]/, 2)[1] ?? '';
  }
}
