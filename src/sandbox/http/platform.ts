import type { Account } from '../account/platform-account.ts';
import type { Settings } from '../account/settings.ts';
import type { FaultSwitch } from '../faults/faults.ts';
import type { Traffic } from '../traffic/traffic.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Tokens } from './token-store.ts';

/** Log entry of a request, with the kind of its credentials instead of the credentials. */
export interface RequestRecord {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly method: string;
  /** Path without the query; a token in it is masked. */
  readonly path: string;
  readonly query: string;
  /** 0 if the request got no response because of a fault. */
  readonly status: number;
  readonly authorization: 'none' | 'token' | 'basic' | 'other';
}

const KEPT = 10_000;

/** Log of requests to the sandbox: the latest ones, and counts of all. */
export class RequestLog {
  readonly byStatus = new Map<number, number>();
  readonly byMethod = new Map<string, number>();
  #total = 0;
  #recent: RequestRecord[] = [];

  add(record: RequestRecord): void {
    this.#total++;
    count(this.byStatus, record.status);
    count(this.byMethod, record.method);
    this.#recent.push(record);
    if (this.#recent.length >= 2 * KEPT) this.#recent = this.#recent.slice(-KEPT);
  }

  get total(): number {
    return this.#total;
  }

  /** The latest requests, at most 10,000, oldest first. */
  get recent(): readonly RequestRecord[] {
    return this.#recent.slice(-KEPT);
  }

  clear(): void {
    this.#total = 0;
    this.#recent = [];
    this.byStatus.clear();
    this.byMethod.clear();
  }
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Returns the kind of an Authorization header, without its secret. */
export function authorizationKind(header: string | undefined): RequestRecord['authorization'] {
  if (header === undefined) return 'none';
  if (/^token /i.test(header)) return 'token';
  return /^basic /i.test(header) ? 'basic' : 'other';
}

/** State of the sandbox from which responses are created. */
export interface Platform {
  readonly account: Account;
  readonly traffic: Traffic;
  readonly tokens: Tokens;
  readonly rateLimit: RateLimit;
  readonly faults: FaultSwitch;
  readonly settings: Settings;
  readonly requests: RequestLog;
  readonly seed: number;
  /** Returns the platform's time (ms since the epoch), including the clock skew fault. */
  now(): number;
}
