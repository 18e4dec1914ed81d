import { setMaxListeners } from 'node:events';
import type { Listing } from '../account/account-targets.ts';
import { Connection, credentialsFrom } from '../account/connection.ts';
import type { AccountLimits } from '../account/jobs.ts';
import { type Clock, Timer } from '../clock.ts';
import { partOf } from '../collectors.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import type { Outcome } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import type { AssumedLimit } from '../rate-limit/assumed-limit.ts';
import { allowanceOf } from '../rate-limit/decision.ts';
import type { Secret } from '../secret.ts';
import { duration } from '../text/figures.ts';
import { type AccountPlan, planOf } from './plan.ts';
import { type ExploreProgress, explore, type Finding, Survey } from './survey.ts';

export interface PlanOptions {
  readonly account: AccountConfig;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Limit that the account shares with other accounts; default: a separate one. */
  readonly byAddress?: AssumedLimit;
  readonly limits?: AccountLimits;
}

interface LivePlanOptions extends PlanOptions {
  /** Reports the progress of slow work. */
  readonly tell: (text: string) => void;
  readonly guard: (secret: Secret) => void;
}

/** Number of attempts for each read, since other clients may use up the quota. */
const ATTEMPTS = 3;

/** Returns the plan of an account from its platform's answers, or why there is none. */
export async function livePlan(
  options: LivePlanOptions,
): Promise<AccountPlan | { readonly unreachable: string }> {
  const { account, clock, signal, tell, guard, byAddress, limits } = options;
  // A poll may queue any number of operations, each of which listens to the signal.
  setMaxListeners(0, signal);
  const connection = new Connection({
    account,
    clock,
    credentials: credentialsFrom(clock, { guard, onNotice: (_, text) => tell(text) }),
    ...(byAddress !== undefined && { byAddress }),
  });
  const { scopes } = connection.platform;
  const progress = progressLines(options, connection);
  try {
    const readFor = (group: string) => connection.operations.readFor(group);
    const survey = new Survey({ account, readFor, scopes, limits });
    const final = await explore(survey, {
      signal,
      attempts: ATTEMPTS,
      parts: ['discovery', 'settings', 'series'],
      isFinal: preventsPlan,
      onProgress: progress.take,
    });
    const unreachable = final === undefined ? refusedAll(survey) : (final.reason ?? final.outcome);
    if (unreachable !== undefined) return { unreachable };
    const listings = survey.listings();
    const jobs = survey.jobs();
    // If the source has changed meanwhile, fewer jobs may be needed.
    const noted = survey.findings.filter(({ job }) => jobs.includes(job));
    const notes = [
      ...noted.flatMap(noteOf),
      ...listings.flatMap(unmatchedNote),
      survey.unserved() ?? [],
    ].flat();
    return planOf({ account, jobs, findings: survey.findings, notes, listings, scopes });
  } finally {
    progress.end();
    await connection.close();
  }
}

/** Outcomes that the exporter would have as well: the part was read, or is refused to this token or account. */
const REFUSALS: readonly Outcome[] = ['forbidden', 'not_found'];
const CONCLUSIVE: readonly Outcome[] = ['ok', 'empty', ...REFUSALS];

/** Returns true for a failure that prevents a plan, since other jobs depend on the answer. */
function preventsPlan({ job, outcome }: Finding): boolean {
  return !CONCLUSIVE.includes(outcome) && (listsConfigurations(job) || outcome === 'unauthorized');
}

/** Returns why there is no plan if all reads were refused; undefined if any was not. */
function refusedAll({ findings }: Survey): string | undefined {
  if (findings.length === 0 || !findings.every(({ outcome }) => REFUSALS.includes(outcome))) return undefined;
  return `${findings[0]?.reason} to all of ${findings.length} reads: edge-exporter doctor tells why`;
}

function listsConfigurations(job: Job): boolean {
  return partOf(job) === 'discovery' && job.subject.product !== undefined;
}

function noteOf({ job, reason, result }: Finding): string[] {
  if (listsConfigurations(job) && result?.warning !== undefined) return [`${job.id}: ${result.warning}`];
  return reason === undefined ? [] : [`${job.id} could not be read (${reason}): ${consequenceOf(job)}`];
}

function consequenceOf(job: Job): string {
  if (partOf(job) !== 'discovery') return 'its cost and series are estimated';
  if (!listsConfigurations(job)) return 'each product is assumed to have the known metrics';
  return job.group === 'analytics'
    ? 'the product is read as a whole, without its configurations'
    : 'its configurations are not in the plan';
}

function unmatchedNote({ product: { api, slug }, unmatched }: Listing): string[] {
  if (unmatched.length === 0) return [];
  const quoted = unmatched.map((name) => JSON.stringify(name)).join(', ');
  const verb = unmatched.length === 1 ? 'matches' : 'match';
  return [
    `${quoted} in collectors.${api}.products.${slug}.configurations.include ${verb} no configuration of the account`,
  ];
}

/** Wait (ms) from which it is reported. */
const LONG_WAIT_MS = 2_000;

/** Interval (ms) of progress reports. */
const TOLD_EVERY_MS = 60_000;

/**
 * Returns functions that report a long wait at once, and the progress every minute, since other clients may delay reads
 * indefinitely.
 */
function progressLines(
  { tell, clock }: Pick<LivePlanOptions, 'tell' | 'clock'>,
  { platform: { scopes } }: Connection,
) {
  const beganAt = clock.now();
  let last: ExploreProgress | undefined;
  const timer = new Timer(clock, () => {
    timer.set(clock.now() + TOLD_EVERY_MS);
    if (last !== undefined) tell(progressLine(last, (clock.now() - beganAt) / 1_000));
  });
  timer.set(beganAt + TOLD_EVERY_MS);
  const take = (progress: ExploreProgress) => {
    last = progress;
    const wait = allowanceOf(scopes.of(progress.job.group).limiter, clock.now()).until - clock.now();
    if (wait >= LONG_WAIT_MS) tell(`waits ${duration(wait / 1_000)} for the quota`);
  };
  return { take, end: () => timer.set(Number.POSITIVE_INFINITY) };
}

function progressLine({ done, total, job }: ExploreProgress, seconds: number): string {
  return `${done} of ${total} reads of this part done after ${duration(seconds)}, next ${job.id}; where other clients take the quota, --offline plans without any`;
}
