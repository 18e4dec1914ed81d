import type { ObservedPlatform } from '../account/connection.ts';
import { shardText } from '../cluster/shard.ts';
import type { Account } from '../configuration/schema.ts';
import type { CredentialsSource } from '../credentials/token-login.ts';
import type { Route } from '../platform/connector.ts';
import type { Credentials } from '../platform/credentials.ts';
import type { FailureOutcome, Outcome } from '../platform/read.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import { duration } from '../text/duration.ts';
import { plainNumber, plainShare } from '../text/numbers.ts';
import { type Endpoint, speaksTls } from './network-steps.ts';
import { type Step, stepsNamed } from './step.ts';

/** How the first read of the API ended. */
export interface FirstAnswer {
  readonly outcome: Outcome;
  readonly reason?: string | undefined;
  /** Whether what answered does not look like the API. */
  readonly foreign?: boolean | undefined;
}

/** The way to the platform. */
export interface Way {
  readonly endpoint: Endpoint;
  readonly route: Route;
  /** How long (ms) a connection may take. */
  readonly timeoutMs: number;
}

const FOREIGN = 'is api_url the address of the API, not of a web page, a proxy or a login?';

const HINTS: Partial<Readonly<Record<Outcome, string>>> = {
  server_error: 'the platform has a problem: try again later',
  timeout: 'is the platform busy, or is request.timeout too short?',
  network: 'the port is open, but no answer came',
};

/**
 * Whether what answers is the API.
 * @param recognised whether any answer so far was one that only the platform gives
 */
export async function apiStep(
  { outcome, reason = '', foreign = false }: FirstAnswer,
  { endpoint, route, timeoutMs }: Way,
  recognised: boolean,
): Promise<Step> {
  const { ok, warning, problem } = stepsNamed('API');
  // Whatever stands before the platform may pass on the headers that only it gives, with a page of its own.
  const isPage = outcome === 'undecodable' && reason.startsWith('the answer is not JSON');
  const hint = isPage || (foreign && !recognised) ? FOREIGN : HINTS[outcome];
  if (hint === undefined) {
    if (outcome === 'ok' || outcome === 'empty' || recognised) return ok('it is the API');
    return warning(`${reason}: many servers answer like that; is api_url right?`);
  }
  const garbled = outcome === 'network' || outcome === 'undecodable';
  if (garbled && !endpoint.encrypted && (await speaksTls(endpoint, route, timeoutMs))) {
    return problem(`${reason}: api_url begins with http, but this port speaks TLS; write https`);
  }
  return problem(`${reason}; ${hint}`);
}

/** Every path that was asked answers 404. */
export function nothingFoundStep(apiUrl: string, paths: number): Step {
  return stepsNamed('API').problem(
    `HTTP 404 to each of ${paths} paths that were asked: is the path of api_url right? ${apiUrl} must be the address below which /domains and /metrics are`,
  );
}

/** Why there was no token to send. */
export function noTokenStep(configured: CredentialsSource, outcome: FailureOutcome, reason: string): Step {
  const { problem } = stepsNamed('token');
  if (configured.kind !== 'password') return problem(`there is no token to send: ${reason}`);
  const hint = outcome === 'unauthorized' ? '; are username and password right?' : '';
  return problem(`no token could be created for ${configured.username}: ${reason}${hint}`);
}

const ORIGINS: Readonly<Record<Credentials['kind'], string>> = {
  token: 'the configured token',
  token_file: 'the token of the token file',
  password: 'a token created for the configured user',
};

/** The platform has taken the token. @param now local ms */
export function tokenTakenStep(credentials: Credentials, now: number): Step {
  const expiresAt = credentials.expiresAt();
  const life =
    expiresAt === undefined
      ? 'its expiry is unknown'
      : `it expires in ${duration((expiresAt - now) / 1_000)} and is renewed before`;
  return stepsNamed('token').ok(`${ORIGINS[credentials.kind]} is accepted; ${life}`);
}

/** The platform has refused the token. */
export function tokenRefusedStep(credentials: Credentials, reason: string): Step {
  const remedy: Readonly<Record<Credentials['kind'], string>> = {
    token: 'it has expired, was revoked or is not one of this platform: create another',
    token_file: 'it has expired, was revoked or is not one of this platform: put another into the file',
    password: 'the platform does not know a token that it created: is api_url right?',
  };
  return stepsNamed('token').problem(
    `${ORIGINS[credentials.kind]} is refused (${reason}): ${remedy[credentials.kind]}`,
  );
}

type QuotaSettings = Pick<Account, 'quota' | 'shard'>;

/** Clocks that differ by less (ms) agree: the platform's `Date` has whole seconds. */
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
  { quota: { reserve, assumed_limit }, shard }: QuotaSettings,
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
  const remaining = limiter.openWindow(now)?.remaining;
  const left = remaining === undefined ? '' : `, ${plainNumber(remaining)} left in this window`;
  return ok(
    `${name}: ${plainNumber(limit)} operations per minute${left}; ${plainNumber(allowance)} may be used, ${plainShare(reserve)} are reserved${shard === undefined ? '' : `; ${shardText(shard)}`}`,
  );
}

/** Share of the reserve that doctor leaves to others, beside a running exporter. */
const RESERVE_LEFT = 0.25;

/** Milliseconds for which a scope has nothing left for an examination; 0 when it has. @param now local ms */
export function usedUpForMs(limiter: LimitScope['limiter'], now: number): number {
  const stopped = limiter.stoppedUntil(now);
  if (stopped !== undefined) return stopped - now;
  const { remaining, closesAt } = limiter.openWindow(now) ?? {};
  if (remaining === undefined || closesAt === undefined || limiter.limit === undefined) return 0;
  return remaining > Math.floor((limiter.limit - limiter.allowance) * RESERVE_LEFT) ? 0 : closesAt - now;
}

/** Why an operation cannot leave now, and until when. @param waitMs until it may @param now local ms */
export function usedUp(scope: string, waitMs: number, now: number): string {
  const until = new Date(now + waitMs).toISOString().slice(11, 19);
  return `the quota of ${scope} is used up until ${until} UTC, for ${duration(Math.max(1, waitMs / 1_000))}`;
}
