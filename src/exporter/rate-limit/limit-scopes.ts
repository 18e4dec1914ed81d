import type { PlatformClock, RateLimit } from '../platform/platform-clock.ts';
import { AssumedLimit } from './assumed-limit.ts';
import { RateLimiter, type RateLimiterOptions } from './limiter.ts';

/** First wait (ms) after a refused token, which doubles with each probe up to the longest. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 60_000;

/** Maximum number of remembered groups. The platform has a dozen APIs, but may redirect to any path. */
const MOST_GROUPS = 50;

/** Limit scope, with its name in metrics and on the status page. */
export interface LimitScope {
  readonly name: string;
  readonly limiter: RateLimiter;
}

export interface LimitScopesOptions extends RateLimiterOptions {
  /** Limit that the platform counts by the client's address, shared within this process; default: one for the account alone. */
  readonly byAddress?: AssumedLimit | undefined;
}

/**
 * Limit scopes that operations count against, learned from the answers. Operations fall into groups, by the first segment of their
 * path, and all reads start in the scope `reads`. A group whose answers persistently name a different limit has a different
 * counter, and gets a separate scope. If the limit changes for all groups, the other groups follow; only a group that still names
 * the old limit proves two counters. Scopes that were split only because answers overtook each other are merged once they name the
 * same limit and reset.
 */
export class LimitScopes {
  /** State of the token, which all scopes share. */
  readonly token = new RefusedToken();
  readonly #options: LimitScopesOptions;
  readonly #reads: LimitScope;
  readonly #scopes: LimitScope[];
  readonly #scopeOf = new Map<string, LimitScope>();
  readonly #limitOf = new Map<string, number>();
  /** Scopes that were split off, or are guessed, and may be merged again. */
  readonly #learned = new Set<LimitScope>();

  constructor(options: LimitScopesOptions) {
    this.#options = options;
    this.#reads = { name: 'reads', limiter: new RateLimiter(options) };
    this.#scopes = [this.#reads];
  }

  get platformClock(): PlatformClock {
    return this.#options.platformClock;
  }

  get all(): readonly LimitScope[] {
    return this.#scopes;
  }

  /** Returns the scope of a group of operations. */
  of(group: string): LimitScope {
    return this.#scopeOf.get(group) ?? this.#reads;
  }

  /**
   * Returns a separate scope for a group that is known to have a separate limit. It is merged with another if headers show a
   * common counter.
   * @param assumedLimit initial operations per window, counted by the client's address while the platform names no limit; default:
   * the assumed limit of reads
   */
  apart(group: string, assumedLimit?: number): LimitScope {
    const known = this.#scopeOf.get(group);
    if (known !== undefined) return known;
    const options = this.#options;
    const guessed =
      assumedLimit === undefined ? undefined : (options.byAddress ?? new AssumedLimit(assumedLimit));
    const own = {
      platformClock: options.platformClock,
      assumedLimit: guessed ?? options.assumedLimit,
      isPart: options.isPart,
      get reserve() {
        return options.reserve;
      },
    };
    const scope = { name: group, limiter: new RateLimiter(own) };
    this.#scopes.push(scope);
    this.#scopeOf.set(group, scope);
    if (guessed !== undefined) {
      this.#learned.add(scope);
      guessed.sharers.add(this);
    }
    return scope;
  }

  /** Leaves the shared limit, so that fewer accounts share it. Nothing is sent afterwards. */
  close(): void {
    this.#options.byAddress?.leave(this);
  }

  /** Updates the scope of `group` from an answer. It must be called before the limiter observes the answer. */
  learn(group: string, rate: RateLimit | undefined): void {
    if (rate?.limit === undefined) return;
    if (this.#limitOf.size >= MOST_GROUPS && !this.#limitOf.has(group)) return;
    const scope = this.of(group);
    const named = scope.limiter.limit;
    if (this.#limitOf.get(group) === rate.limit && named !== rate.limit) this.#split(scope, named);
    this.#unite(scope, rate);
    this.#limitOf.set(group, rate.limit);
  }

  /** Moves the groups of `scope` that last named `limit` to a separate scope. The group that `scope` is named after stays. */
  #split(scope: LimitScope, limit: number | undefined): void {
    const movers = [...this.#limitOf].flatMap(([group, named]) =>
      named === limit && group !== scope.name && this.of(group) === scope ? group : [],
    );
    const [name] = movers;
    if (name === undefined) return;
    const own = { name, limiter: new RateLimiter(this.#options) };
    this.#scopes.push(own);
    this.#learned.add(own);
    for (const group of movers) this.#scopeOf.set(group, own);
  }

  /**
   * Merges split scopes with the first that names the same limit and reset, since they share a counter.
   * @param scope scope of the answer, whose limiter has not observed it yet
   */
  #unite(scope: LimitScope, { limit, resetAt }: RateLimit): void {
    if (resetAt === undefined) return;
    const [first = this.#reads, ...twins] = this.#scopes.filter(({ limiter }) =>
      limiter === scope.limiter
        ? (limiter.limit ?? limit) === limit
        : limiter.limit === limit && limiter.resetAt === resetAt,
    );
    for (const twin of twins.filter((one) => this.#learned.delete(one))) {
      for (const [group, of] of this.#scopeOf) if (of === twin) this.#scopeOf.set(group, first);
      this.#scopes.splice(this.#scopes.indexOf(twin), 1);
    }
  }
}

/**
 * Prevents all queued requests from trying a refused token (401). Single requests probe at growing intervals of up to a minute,
 * until one is accepted. The platform may refuse a token for one resource only. So the first waits are short, and probes alternate
 * between kinds of requests.
 */
export class RefusedToken {
  /** Wait (ms) before the next probe; 0 while the token is not refused. */
  #waitMs = 0;
  #probeAt = 0;
  #probes = 0;

  /** Time (local ms) of the next probe; 0 while the token is not refused. */
  get probeAt(): number {
    return this.#waitMs === 0 ? 0 : this.#probeAt;
  }

  /** Returns the request to send: the first, or while the token is refused, each kind in turn. */
  choose<T>(candidates: readonly T[]): T | undefined {
    return candidates[this.#waitMs === 0 ? 0 : this.#probes % candidates.length];
  }

  /** Records that a request is sent. */
  send(now: number): void {
    this.#probes += 1;
    this.#probeAt = now + this.#waitMs;
    this.#waitMs = Math.min(LONGEST_WAIT_MS, 2 * this.#waitMs);
  }

  /** Records the HTTP status of an answer. */
  observe(now: number, status: number): void {
    if (status < 500 && status !== 401) this.#waitMs = 0;
    if (status !== 401 || this.#waitMs > 0) return;
    this.#waitMs = FIRST_WAIT_MS;
    this.send(now);
  }

  /** Records that the token was replaced, so that a probe may be sent at once. */
  renew(): void {
    this.#probeAt = 0;
  }
}
