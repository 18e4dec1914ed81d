import type { PlatformClock, RateLimit } from '../platform/platform-clock.ts';
import { AssumedLimit } from './assumed-limit.ts';
import { RateLimiter, type RateLimiterOptions } from './limiter.ts';

/** After a refusal the next request leaves this much later, then twice as much, and so on. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 60_000;

/** Most groups that are remembered. The platform has a dozen APIs, but may redirect to any path. */
const MOST_GROUPS = 50;

/** A limit scope as it is named in metrics and on the status page. */
export interface LimitScope {
  readonly name: string;
  readonly limiter: RateLimiter;
}

export interface LimitScopesOptions extends RateLimiterOptions {
  /** The limit that the platform counts by the client's address, for all of this process; otherwise it is this account's alone. */
  readonly byAddress?: AssumedLimit | undefined;
}

/**
 * Limits that operations count against, learned from the answers.
 *
 * Operations fall into groups (the first segment of their path). All reads start in one scope, `reads`. Groups
 * whose answers keep naming different limits at the same time are under different counters, so a group whose
 * limit differs gets a scope of its own. A limit that changes for everybody is recognised by the other groups
 * following it: only a group that insists on its old limit proves that there are two. If that was only answers
 * overtaking each other, the scopes are merged again as soon as they name the same limit and reset.
 */
export class LimitScopes {
  /** The token that all scopes share. */
  readonly token = new RefusedToken();
  readonly #options: LimitScopesOptions;
  readonly #reads: LimitScope;
  readonly #scopes: LimitScope[];
  readonly #scopeOf = new Map<string, LimitScope>();
  readonly #limitOf = new Map<string, number>();
  /** Scopes that answers have shown to be apart. */
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

  /** The scope of a group of operations. */
  of(group: string): LimitScope {
    return this.#scopeOf.get(group) ?? this.#reads;
  }

  /**
   * A scope apart from the reads from the start, for operations that are known to be limited otherwise.
   * @param assumedLimit operations per window while the platform names no limit, to begin with: it is counted by the client's
   * address. Default: as for the reads.
   * Such a scope is joined with another one where headers show that both share a counter.
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

  /** Nothing more is sent: accounts that share the address divide the limit among fewer. */
  close(): void {
    this.#options.byAddress?.leave(this);
  }

  /** Learns from an answer to an operation of `group` which scope the group is in; called before the limiter takes the answer. */
  learn(group: string, rate: RateLimit | undefined): void {
    if (rate?.limit === undefined) return;
    if (this.#limitOf.size >= MOST_GROUPS && !this.#limitOf.has(group)) return;
    const scope = this.of(group);
    const named = scope.limiter.limit;
    if (this.#limitOf.get(group) === rate.limit && named !== rate.limit) this.#split(scope, named);
    this.#unite(scope, rate);
    this.#limitOf.set(group, rate.limit);
  }

  /** Moves the groups of `scope` that named `limit` last to a scope of their own; the one that `scope` is called after stays. */
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
   * Merges scopes that were split off with the first that names the same limit and reset: they share a counter.
   * @param scope that of the answer: the next one may come only when both have used what is left
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
 * Keeps all queued requests from trying a refused token (401): single requests probe, at growing intervals of up to a minute,
 * until one is accepted. The platform may refuse a token for one resource only, so the first waits are short, and probes
 * alternate between kinds of requests.
 */
export class RefusedToken {
  /** Wait (ms) before the next probe; 0 while the token is not refused. */
  #waitMs = 0;
  #probeAt = 0;
  #probes = 0;

  /** Time (local ms) at which the next probe may leave; 0 while the token is not refused. */
  get probeAt(): number {
    return this.#waitMs === 0 ? 0 : this.#probeAt;
  }

  /** Picks the request to send: the first, or while the token is refused each kind in turn. */
  choose<T>(candidates: readonly T[]): T | undefined {
    return candidates[this.#waitMs === 0 ? 0 : this.#probes % candidates.length];
  }

  /** A request leaves. */
  send(now: number): void {
    this.#probes += 1;
    this.#probeAt = now + this.#waitMs;
    this.#waitMs = Math.min(LONGEST_WAIT_MS, 2 * this.#waitMs);
  }

  /** An answer with this HTTP status came. */
  observe(now: number, status: number): void {
    if (status < 500 && status !== 401) this.#waitMs = 0;
    if (status !== 401 || this.#waitMs > 0) return;
    this.#waitMs = FIRST_WAIT_MS;
    this.send(now);
  }

  /** There is another token: a probe may leave at once. */
  renew(): void {
    this.#probeAt = 0;
  }
}
