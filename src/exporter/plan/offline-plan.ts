import { partOf } from '../account/jobs.ts';
import type { Clock } from '../clock.ts';
import type { Account } from '../configuration/schema.ts';
import { PlatformClock } from '../platform/platform-clock.ts';
import { LimitScopes } from '../rate-limit/limit-scopes.ts';
import { explore } from './explore.ts';
import { imaginedRead, type ListSizes } from './imagined-platform.ts';
import { type AccountPlan, planOf } from './plan.ts';
import { Survey } from './survey.ts';

export interface OfflinePlanOptions {
  readonly account: Account;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly counts: ListSizes;
  /** Operations per minute that the platform is taken to allow; otherwise the account's assumed limit. */
  readonly limit?: number | undefined;
}

/** The plan of an account for a platform of which only the sizes of its lists are given. */
export async function offlinePlan(options: OfflinePlanOptions): Promise<AccountPlan> {
  const { account, clock, signal, counts } = options;
  const { reserve, assumed_limit } = account.quota;
  const assumedLimit = options.limit ?? assumed_limit;
  const platformClock = new PlatformClock(
    () => clock.now(),
    () => clock.wall(),
  );
  const scopes = new LimitScopes({ platformClock, assumedLimit, reserve });
  const read = imaginedRead(counts);
  const survey = new Survey({ account, scopes, readFor: () => read });
  const { findings } = await explore(survey, {
    signal,
    parts: ['discovery', 'settings'],
    onProgress: () => undefined,
  });
  // What made-up items show says nothing of what real ones would.
  const telling = findings.map(({ series, ...finding }) =>
    partOf(finding.job) === 'discovery' && series !== undefined ? { ...finding, series } : finding,
  );
  const notes = [
    'offline: nothing was requested; each product is assumed to have the known metrics, and each metric to need one operation',
  ];
  return planOf({
    account,
    jobs: survey.jobs(),
    findings: telling,
    notes,
    listings: [],
    scopes,
  });
}
