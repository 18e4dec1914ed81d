import { setMaxListeners } from 'node:events';
import { shardText } from '../cluster/shard.ts';
import { routeOf } from '../configuration/access.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import type { CredentialsSource } from '../credentials/token-login.ts';
import type { Finding } from '../plan/survey.ts';
import type { Route } from '../platform/connector.ts';
import type { Credentials } from '../platform/credentials.ts';
import { foreignAnswerOf } from '../platform/exchange.ts';
import { type FailureOutcome, type Outcome, PlatformFailure } from '../platform/read.ts';
import type { ObservedPlatform } from '../poll/observed-platform.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import { duration, plainNumber, plainShare } from '../text/figures.ts';
import { type Endpoint, endpointOf, type NetworkOptions, networkSteps, speaksTls } from './network-steps.ts';
import { readSteps } from './read-steps.ts';
import { Session, type SessionOptions, usedUp, usedUpForMs } from './session.ts';
import { type Step, stepsNamed } from './step.ts';

export interface ExaminationOptions extends SessionOptions {
  readonly lookup?: NetworkOptions['lookup'];
}

/** No step of the way to the platform may take longer (ms); an answer may take as long as a poll waits for it. */
const LONGEST_STEP_MS = 10_000;

/** Checks an account from the network inwards, yielding each step when it is done; stops when further steps are pointless. */
export async function* examine(options: ExaminationOptions): AsyncGenerator<Step> {
  const { account, clock, signal, lookup } = options;
  const way: Way = {
    endpoint: endpointOf(account.api_url),
    route: routeOf(account.request),
    timeoutMs: Math.min(account.request.timeout, LONGEST_STEP_MS),
  };
  const network = { ...way, now: () => clock.now(), ...(lookup !== undefined && { lookup }) };
  for await (const step of networkSteps(network)) {
    yield step;
    if (step.status === 'problem') return yield theRest('the platform cannot be reached');
  }
  // A poll may wait for any number of operations, and all of them listen.
  setMaxListeners(0, signal);
  const session = new Session(options);
  try {
    if (yield* platformSteps(session, way, signal)) yield* readSteps(session);
  } finally {
    await session.connection.close();
  }
}

/** Reads one of each kind, and yields what the answers show of platform, token, clock and quota. Returns true if the reads are worth telling. */
async function* platformSteps(
  session: Session,
  way: Way,
  signal: AbortSignal,
): AsyncGenerator<Step, boolean> {
  const { connection, survey, findings, account } = session;
  if (survey.jobs().length === 0) {
    yield theRest('no collector is enabled');
    return false;
  }
  const noToken = await connection.credentials.authorization(signal).then(
    () => undefined,
    (failure: unknown) => {
      if (failure instanceof PlatformFailure) return failure;
      throw failure;
    },
  );
  if (noToken !== undefined) return yield* withoutToken(session, noToken, way);
  const recognised = () => connection.platform.reachability.answered;
  // One path may be missing on this platform; that all are is another matter, and comes before any permission.
  const told = await session.pollAll(
    (finding) => finding.outcome !== 'not_found' || hintOf(finding, recognised()) !== undefined,
    (first) =>
      first.outcome === 'unauthorized' ||
      first.outcome === 'rate_limited' ||
      hintOf(first, recognised()) !== undefined,
  );
  if (told === undefined && findings.length > 1) {
    yield nothingFoundStep(account.api_url, findings.length);
    yield theRest('the API is not found at this address');
    return false;
  }
  // Where the quota ends within the first poll, an operation of it was answered before.
  const first: FirstAnswer = told ?? findings[0] ?? { outcome: 'ok' };
  return yield* firstAnswerSteps(session, first, await apiStep(first, way, recognised()));
}

async function* firstAnswerSteps(
  session: Session,
  first: FirstAnswer,
  api: Step,
): AsyncGenerator<Step, boolean> {
  const { account, connection, clock } = session;
  const { platform } = connection;
  yield api;
  if (api.status === 'problem') {
    yield theRest('the server is not the API');
    return false;
  }
  yield tokenStep(session, first, api);
  yield clockStep(platform);
  if (first.outcome === 'unauthorized') {
    yield theRest('the platform requires a valid token');
    return false;
  }
  for (const scope of platform.scopes.all)
    if (scope.name !== 'tokens') yield quotaStep(scope, account, clock.now());
  if (first.outcome !== 'rate_limited') return true;
  yield theRest('the quota is used up: run doctor again after its reset');
  return false;
}

function tokenStep(
  { clock, connection: { credentials } }: Session,
  { outcome, reason = '' }: FirstAnswer,
  api: Step,
): Step {
  if (outcome === 'unauthorized') return tokenRefusedStep(credentials, reason);
  if (outcome === 'rate_limited' || api.status !== 'ok')
    return stepsNamed('token').skipped(`not checked: ${reason}`);
  return tokenTakenStep(credentials, clock.now());
}

/** There was no token: because of its file, or because the platform did not create one. */
async function* withoutToken(
  { account, connection }: Session,
  failure: PlatformFailure,
  way: Way,
): AsyncGenerator<Step, boolean> {
  const { outcome, message: reason } = failure;
  const answer = { outcome, reason, foreign: foreignAnswerOf(failure) !== undefined };
  const api = await apiStep(answer, way, connection.platform.reachability.answered);
  yield api.status === 'problem' ? api : noTokenStep(account.credentials, outcome, reason);
  yield theRest('there is no token');
  return false;
}

function theRest(why: string): Step {
  return stepsNamed('everything else').skipped(`not checked: ${why}`);
}

type FirstAnswer = Pick<Finding, 'outcome' | 'reason' | 'foreign'>;

interface Way {
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

/** Returns why an answer may not be the API's; undefined if it is. @param recognised true if any answer so far was one that only the platform gives */
function hintOf({ outcome, reason = '', foreign = false }: FirstAnswer, recognised: boolean) {
  // Whatever stands before the platform may pass on the headers that only it gives, with a page of its own.
  const isPage = outcome === 'undecodable' && reason.startsWith('the answer is not JSON');
  // Whoever refuses for now may be the platform's own guard.
  const isForeign = isPage || (foreign && !recognised && outcome !== 'rate_limited');
  return isForeign ? FOREIGN : HINTS[outcome];
}

/** Returns whether what answers is the API. */
async function apiStep(
  answer: FirstAnswer,
  { endpoint, route, timeoutMs }: Way,
  recognised: boolean,
): Promise<Step> {
  const { outcome, reason = '' } = answer;
  const { ok, warning, problem } = stepsNamed('API');
  const hint = hintOf(answer, recognised);
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

function nothingFoundStep(apiUrl: string, paths: number): Step {
  return stepsNamed('API').problem(
    `HTTP 404 to each of ${paths} paths that were asked: is the path of api_url right? ${apiUrl} must be the address below which /domains and /metrics are`,
  );
}

function noTokenStep(configured: CredentialsSource, outcome: FailureOutcome, reason: string): Step {
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

function tokenTakenStep(credentials: Credentials, now: number): Step {
  const expiresAt = credentials.expiresAt();
  const life =
    expiresAt === undefined
      ? 'its expiry is unknown'
      : `it expires in ${duration((expiresAt - now) / 1_000)} and is renewed before`;
  return stepsNamed('token').ok(`${ORIGINS[credentials.kind]} is accepted; ${life}`);
}

function tokenRefusedStep(credentials: Credentials, reason: string): Step {
  const remedy: Readonly<Record<Credentials['kind'], string>> = {
    token: 'it has expired, was revoked or is not one of this platform: create another',
    token_file: 'it has expired, was revoked or is not one of this platform: put another into the file',
    password: 'the platform does not know a token that it created: is api_url right?',
  };
  return stepsNamed('token').problem(
    `${ORIGINS[credentials.kind]} is refused (${reason}): ${remedy[credentials.kind]}`,
  );
}

/** Clocks that differ by less (ms) agree: the platform's `Date` has whole seconds. */
const AGREEMENT_MS = 2_000;

/** From this difference (ms) on the machine's clock makes the data misleading. */
const MISLEADING_MS = 60_000;

function clockStep({ platformClock }: Pick<ObservedPlatform, 'platformClock'>): Step {
  const { ok, warning, problem, skipped } = stepsNamed('clock');
  if (!platformClock.known) return skipped('the answers have no Date header to compare with');
  const skew = platformClock.wallSkewMs;
  if (Math.abs(skew) <= AGREEMENT_MS) return ok('this machine and the platform agree');
  const text =
    `this machine's clock is ${duration(Math.abs(skew) / 1_000)} ${skew > 0 ? 'behind' : 'ahead of'} the platform's: ` +
    'the exporter corrects for it, but a Prometheus on this machine would store every sample with the wrong time; synchronise the clock (NTP)';
  return Math.abs(skew) > MISLEADING_MS ? problem(text) : warning(text);
}

/** Share of what the exporter may use, from which on it is much that others have taken. */
const MUCH_OF_OTHERS = 0.5;

/** What the answers have said of a limit scope. @param now local ms */
function quotaStep(
  { name, limiter }: LimitScope,
  { quota: { reserve, assumed_limit }, shard }: Pick<AccountConfig, 'quota' | 'shard'>,
  now: number,
): Step {
  const { ok, warning, problem } = stepsNamed('quota');
  const wait = usedUpForMs(limiter, now);
  if (wait > 0)
    return problem(`${usedUp(name, wait, now)}; the token has other clients, or an exporter is running`);
  const { limit, allowance, guessedPerMinute } = limiter;
  if (guessedPerMinute !== undefined) {
    return ok(
      `${name}: the platform names no limit: ${plainNumber(guessedPerMinute)} operations per minute to begin with, fewer once it refuses any`,
    );
  }
  if (limit === undefined) {
    return warning(
      `the answers carry no rate limit headers: ${plainNumber(assumed_limit)} operations per minute are assumed (quota.assumed_limit), ` +
        `${plainNumber(allowance)} after the reserve; if the platform allows less, it will refuse some of them`,
    );
  }
  const { remaining, own = 0 } = limiter.openWindow(now) ?? {};
  const others = remaining === undefined ? 0 : limit - remaining - own;
  if (others > allowance * MUCH_OF_OTHERS)
    return warning(
      `${name}: other clients of the token have taken ${plainNumber(others)} of ${plainNumber(limit)} operations in this window: polls will wait; give the exporter a token of its own`,
    );
  const left = remaining === undefined ? '' : `, ${plainNumber(remaining)} left in this window`;
  return ok(
    `${name}: ${plainNumber(limit)} operations per minute${left}; ${plainNumber(allowance)} may be used, ${plainShare(reserve)} are reserved${shard === undefined ? '' : `; ${shardText(shard)}`}`,
  );
}
