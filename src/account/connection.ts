import type { Clock } from '../clock.ts';
import type { Account as AccountConfig } from '../configuration/schema.ts';
import { guardedCredentials } from '../credentials/guarded.ts';
import { openCredentials } from '../credentials/open.ts';
import { Client, type ExchangeInfo } from '../platform/client.ts';
import type { Credentials } from '../platform/credentials.ts';
import type { Read } from '../platform/read.ts';
import { RequestQueue } from '../rate-limit/request-queue.ts';
import type { Secret } from '../secret.ts';
import { linkOf, transportOf } from './from-configuration.ts';
import type { AccountLink } from './link.ts';

export interface AccountConnectionOptions {
  readonly account: AccountConfig;
  readonly clock: Clock;
  /** Told of every exchange, after the budgets have taken it in. */
  readonly onExchange?: (info: ExchangeInfo) => void;
  /** Told what an operator should know and no read's failure says. */
  readonly onNotice?: (text: string) => void;
  /** Share of each limit that is left to others, asked for anew each time; without it the account's reserve. */
  readonly reserve?: () => number;
  /** Keeps a secret out of whatever is written. */
  readonly guard: (secret: Secret) => void;
}

/** How long giving back the token may take. */
const CLOSE_MS = 2_000;

/** An account's platform for a command that reads it once, under the same quota as the exporter. */
export class AccountConnection {
  readonly link: AccountLink;
  readonly credentials: Credentials;
  readonly #clock: Clock;
  readonly #client: Client;
  readonly #queue: RequestQueue;

  constructor({ account, clock, onExchange, onNotice, reserve, guard }: AccountConnectionOptions) {
    this.#clock = clock;
    this.link = linkOf(account, clock, { reserve, onExchange: (info) => onExchange?.(info) });
    const transport = { ...transportOf(account, clock), onExchange: this.link.observe };
    const notices = onNotice === undefined ? {} : { onNotice };
    this.credentials = guardedCredentials(
      openCredentials(account.credentials, { ...transport, connections: 1, ...notices }),
      guard,
    );
    this.#client = new Client({ ...transport, credentials: this.credentials });
    this.#queue = new RequestQueue({
      clock,
      scopes: this.link.scopes,
      concurrency: account.request.concurrency,
      tokenRenewed: () => this.credentials.renewed(),
    });
  }

  /** Reads for operations of a group: each waits for its turn under the quota. */
  readFor(group: string): Read {
    return async (resource, signal) => {
      const now = this.#clock.now();
      const request = { group, notBefore: now, weight: 1, since: now, plannedIntervalMs: () => 0 };
      const over = await this.#queue.turn(request, signal);
      try {
        return await this.#client.get(resource(), signal);
      } finally {
        over();
      }
    };
  }

  /** Reads that leave at once, for a caller that minds the quota by itself. */
  readonly readAtOnce: Read = (resource, signal) => this.#client.get(resource(), signal);

  /** Milliseconds until an operation of a group may leave; 0 when it may now. */
  waitMs(group: string): number {
    const now = this.#clock.now();
    return this.link.scopes.of(group).limiter.decide(now).until - now;
  }

  /** Until when (local ms) everything that waits must wait for the quota; undefined when nothing does. */
  waitsUntil(): number | undefined {
    return this.#queue.restsUntil(this.#clock.now());
  }

  /** Gives back the token where it was created, and closes the connections. */
  async close(): Promise<void> {
    this.#queue.stop();
    try {
      await this.credentials.close(AbortSignal.timeout(CLOSE_MS));
    } finally {
      await this.#client.close();
    }
  }
}
