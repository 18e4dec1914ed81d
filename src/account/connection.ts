import type { Clock } from '../clock.ts';
import { routeOf } from '../configuration/route.ts';
import type { Account as AccountConfig } from '../configuration/schema.ts';
import { guardedCredentials } from '../credentials/guarded.ts';
import { openCredentials } from '../credentials/open.ts';
import { Client, type ExchangeInfo } from '../platform/client.ts';
import type { Credentials } from '../platform/credentials.ts';
import type { Read } from '../platform/read.ts';
import type { TransportOptions } from '../platform/transport.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import { RequestQueue, type RequestQueueOptions } from '../rate-limit/request-queue.ts';
import type { Secret } from '../secret.ts';
import { ObservedPlatform, type ObservedPlatformOptions } from './observed-platform.ts';

/** Creates an account's credentials; their requests are reported like all others. */
export type CredentialsFactory = (
  account: AccountConfig,
  onExchange: (info: ExchangeInfo) => void,
) => Credentials;

export interface ConnectionOptions extends Partial<Pick<ObservedPlatformOptions, 'onAssumedLimit'>> {
  readonly account: AccountConfig;
  readonly clock: Clock;
  readonly credentials: CredentialsFactory;
  /** Called for every exchange, after the rate limiter has recorded it. */
  readonly onExchange?: (info: ExchangeInfo, scope: LimitScope) => void;
  readonly onTurn?: RequestQueueOptions['onTurn'];
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
  /** Reads that are sent at once, for a caller that observes the quota itself. */
  readonly readAtOnce: Client['get'];
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ account, clock, credentials, reserve, onExchange, onTurn, ...hooks }: ConnectionOptions) {
    this.#clock = clock;
    const { api_url, quota, request } = account;
    this.platform = new ObservedPlatform({
      clock,
      basePath: new URL(api_url).pathname.replace(/\/$/, ''),
      reserve: reserve ?? (() => quota.reserve),
      assumedLimit: quota.assumed_limit,
      onExchange: (info, scope) => onExchange?.(info, scope),
      ...hooks,
    });
    this.credentials = credentials(account, this.platform.observe);
    const { observe: onEveryExchange } = this.platform;
    this.#client = new Client({
      ...transportOf(account, clock),
      credentials: this.credentials,
      onExchange: onEveryExchange,
    });
    this.readAtOnce = (resource, signal) => this.#client.get(resource, signal);
    this.queue = new RequestQueue({
      clock,
      tokenRenewed: () => this.credentials.renewed(),
      scopes: this.platform.scopes,
      concurrency: request.concurrency,
      ...(onTurn !== undefined && { onTurn }),
    });
  }

  /** Reads for operations of a group: each waits for its turn under the quota. */
  readFor(group: string): Read {
    return async (resource, signal) => {
      const now = this.#clock.now();
      const request = { group, notBefore: now, weight: 1, since: now, plannedIntervalMs: () => 0 };
      const over = await this.queue.turn(request, signal);
      try {
        return await this.readAtOnce(resource(), signal);
      } finally {
        over();
      }
    };
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
