import type { Clock } from '../clock.ts';
import { shardOfLimit } from '../cluster/shard.ts';
import { routeOf } from '../configuration/access.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { openCredentials } from '../credentials/token-login.ts';
import { Client } from '../platform/client.ts';
import { type Credentials, guardedCredentials } from '../platform/credentials.ts';
import type { TransportOptions } from '../platform/exchange.ts';
import { QUESTIONS } from '../platform/read.ts';
import { ObservedPlatform } from '../poll/observed-platform.ts';
import { type OperationObserver, Operations, type Turns } from '../poll/operations.ts';
import type { LimitScopesOptions } from '../rate-limit/limit-scopes.ts';
import { RequestQueue } from '../rate-limit/request-queue.ts';
import type { Secret } from '../secret.ts';

/** Creates an account's credentials. @param mayLeave whether a request may still leave */
export type CredentialsFactory = (
  account: AccountConfig,
  mayLeave?: (() => boolean) | undefined,
) => Credentials;

export interface ConnectionOptions {
  readonly account: AccountConfig;
  readonly clock: Clock;
  readonly credentials: CredentialsFactory;
  readonly observer?: OperationObserver;
  /** Shared by all accounts; default: none. */
  readonly turns?: Turns;
  /** The limit that is counted by the client's address; default: that of the turns, or the account's alone. */
  readonly byAddress?: LimitScopesOptions['byAddress'];
  /** Share of each limit to leave to others, called each time; default: the account's reserve. */
  readonly reserve?: () => number;
  /** Returns false if no request may leave. Default: true. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** An account's connection to the platform, for the exporter and all commands: requests within the quota, and what answers show. */
export class Connection {
  readonly platform: ObservedPlatform;
  readonly credentials: Credentials;
  readonly queue: RequestQueue;
  /** Requests within the quota. */
  readonly operations: Operations;
  readonly #client: Client;
  /** Sends questions: the API that takes them may have an address of its own. */
  readonly #questions: Client;

  constructor(options: ConnectionOptions) {
    const { account, clock, credentials, reserve, observer, turns, mayLeave } = options;
    const { api_url, quota, request, shard } = account;
    const questions = shardOfLimit(QUESTIONS.assumedLimit, shard);
    const { byAddress = turns?.limits.at(new URL(account.graphql_url).origin, questions) } = options;
    this.platform = new ObservedPlatform({
      clock,
      basePath: new URL(api_url).pathname.replace(/\/$/, ''),
      reserve: reserve ?? (() => quota.reserve),
      assumedLimit: shardOfLimit(quota.assumed_limit, shard),
      byAddress,
      shard,
    });
    this.credentials = credentials(account, mayLeave);
    const transport = {
      ...transportOf(account, clock),
      credentials: this.credentials,
      mayLeave,
    };
    this.#client = new Client(transport);
    this.#questions = new Client({
      ...transport,
      baseUrl: account.graphql_url,
      questionsTo: QUESTIONS.path,
    });
    this.queue = new RequestQueue({
      clock,
      tokenRenewed: () => this.credentials.renewed(),
      scopes: this.platform.scopes,
      concurrency: request.concurrency,
    });
    this.operations = new Operations({
      account: account.name,
      clock,
      queue: this.queue,
      platform: this.platform,
      send: (resource, signal) =>
        (resource.question === undefined ? this.#client : this.#questions).get(resource, signal),
      observer,
      timeoutMs: request.timeout,
      turns,
    });
  }

  /** Revokes a token that the exporter created, until the signal aborts (default: after 2 s), and closes the connections. */
  async close(signal: AbortSignal = AbortSignal.timeout(2_000)): Promise<void> {
    this.queue.stop();
    this.platform.scopes.close();
    try {
      await this.credentials.close(signal);
    } finally {
      for (const info of this.credentials.takeExchanges()) this.operations.take(info);
      await Promise.all([this.#client.close(), this.#questions.close()]);
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
  return (account, mayLeave) => {
    const credentials = openCredentials(account.credentials, {
      ...transportOf(account, clock),
      connections: 1,
      mayLeave,
      onNotice: (text) => hooks.onNotice?.(account.name, text),
    });
    return guardedCredentials(credentials, hooks.guard);
  };
}

/** Returns the transport options of an account's platform. */
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
