import { setMaxListeners } from 'node:events';
import { type AccountView, accountStatus, viewOf } from '../account/account-status.ts';
import { Connection, credentialsFrom } from '../account/connection.ts';
import { MetadataJob } from '../account/metadata-job.ts';
import type { Clock } from '../clock.ts';
import { partOf } from '../collectors.ts';
import { routeOf } from '../configuration/access.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import type { Cause } from '../facts/cause.ts';
import { nextWhenRefused } from '../facts/cause-catalogue.ts';
import { explore, type Finding, Survey } from '../plan/survey.ts';
import { foreignAnswerOf } from '../platform/exchange.ts';
import { PlatformFailure, type Read } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import { PollIntervals } from '../rate-limit/poll-intervals.ts';
import type { Secret } from '../secret.ts';
import { duration } from '../text/figures.ts';
import { factSteps, quotaSteps } from './fact-steps.ts';
import { endpointOf, type NetworkOptions, networkSteps } from './network-steps.ts';
import { type Step, stepsNamed } from './step.ts';

export interface ExaminationOptions {
  readonly account: AccountConfig;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly guard: (secret: Secret) => void;
  readonly lookup?: NetworkOptions['lookup'];
}

/** Longest time (ms) of a network step. An answer may take as long as it may for a poll. */
const LONGEST_STEP_MS = 10_000;

/**
 * Examines an account: connects, polls a job of each kind once, and yields the facts. It stops when further steps are pointless.
 */
export async function* examine(options: ExaminationOptions): AsyncGenerator<Step> {
  const { account, clock, signal, guard, lookup } = options;
  const network = {
    endpoint: endpointOf(account.api_url),
    route: routeOf(account.request),
    timeoutMs: Math.min(account.request.timeout, LONGEST_STEP_MS),
    now: () => clock.now(),
    ...(lookup !== undefined && { lookup }),
  };
  for await (const step of networkSteps(network)) {
    yield step;
    if (step.status === 'problem') return yield theRest('the platform cannot be reached');
  }
  // A poll may queue any number of operations, each of which listens to the signal.
  setMaxListeners(0, signal);
  const connection = new Connection({ account, clock, credentials: credentialsFrom(clock, { guard }) });
  try {
    yield* accountSteps(options, connection);
  } finally {
    await connection.close();
  }
}

async function* accountSteps(
  { account, clock, signal }: ExaminationOptions,
  connection: Connection,
): AsyncGenerator<Step> {
  const { scopes, reachability } = connection.platform;
  const readFor = (group: string) => readWithoutWaiting(connection, clock, group);
  const survey = new Survey({ account, scopes, readFor });
  if (survey.jobs().length === 0) return yield theRest('no collector is enabled');
  const failure = await connection.credentials.authorization(signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure !== undefined) {
    if (!(failure instanceof PlatformFailure)) throw failure;
    yield noTokenStep(account, failure, reachability.answered);
    return yield theRest('there is no token');
  }
  await explore(survey, {
    signal,
    parts: ['discovery', 'series', 'settings'],
    isWanted: isExamined,
    isFinal: (finding) => {
      reachability.polled(finding);
      if (finding.outcome === 'rate_limited') return true;
      const isDown = reachability.up === false && finding.outcome !== 'not_found';
      return isDown && !survey.findings.some(isAnswered);
    },
  });
  const status = accountStatus(viewOfSurvey(account, connection, survey), clock);
  const way = wayStep(survey, status.facts.causes[0], reachability);
  yield way;
  if (way.status === 'problem') return yield theRest('the server is not the API');
  const token = tokenStep(account, connection, survey, clock.now());
  yield token;
  if (token.status === 'problem') return yield theRest('the platform requires a valid token');
  if (token.status === 'skipped') {
    yield* quotaSteps(status.quota, account);
    return yield theRest('the quota is used up: run doctor again after its reset');
  }
  yield* factSteps({ account, survey, status, platform: connection.platform });
}

/** Returns true if a job is polled. The list of metrics only matters for costs, and `plan` reads it. */
function isExamined(job: Job): boolean {
  return partOf(job) !== 'other' && !(job instanceof MetadataJob);
}

function theRest(why: string): Step {
  return stepsNamed('everything else').skipped(`not checked: ${why}`);
}

function isAnswered({ outcome }: Finding): boolean {
  return outcome === 'ok' || outcome === 'empty';
}

/** Share of the reserve that doctor leaves to others, since it may run beside an exporter. */
const RESERVE_LEFT = 0.25;

/** Returns a read that fails if the quota does not allow it now, since doctor does not wait. */
function readWithoutWaiting({ platform, operations }: Connection, clock: Clock, usual: string): Read {
  return async (resource, signal, group = usual) => {
    const { name, limiter } = platform.scopes.of(group);
    const now = clock.now();
    const { remaining = Number.POSITIVE_INFINITY, closesAt = now } = limiter.openWindow(now) ?? {};
    const isSpent = limiter.limit !== undefined && remaining <= Math.floor(limiter.reserve * RESERVE_LEFT);
    const until = limiter.stoppedUntil(now) ?? (isSpent ? closesAt : now);
    if (until > now) {
      const at = new Date(until).toISOString().slice(11, 19);
      const text = `the quota of ${name} is used up until ${at} UTC, for ${duration(Math.max(1, (until - now) / 1_000))}`;
      throw new PlatformFailure('rate_limited', text);
    }
    return operations.readAtOnce(resource(), signal);
  };
}

/** Returns the view of the account that a running exporter would have after these polls. */
function viewOfSurvey(account: AccountConfig, connection: Connection, survey: Survey): AccountView {
  const states = survey.states().filter(({ job }) => isExamined(job));
  return viewOf(account, connection, new PollIntervals(connection.platform.scopes), {
    id: () => undefined,
    jobs: () => states,
    isBeginning: () => false,
    listings: () => survey.listings(),
    sources: () => survey.sources.chosen(),
    lastLook: () => undefined,
  });
}

type Reached = Pick<Connection['platform']['reachability'], 'up' | 'note' | 'answered'>;

/** Returns the step that shows if the answers come from the API. */
function wayStep({ findings }: Survey, cause: Cause | undefined, { up, note, answered }: Reached): Step {
  const { ok, warning, problem } = stepsNamed('API');
  const [first, ...others] = findings;
  const isNothing = others.length > 0 && findings.every(({ outcome }) => outcome === 'not_found');
  if (isNothing && cause?.kind === 'not_found') return problem(`${cause.text}. ${plain(cause.next)}`);
  const isRefused = answered && first?.outcome === 'unauthorized';
  if (up === false && !isRefused && !findings.some(isAnswered)) return problem(note);
  if (answered || findings.some(isAnswered)) return ok('it is the API');
  return warning(`${first?.reason}: many servers answer like that; is api_url right?`);
}

/** Returns the step of a missing token, because of its file, or because the platform did not create one. */
function noTokenStep({ credentials }: AccountConfig, failure: PlatformFailure, answered: boolean): Step {
  const { problem } = stepsNamed('token');
  const { outcome, message } = failure;
  if (credentials.kind !== 'password') return problem(`there is no token to send: ${message}`);
  const strange = foreignAnswerOf(failure) ?? (outcome === 'not_found' ? message : undefined);
  if (!answered && strange !== undefined) return stepsNamed('API').problem(`${strange}: is api_url right?`);
  const hint = outcome === 'unauthorized' ? `. ${plain(nextWhenRefused('password'))}` : '';
  return problem(`no token could be created for ${credentials.username}: ${message}${hint}`);
}

const ORIGINS = {
  token: 'the configured token',
  token_file: 'the token of the token file',
  password: 'a token created for the configured user',
} as const;

function tokenStep(
  { credentials: { kind } }: AccountConfig,
  { credentials }: Connection,
  { findings }: Survey,
  now: number,
): Step {
  const { ok, problem, skipped } = stepsNamed('token');
  const refused = findings.find(({ outcome }) => outcome === 'unauthorized');
  if (refused !== undefined && !findings.some(isAnswered))
    return problem(`${ORIGINS[kind]} is refused (${refused.reason}). ${plain(nextWhenRefused(kind))}`);
  const [first] = findings;
  if (findings.length === 1 && first?.outcome === 'rate_limited')
    return skipped(`not checked: ${first.reason}`);
  const expiresAt = credentials.expiresAt();
  const life =
    expiresAt === undefined
      ? 'its expiry is unknown'
      : `it expires in ${duration((expiresAt - now) / 1_000)} and is renewed before`;
  return ok(`${ORIGINS[kind]} is accepted; ${life}`);
}

/** Returns advice without the backticks around literal text. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}
