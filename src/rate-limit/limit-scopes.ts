import type { PlatformClock } from '../platform/platform-clock.ts';
import type { RateLimit } from '../platform/rate-limit-headers.ts';
import { RateLimiter, type RateLimiterOptions } from './limiter.ts';
import { RefusedToken } from './refused-token.ts';

/** A limit scope as it is named in metrics and on the status page. */
export interface LimitScope {
  readonly name: string;
  readonly limiter: RateLimiter;
}

/**
 * Which limit an operation counts against, learned from the answers.
 *
 * Operations fall into groups (the first segment of their path). All reads start in one scope, `reads`. Groups
 * whose answers keep naming different limits at the same time are under different counters, so a group whose
 * limit differs gets a scope of its own. A limit that changes for everybody is told apart by the other groups
 * following it: only a group that insists on its old limit proves that there are two. Should answers that overtook
 * each other have looked like that, the scopes become one again as soon as they name the same limit and reset.
 */
export class LimitScopes {
  /** The token that all scopes share. */
  readonly token = new RefusedToken();
  readonly #options: RateLimiterOptions;
  readonly #scopes: LimitScope[];
  readonly #scopeOf = new Map<string, LimitScope>();
  readonly #limitOf = new Map<string, number>();
  /** Scopes that answers have told apart. */
  readonly #learned = new Set<LimitScope>();

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    this.#scopes = [{ name: 'reads', limiter: new RateLimiter(options) }];
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

  /** A scope apart from the reads from the start, for operations that are known to be limited otherwise. */
  apart(group: string): LimitScope {
    const known = this.#scopeOf.get(group);
    if (known !== undefined) return known;
    const scope = { name: group, limiter: new RateLimiter(this.#options) };
    this.#scopes.push(scope);
    this.#scopeOf.set(group, scope);
    return scope;
  }

  /** Takes in what an answer to an operation of `group` said, before its limiter does. */
  learn(group: string, rate: RateLimit | undefined): void {
    if (rate?.limit === undefined) return;
    const scope = this.of(group);
    const known = scope.limiter.limit;
    const insists = this.#limitOf.get(group) === rate.limit;
    if (known !== undefined && known !== rate.limit && insists) this.#split(scope, known, group);
    else this.#unite(scope, rate);
    this.#limitOf.set(group, rate.limit);
  }

  get #reads(): LimitScope {
    const [reads] = this.#scopes;
    if (reads === undefined) throw new Error('there is always a scope for reads');
    return reads;
  }

  /** Moves the groups of `scope` that named `limit` to a scope of their own; `insisting` keeps the old one. */
  #split(scope: LimitScope, limit: number, insisting: string): void {
    const movers = [...this.#limitOf].filter(
      ([group, named]) => named === limit && group !== insisting && this.of(group) === scope,
    );
    const [first] = movers;
    if (first === undefined) return;
    const sibling = this.#scopes.find((other) => other !== scope && other.limiter.limit === limit);
    const target = sibling ?? { name: first[0], limiter: new RateLimiter(this.#options) };
    if (sibling === undefined) this.#scopes.push(target);
    this.#learned.add(target);
    for (const [group] of movers) this.#scopeOf.set(group, target);
  }

  /** A scope that was told apart goes back to the one whose counter it shares: both name the same limit and reset. */
  #unite(scope: LimitScope, { limit, resetAt }: RateLimit): void {
    if (resetAt === undefined) return;
    const shares = (other: LimitScope) => other.limiter.limit === limit && other.limiter.resetAt === resetAt;
    for (const learned of this.#learned) {
      const twin = learned === scope ? this.#reads : scope;
      if (twin === learned || !shares(learned === scope ? twin : learned)) continue;
      for (const [group, of] of this.#scopeOf) if (of === learned) this.#scopeOf.set(group, twin);
      this.#learned.delete(learned);
      this.#scopes.splice(this.#scopes.indexOf(learned), 1);
    }
  }
}
