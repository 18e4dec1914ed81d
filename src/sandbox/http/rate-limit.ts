/** The kinds of operations that have limits of their own. */
export type OperationKind = 'reads' | 'writes' | 'purges';

/** Operations per minute. */
export type RateLimits = Record<OperationKind, number>;

/** What a limit allows after an operation. */
export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** When the window closes, ms since the epoch. */
  readonly reset: number;
}

/** The length of a rate-limit window, in ms. */
const WINDOW = 60_000;

interface Window {
  readonly opened: number;
  /** Operations of those who asked, and the one of another client that opened the window, if one did. */
  used: number;
}

/**
 * One limit for each token and kind of operation. A window opens with the first operation after the last one closed, whoever's
 * it is.
 */
export class RateLimit {
  readonly #windows = new Map<string, Window>();

  /**
   * Takes one operation from what is left, or refuses it.
   * @param otherShare how much of the limit (0 to 1) another client of the token takes, evenly
   */
  take(holder: string, kind: OperationKind, limits: RateLimits, now: number, otherShare: number): Allowance {
    const limit = limits[kind];
    const window = this.#window(`${kind} ${holder}`, now, limit * otherShare);
    const others = Math.floor((limit * otherShare * (now - window.opened)) / WINDOW);
    const left = limit - others - window.used;
    const allowed = left > 0;
    if (allowed) window.used++;
    return { allowed, limit, remaining: Math.max(0, left - 1), reset: window.opened + WINDOW };
  }

  #window(key: string, now: number, othersPerWindow: number): Window {
    const last = this.#windows.get(key);
    if (last !== undefined && now >= last.opened && now < last.opened + WINDOW) return last;
    const window = openedByOther(last, now, othersPerWindow) ?? { opened: now, used: 0 };
    this.#windows.set(key, window);
    return window;
  }
}

/** The window that is open because another client goes on in its rhythm after the last one that was asked about. */
function openedByOther(last: Window | undefined, now: number, perWindow: number): Window | undefined {
  if (last === undefined || perWindow === 0 || now < last.opened) return undefined;
  const apart = (Math.ceil(perWindow) * WINDOW) / perWindow;
  const opened = last.opened + Math.floor((now - last.opened) / apart) * apart;
  return now < opened + WINDOW ? { opened, used: 1 } : undefined;
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
