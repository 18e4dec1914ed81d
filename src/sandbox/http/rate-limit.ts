import type { Settings } from '../account/settings.ts';
import type { Faults } from '../faults/faults.ts';

/** Kinds of operations with separate limits. */
export type OperationKind = 'reads' | 'writes' | 'purges';

/** State of a limit after an operation. */
export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** End of the window (ms since the epoch). */
  readonly reset: number;
}

/** Length of a rate-limit window (ms). */
const WINDOW = 60_000;

interface Window {
  readonly opened: number;
  /** Operations of this client, and of another client that started the window. */
  used: number;
}

/** Limits by client. A window starts with the first operation of any client after the previous window ended. */
export class RateLimit {
  readonly #windows = new Map<string, Window>();

  /**
   * Counts one operation against the limit (operations per minute), or refuses it.
   * @param otherShare share of the limit (0 to 1) that another client uses at a constant rate
   */
  take(holder: string, limit: number, now: number, otherShare: number): Allowance {
    const window = this.#window(holder, now, limit * otherShare);
    const others = Math.floor((limit * otherShare * (now - window.opened)) / WINDOW);
    const left = limit - others - window.used;
    const allowed = left > 0;
    if (allowed) window.used++;
    return { allowed, limit, remaining: Math.max(0, left - 1), reset: window.opened + WINDOW };
  }

  #window(holder: string, now: number, othersPerWindow: number): Window {
    const last = this.#windows.get(holder);
    if (last !== undefined && now >= last.opened && now < last.opened + WINDOW) return last;
    const window = openedByOther(last, now, othersPerWindow) ?? { opened: now, used: 0 };
    this.#windows.set(holder, window);
    return window;
  }
}

/** Returns the window that another client has started since the last known one; undefined if there is none. */
function openedByOther(last: Window | undefined, now: number, perWindow: number): Window | undefined {
  if (last === undefined || perWindow === 0 || now < last.opened) return undefined;
  const apart = (Math.ceil(perWindow) * WINDOW) / perWindow;
  const opened = last.opened + Math.floor((now - last.opened) / apart) * apart;
  return now < opened + WINDOW ? { opened, used: 1 } : undefined;
}

/** Returns the kind of an operation from its method and path. */
export function operationKind(method: string, path: string): OperationKind {
  if (method === 'GET' || method === 'HEAD') return 'reads';
  return path.startsWith('/purge/') ? 'purges' : 'writes';
}

const NAMES = {
  limit: { recorded: 'X-RateLimit-Limit', documented: 'X-ratelimit-limit' },
  remaining: { recorded: 'X-RateLimit-Remaining', documented: 'X-ratelimit-remaining' },
  reset: { recorded: 'X-RateLimit-Reset', documented: 'X-ratelimit-reset' },
} as const;

/** Returns the three headers of specification section 8, except those that a fault omits or garbles. */
export function rateHeaders(
  { limit, remaining, reset }: Allowance,
  { headerCase, resetFormat }: Settings,
  { omit, garble }: Pick<NonNullable<Faults['rate_headers']>, 'omit' | 'garble'> = { omit: [], garble: [] },
): Record<string, string> {
  const closes = new Date(reset).toISOString();
  const values = { limit, remaining, reset: resetFormat === 'zulu' ? closes : closes.replace(/Z$/, '207') };
  const sent = (['limit', 'remaining', 'reset'] as const).filter((name) => !omit.includes(name));
  return Object.fromEntries(
    sent.map((name) => [NAMES[name][headerCase], garble.includes(name) ? 'soon' : String(values[name])]),
  );
}
