/** The kinds of operations that have limits of their own. */
export type OperationKind = 'reads' | 'writes' | 'purges';

/** Operations per minute. */
export type RateLimits = Record<OperationKind, number>;

/** Where a budget stands after an operation. */
export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** When the frame closes, ms since the epoch. */
  readonly reset: number;
}

const FRAME = 60_000;

interface Frame {
  readonly opened: number;
  used: number;
}

/** One budget for each token and kind of operation. A frame opens with the first operation after the last one closed. */
export class RateLimit {
  readonly #frames = new Map<string, Frame>();

  /**
   * Takes one operation out of the budget, or refuses it.
   * @param otherShare how much of the limit (0 to 1) another user of the token takes, evenly over the frame
   */
  take(holder: string, kind: OperationKind, limits: RateLimits, now: number, otherShare: number): Allowance {
    const frame = this.#frame(`${kind} ${holder}`, now);
    const limit = limits[kind];
    const others = Math.floor((limit * otherShare * (now - frame.opened)) / FRAME);
    const left = limit - others - frame.used;
    const allowed = left > 0;
    if (allowed) frame.used++;
    return { allowed, limit, remaining: Math.max(0, left - 1), reset: frame.opened + FRAME };
  }

  #frame(key: string, now: number): Frame {
    const open = this.#frames.get(key);
    if (open !== undefined && now >= open.opened && now < open.opened + FRAME) return open;
    const frame = { opened: now, used: 0 };
    this.#frames.set(key, frame);
    return frame;
  }
}

/** What an operation is, by its method and path. */
export function operationKind(method: string, path: string): OperationKind {
  if (method === 'GET' || method === 'HEAD') return 'reads';
  return path.startsWith('/purge/') ? 'purges' : 'writes';
}

/** How the three headers are written. */
export interface RateHeaderStyle {
  /** `zoneless`: UTC with microseconds and no zone, as recorded; `zulu`: with a `Z`, as documented. */
  readonly resetFormat: 'zoneless' | 'zulu';
  /** `recorded`: X-RateLimit-Limit; `documented`: X-ratelimit-limit. */
  readonly headerCase: 'recorded' | 'documented';
}

const NAMES = {
  recorded: ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  documented: ['X-ratelimit-limit', 'X-ratelimit-remaining', 'X-ratelimit-reset'],
} as const;

/** The three headers of specification section 8. */
export function rateHeaders(allowance: Allowance, style: RateHeaderStyle): Record<string, string> {
  const [limit, remaining, reset] = NAMES[style.headerCase];
  const closes = new Date(allowance.reset).toISOString();
  return {
    [limit]: String(allowance.limit),
    [remaining]: String(allowance.remaining),
    [reset]: style.resetFormat === 'zulu' ? closes : closes.replace(/Z$/, '207'),
  };
}
