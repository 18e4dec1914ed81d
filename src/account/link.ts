import type { Clock } from '../clock.ts';
import type { ExchangeInfo } from '../platform/client.ts';
import { PlatformClock } from '../platform/platform-clock.ts';
import { type Scope, Scopes } from '../quota/scopes.ts';

export interface AccountLinkOptions {
  readonly clock: Clock;
  /** The path of the account's base address, which precedes every resource's. */
  readonly basePath: string;
  /** Share of each limit that is left to others; asked for anew each time, since it may change. */
  readonly reserve: number;
  readonly assumedLimit: number;
  /** Told of every exchange, after the budgets have taken it in. */
  readonly onExchange: (info: ExchangeInfo, scope: Scope) => void;
  /** Told once when the platform answers without naming a limit, so that the assumed one holds. */
  readonly onAssumedLimit?: (limit: number) => void;
}

/** Tokens are created and revoked, and so limited, apart from the reads. */
const TOKENS = 'tokens';

/** What an account knows of its platform from the answers: the time there, the limits, and whether it is up. */
export class AccountLink {
  readonly platformClock: PlatformClock;
  readonly scopes: Scopes;
  readonly #options: AccountLinkOptions;
  #up: boolean | undefined;
  #answered = false;
  #note = '';
  #saidAssumed = false;

  constructor(options: AccountLinkOptions) {
    this.#options = options;
    this.platformClock = new PlatformClock(() => options.clock.now());
    const { platformClock } = this;
    this.scopes = new Scopes({
      platformClock,
      assumedLimit: options.assumedLimit,
      get reserve() {
        return options.reserve;
      },
    });
  }

  /** Whether the platform answered the last exchange and took the token; undefined before the first. */
  get up(): boolean | undefined {
    return this.#up;
  }

  /** Whether the platform has answered at all, be it with a refusal. */
  get answered(): boolean {
    return this.#answered;
  }

  /** Why it is not up, in plain words. */
  get note(): string {
    return this.#note;
  }

  /** Takes in an exchange: its time, its limits, and how it ended. */
  readonly observe = (info: ExchangeInfo): void => {
    const { endedAt, startedAt, serverDate, rate, status, retryAfterMs, outcome } = info;
    if (outcome === 'aborted') return;
    if (serverDate !== undefined) {
      this.platformClock.observe({ sentAt: startedAt, receivedAt: endedAt, serverDate });
    }
    const group = this.groupOf(info);
    this.scopes.learn(group, rate);
    const scope = this.scopes.of(group);
    scope.budget.observe(endedAt, rate, startedAt);
    if (status === 429) scope.budget.stop(endedAt, retryAfterMs);
    this.#judge(info);
    this.#sayAssumed(info, scope);
    this.#options.onExchange(info, scope);
  };

  /** There is no token to ask with: nothing reaches the platform, and nothing that it could answer. */
  withoutToken(reason: string): void {
    this.#up = false;
    this.#note = reason;
  }

  /** The group of operations that an exchange belongs to: the first segment of its path, or the tokens. */
  groupOf({ method, path }: Pick<ExchangeInfo, 'method' | 'path'>): string {
    if (method !== 'GET') return this.scopes.apart(TOKENS).name;
    return path.slice(this.#options.basePath.length).split(/[/?]/, 2)[1] ?? '';
  }

  #sayAssumed({ method, outcome }: ExchangeInfo, { budget }: Scope): void {
    if (this.#saidAssumed || method !== 'GET' || outcome !== 'ok' || budget.limit !== undefined) return;
    this.#saidAssumed = true;
    this.#options.onAssumedLimit?.(this.#options.assumedLimit);
  }

  #judge({ status, outcome }: ExchangeInfo): void {
    this.#answered ||= status !== undefined;
    this.#up = status !== undefined && status !== 401 && status < 500;
    this.#note = this.#up ? '' : (NOTES[outcome] ?? `the platform answers ${status}`);
  }
}

const NOTES: Readonly<Record<string, string>> = {
  unauthorized: 'the platform refuses the token',
  timeout: 'the platform does not answer in time',
  network: 'the platform cannot be reached',
};
