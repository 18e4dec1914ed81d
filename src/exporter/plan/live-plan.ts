import { setMaxListeners } from 'node:events';
import type { Listing } from '../account/account-targets.ts';
import { Connection, credentialsFrom } from '../account/connection.ts';
import type { Clock } from '../clock.ts';
import type { Account } from '../configuration/schema.ts';
import { allowanceOf } from '../rate-limit/decision.ts';
import type { AssumedLimit } from '../rate-limit/limiter.ts';
import type { Secret } from '../secret.ts';
import { duration } from '../text/duration.ts';
import { type ExploreProgress, explore } from './explore.ts';
import { type AccountPlan, planOf } from './plan.ts';
import { Survey } from './survey.ts';

export interface LivePlanOptions {
  readonly account: Account;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with the progress of work that takes long. */
  readonly tell: (text: string) => void;
  readonly guard: (secret: Secret) => void;
  /** The limit that it divides with other accounts. */
  readonly byAddress?: AssumedLimit;
}

/** The plan of an account with what its platform answers, or why there is none. */
export async function livePlan(
  options: LivePlanOptions,
): Promise<AccountPlan | { readonly unreachable: string }> {
  const { account, clock, signal, tell, guard, byAddress } = options;
  // A poll may wait for any number of operations, and all of them listen.
  setMaxListeners(0, signal);
  const connection = new Connection({
    account,
    clock,
    credentials: credentialsFrom(clock, { guard, onNotice: (_, text) => tell(text) }),
    ...(byAddress !== undefined && { byAddress }),
  });
  try {
    const { scopes } = connection.platform;
    const survey = new Survey({
      account,
      readFor: (group) => connection.operations.readFor(group),
      scopes,
    });
    const { findings, notes, unreachable } = await explore(survey, {
      signal,
      parts: ['discovery', 'settings', 'series'],
      onProgress: progressLines(
        tell,
        (group) => allowanceOf(scopes.of(group).limiter, clock.now()).until - clock.now(),
        () => clock.now(),
      ),
    });
    if (unreachable !== undefined) return { unreachable };
    const listings = survey.listings();
    return planOf({
      account,
      jobs: survey.jobs(),
      findings,
      notes: [...notes, ...listings.flatMap(unmatchedNote)],
      listings,
      scopes,
    });
  } finally {
    await connection.close();
  }
}

function unmatchedNote({ product: { api, slug }, unmatched }: Listing): string[] {
  if (unmatched.length === 0) return [];
  const quoted = unmatched.map((name) => JSON.stringify(name)).join(', ');
  const verb = unmatched.length === 1 ? 'matches' : 'match';
  return [
    `${quoted} in collectors.${api}.products.${slug}.configurations.include ${verb} no configuration of the account`,
  ];
}

/** Progress is worth a line this often (ms). */
const SPACING_MS = 5_000;

/** A wait of so long (ms) is worth a line. */
const LONG_WAIT_MS = 2_000;

/**
 * Reports the progress of long work now and then, and a long wait for the quota at once.
 * @param waitMs milliseconds until an operation of a group may leave
 */
function progressLines(
  tell: (text: string) => void,
  waitMs: (group: string) => number,
  now: () => number,
): (progress: ExploreProgress) => void {
  let toldAt = now();
  return ({ done, total, job }) => {
    const wait = waitMs(job.group);
    if (wait >= LONG_WAIT_MS) tell(`waits ${duration(wait / 1_000)} for the quota`);
    if (now() < toldAt + SPACING_MS) return;
    toldAt = now();
    tell(`${done} of ${total} reads done, next ${job.id}`);
  };
}
