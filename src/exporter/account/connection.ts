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

/** Creates an account's credentials. @param mayLeave returns true while requests may leave; default: always */
export type CredentialsFactory = (
  account: AccountConfig,
  mayLeave?: (() => boolean) | undefined,
) => Credentials;

export interface ConnectionOptions {
  readonly account: AccountConfig;
  readonly clock: Clock;
  readonly credentials: CredentialsFactory;
  readonly observer?: OperationObserver;
  /** Turns that all accounts share; default: none. */
  readonly turns?: Turns;
  /** Limit that the platform counts by the client's address; default: the shared one of `turns`, or a separate one. */
  readonly byAddress?: LimitScopesOptions['byAddress'];
  /** Returns the share of each limit to reserve for other clients; default: the account's `quota.reserve`. */
  readonly reserve?: () => number;
  /** Returns false while no request may leave; default: always true. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** Connection of an account to the platform, for the exporter and all commands. It sends requests within the quota. */
export class Connection {
  readonly platform: ObservedPlatform;
  readonly credentials: Credentials;
  readonly queue: RequestQueue;
  /** Operations of the account, sent within the quota. */
  readonly operations: Operations;
  readonly #client: Client;
  /** Client of the GraphQL API, which may have a separate address. */
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

  /** Revokes a token that the exporter created, and closes the connections. @param signal bounds the revocation; default: 2 s */
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

/** Returns a factory of the configured credentials. @param hooks.guard masks a secret in all output */
export function credentialsFrom(
  clock: Clock,
  hooks: {
    readonly guard: (secret: Secret) => void;
    /** Receives notices for the operator that no read reports. */
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
