import type { Account } from '../account/platform-account.ts';
import type { Settings } from '../account/settings.ts';
import type { FaultSwitch } from '../faults/switch.ts';
import type { Traffic } from '../traffic/traffic.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RequestLog } from './request-log.ts';
import type { Tokens } from './token-store.ts';

/** The parts that answers are made of. */
export interface Platform {
  readonly account: Account;
  readonly traffic: Traffic;
  readonly tokens: Tokens;
  readonly rateLimit: RateLimit;
  readonly faults: FaultSwitch;
  readonly settings: Settings;
  readonly requests: RequestLog;
  readonly seed: number;
  /** The platform's own time, ms since the epoch: off by the clock skew fault. */
  now(): number;
}
