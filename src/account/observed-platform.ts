import type { Clock } from '../clock.ts';
import type { ExchangeInfo } from '../platform/client.ts';
import { PlatformClock } from '../platform/platform-clock.ts';
import { type LimitScope, LimitScopes } from '../rate-limit/limit-scopes.ts';
import { Reachability } from './reachability.ts';

export interface ObservedPlatformOptions {
  readonly clock: Clock;
  /** The path of the account's base address, which precedes every resource's. */
  readonly basePath: string;
  /** Share of each limit to leave to others; called each time, since it may change. */
  readonly reserve: () => number;
  readonly assumedLimit: number;
  /** Called for every exchange, after the rate limiter has recorded it. */
  readonly onExchange: (info: ExchangeInfo, scope: LimitScope) => void;
  /** Called once if the platform answers without a limit, so that the assumed one applies. */
  readonly onAssumedLimit?: ((limit: number) => void) | undefined;
}

/** Tokens are created and revoked, and so limited, apart from the reads. */
const TOKENS = 'tokens';

/** What an account knows of its platform from the answers: its clock, its limits, and whether it is up. */
export class ObservedPlatform {
  readonly reachability: Reachability;
  readonly platformClock: PlatformClock;
  readonly scopes: LimitScopes;
  readonly #options: ObservedPlatformOptions;
  #saidAssumed = false;

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
    this.#sayAssumed(info, scope);
    this.#options.onExchange(info, scope);
  };

  /** The group of operations that an exchange belongs to: the first segment of its path, or the tokens. */
  groupOf({ method, path }: Pick<ExchangeInfo, 'method' | 'path'>): string {
    if (method !== 'GET') return this.scopes.apart(TOKENS).name;
    return path.slice(this.#options.basePath.length).split(/[/?]/, 2)[1] ?? '';
  }

  #sayAssumed({ method, outcome }: ExchangeInfo, { limiter }: LimitScope): void {
    if (this.#saidAssumed || method !== 'GET' || outcome !== 'ok' || limiter.limit !== undefined) return;
    this.#saidAssumed = true;
    this.#options.onAssumedLimit?.(this.#options.assumedLimit);
  }
}
