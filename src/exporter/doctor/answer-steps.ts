import type { ObservedPlatform } from '../account/connection.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import { duration } from '../text/duration.ts';
import { plainNumber, plainShare } from '../text/numbers.ts';
import { type Step, stepsNamed } from './step.ts';

export interface QuotaSettings {
  readonly reserve: number;
  readonly assumed_limit: number;
}

/** Clocks that differ by less (ms) agree: the platform tells its time in whole seconds. */
const AGREEMENT_MS = 2_000;

/** From this difference (ms) on the machine's clock makes the data misleading. */
const MISLEADING_MS = 60_000;

/** How far this machine's clock is from the platform's. */
export function clockStep({ platformClock }: Pick<ObservedPlatform, 'platformClock'>): Step {
  const { ok, warning, problem, skipped } = stepsNamed('clock');
  if (!platformClock.known) return skipped('the answers have no Date header to compare with');
  const skew = platformClock.wallSkewMs;
  if (Math.abs(skew) <= AGREEMENT_MS) return ok('this machine and the platform agree');
  const text =
    `this machine's clock is ${duration(Math.abs(skew) / 1_000)} ${skew > 0 ? 'behind' : 'ahead of'} the platform's: ` +
    'the exporter corrects for it, but a Prometheus on this machine would store every sample with the wrong time; synchronise the clock (NTP)';
  return Math.abs(skew) > MISLEADING_MS ? problem(text) : warning(text);
}

/** What the answers have said of each limit scope. @param now local ms */
export function quotaSteps(scopes: readonly LimitScope[], settings: QuotaSettings, now: number): Step[] {
  return scopes.filter(({ name }) => name !== 'tokens').map((scope) => quotaStep(scope, settings, now));
}

function quotaStep(
  { name, limiter }: LimitScope,
  { reserve, assumed_limit }: QuotaSettings,
  now: number,
): Step {
  const { ok, warning, problem } = stepsNamed('quota');
  const wait = usedUpForMs(limiter, now);
  if (wait > 0)
    return problem(`${usedUp(name, wait, now)}; the token has other clients, or an exporter is running`);
  const { limit, allowance } = limiter;
  if (limiter.learnsLimit) {
    return ok(
      `${name}: the platform names no limit: ${plainNumber(limiter.limitInUse)} operations per minute to begin with, fewer once it refuses any`,
    );
  }
  if (limit === undefined) {
    return warning(
      `the answers carry no rate limit headers: ${plainNumber(assumed_limit)} operations per minute are assumed (quota.assumed_limit), ` +
        `${plainNumber(allowance)} after the reserve; if the platform allows less, it will refuse some of them`,
    );
  }
  const remaining = limiter.remaining(now);
  const left = remaining === undefined ? '' : `, ${plainNumber(remaining)} left in this window`;
  return ok(
    `${name}: ${plainNumber(limit)} operations per minute${left}; ${plainNumber(allowance)} may be used, ${plainShare(reserve)} are reserved`,
  );
}

/** Share of the reserve that doctor leaves to others, beside a running exporter. */
const RESERVE_LEFT = 0.25;

/** Milliseconds for which a scope has nothing left for an examination; 0 when it has. @param now local ms */
export function usedUpForMs(limiter: LimitScope['limiter'], now: number): number {
  const stopped = limiter.stoppedUntil(now);
  if (stopped !== undefined) return stopped - now;
  const [remaining, closesAt] = [limiter.remaining(now), limiter.closesAt(now)];
  if (remaining === undefined || closesAt === undefined || limiter.limit === undefined) return 0;
  return remaining > Math.floor((limiter.limit - limiter.allowance) * RESERVE_LEFT) ? 0 : closesAt - now;
}

/** Why an operation cannot leave now, and until when. @param waitMs until it may @param now local ms */
export function usedUp(scope: string, waitMs: number, now: number): string {
  const until = new Date(now + waitMs).toISOString().slice(11, 19);
  return `the quota of ${scope} is used up until ${until} UTC, for ${duration(Math.max(1, waitMs / 1_000))}`;
}
