import { setMaxListeners } from 'node:events';
import { partOf } from '../account/jobs.ts';
import { routeOf } from '../configuration/request.ts';
import type { Account } from '../configuration/schema.ts';
import { foreignAnswerOf } from '../platform/exchange.ts';
import { PlatformFailure } from '../platform/read.ts';
import {
  apiStep,
  clockStep,
  type FirstAnswer,
  noTokenStep,
  nothingFoundStep,
  quotaSteps,
  tokenRefusedStep,
  tokenTakenStep,
  type Way,
} from './answer-steps.ts';
import { endpointOf, type NetworkOptions, networkSteps } from './network-steps.ts';
import { Session, type SessionOptions } from './session.ts';
import { type Step, stepsNamed } from './step.ts';
import { workSteps } from './work-steps.ts';

export interface ExaminationOptions extends SessionOptions {
  readonly lookup?: NetworkOptions['lookup'];
}

/** No step of the way to the platform, and no answer, may take longer (ms). */
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
  const session = new Session({ ...options, account: hurried(account) });
  try {
    if (yield* platformSteps(session, way, signal)) yield* workSteps(session);
  } finally {
    await session.connection.close();
  }
}

/** What the first read shows of the platform; whether to go on. */
async function* platformSteps(
  session: Session,
  way: Way,
  signal: AbortSignal,
): AsyncGenerator<Step, boolean> {
  const job = session.firstJob();
  if (job === undefined) {
    yield theRest('no collector is enabled');
    return false;
  }
  const noToken = await failureOf(() => session.connection.credentials.authorization(signal));
  if (noToken !== undefined) return yield* withoutToken(session, noToken, way);
  const finding = await session.poll(job);
  // Where the quota ends within the first poll, an operation of it was answered before.
  const first: FirstAnswer = typeof finding === 'string' ? { outcome: 'ok' } : finding;
  const recognised = () => session.connection.platform.reachability.answered;
  const api = await apiStep(first, way, recognised());
  if (first.outcome !== 'not_found' || api.status === 'problem') {
    return yield* firstAnswerSteps(session, first, api);
  }
  // One path may be missing on this platform; that all are is another matter, and comes before any permission.
  const { asked, found } = await anythingFound(session);
  if (found !== undefined)
    return yield* firstAnswerSteps(session, found, await apiStep(found, way, recognised()));
  if (asked < 2) return yield* firstAnswerSteps(session, first, api);
  yield nothingFoundStep(session.account.api_url, asked);
  yield theRest('the API is not found at this address');
  return false;
}

/** The account, with no answer waited for longer than a step may take. */
function hurried(account: Account): Account {
  const { request } = account;
  return { ...account, request: { ...request, timeout: Math.min(request.timeout, LONGEST_STEP_MS) } };
}

/** How many paths are asked at most before the address is doubted. */
const MOST_PATHS = 6;

/** The first answer other than 404 to a few reads of different kinds, and how many were asked. */
async function anythingFound(
  session: Session,
): Promise<{ readonly asked: number; readonly found: FirstAnswer | undefined }> {
  const jobs = session.jobs().filter((job) => partOf(job) !== 'other');
  const kinds = new Map(
    jobs.map((job) => [partOf(job) === 'settings' ? job.id : `${partOf(job)} ${job.group}`, job]),
  );
  let asked = 1;
  for (const job of [...kinds.values()].slice(0, MOST_PATHS - 1)) {
    if (session.findings.some((finding) => finding.job === job)) continue;
    const finding = await session.poll(job);
    if (typeof finding === 'string') return { asked, found: { outcome: 'ok' } };
    if (finding.outcome !== 'not_found') return { asked, found: finding };
    asked += 1;
  }
  return { asked, found: undefined };
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
  const quota = quotaSteps(platform.scopes.all, account, clock.now());
  yield* quota;
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

async function failureOf(attempt: () => Promise<unknown>): Promise<PlatformFailure | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (failure) {
    if (failure instanceof PlatformFailure) return failure;
    throw failure;
  }
}

function theRest(why: string): Step {
  return stepsNamed('everything else').skipped(`not checked: ${why}`);
}
