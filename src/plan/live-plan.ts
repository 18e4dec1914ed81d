import { setMaxListeners } from 'node:events';
import type { UnmatchedNames } from '../account/account-targets.ts';
import { Connection, credentialsFrom } from '../account/connection.ts';
import type { Clock } from '../clock.ts';
import type { Account } from '../configuration/schema.ts';
import { allowanceOf } from '../rate-limit/decision.ts';
import type { Secret } from '../secret.ts';
import { planOf } from './account-plan.ts';
import { explore } from './explore.ts';
import type { AccountPlan } from './plan.ts';
import { progressLines } from './progress-lines.ts';
import { Survey } from './survey.ts';

export interface LivePlanOptions {
  readonly account: Account;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told how it goes where that takes long. */
  readonly tell: (text: string) => void;
  readonly guard: (secret: Secret) => void;
}

/** The plan of an account with what its platform answers, or why there is none. */
export async function livePlan(
  options: LivePlanOptions,
): Promise<AccountPlan | { readonly unreachable: string }> {
  const { account, clock, signal, tell, guard } = options;
  // A poll may wait for any number of operations, and all of them listen.
  setMaxListeners(0, signal);
  const connection = new Connection({
    account,
    clock,
    credentials: credentialsFrom(clock, { guard, onNotice: (_, text) => tell(text) }),
  });
  try {
    const { scopes } = connection.platform;
    const survey = new Survey({
      account,
      readFor: (group) => connection.readFor(group),
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
    const assumedLimit = account.quota.assumed_limit;
    const unmatched = survey.unmatched().map(unmatchedNote);
    return planOf({
      account,
      jobs: survey.jobs(),
      findings,
      notes: [...notes, ...unmatched],
      listings: survey.listings(),
      scopes,
      assumedLimit,
    });
  } finally {
    await connection.close();
  }
}

function unmatchedNote({ product: { api, slug }, names }: UnmatchedNames): string {
  const [verb, quoted] = [
    names.length === 1 ? 'matches' : 'match',
    names.map((name) => JSON.stringify(name)),
  ];
  return `${quoted.join(', ')} in collectors.${api}.products.${slug}.configurations.include ${verb} no configuration of the account`;
}
