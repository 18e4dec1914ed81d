import type { JobState } from '../poll/scheduled-job.ts';
import type { DemandForecast } from '../rate-limit/demand-forecast.ts';
import type { RequestQueue } from '../rate-limit/request-queue.ts';
import type { Listing } from './account-targets.ts';
import type { ObservedPlatform } from './connection.ts';

/** The current state of an account, for the status page, the exporter's own metrics and the readiness check. */
export interface AccountView {
  readonly name: string;
  readonly apiUrl: string;
  /** Share of each limit to leave to the token's other clients. */
  readonly reserve: number;
  readonly platform: ObservedPlatform;
  readonly queue: RequestQueue;
  readonly forecast: Pick<DemandForecast, 'perMinute' | 'stretch' | 'periodOf' | 'intervalOf'>;
  /** Local ms; undefined where it is not known. */
  tokenExpiresAt(): number | undefined;
  jobs(): readonly JobState[];
  /** How the lists of configurations fare that tell what is to be read. */
  listings(): readonly Listing[];
  /** Why the account is not alive, as a sentence; undefined if it is. */
  silence(): string | undefined;
}

/** Why an account is not ready, as a sentence; undefined if it is. */
export function notReady({ name, platform, silence }: AccountView): string | undefined {
  const { answered, note } = platform.reachability;
  if (!answered) {
    const why = note === '' ? '' : `: ${note}`;
    return `account ${name}: the platform has not answered yet${why}`;
  }
  const silent = silence();
  return silent === undefined ? undefined : `account ${name}: ${silent}`;
}
