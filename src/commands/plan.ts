import { AccountConnection, linkOf } from '../account/account-connection.ts';
import { systemClock } from '../clock.ts';
import { EXIT, type ExitCode, type Invocation } from '../command-line/command.ts';
import { paint } from '../command-line/paint.ts';
import type { Account } from '../configuration/config-schema.ts';
import { planOf } from '../plan/account-plan.ts';
import { explore } from '../plan/explore.ts';
import { imaginedRead } from '../plan/imagined-platform.ts';
import type { AccountPlan } from '../plan/plan.ts';
import { planText } from '../plan/plan-text.ts';
import { progressLines } from '../plan/progress-lines.ts';
import { partOf } from '../plan/representatives.ts';
import { Survey } from '../plan/survey.ts';
import { accountsAsked } from './accounts-asked.ts';

type Plan = Invocation<'plan'>;

/** Tells what the configuration asks of the quota, before it runs. */
export async function plan(invocation: Plan): Promise<ExitCode> {
  const { flags, env, stdout, stderr } = invocation;
  const asked = await accountsAsked(invocation);
  if (asked === undefined) return EXIT.misused;
  const plans: AccountPlan[] = [];
  let unreachable = 0;
  for (const account of asked.accounts) {
    const made = flags.offline ? await imagine(account, invocation) : await survey(account, invocation);
    if (typeof made === 'object') {
      if (!flags.json) stdout.write(`${plans.length > 0 ? '\n' : ''}${planText(made)}`);
      plans.push(made);
      continue;
    }
    unreachable += 1;
    stderr.write(`${paint(stderr, env, 'red', 'error')}: account ${account.name}: ${made}\n`);
  }
  if (flags.json) stdout.write(`${JSON.stringify({ accounts: plans }, null, 2)}\n`);
  if (unreachable > 0) return EXIT.failed;
  return plans.every(({ fits }) => fits) ? EXIT.ok : EXIT.overQuota;
}

/** The plan with what the platform answers, or why there is none. */
async function survey(account: Account, { stderr, signal, logging }: Plan): Promise<AccountPlan | string> {
  const tell = (text: string) => stderr.write(`account ${account.name}: ${text}\n`);
  const connection = new AccountConnection({
    account,
    clock: systemClock,
    onNotice: tell,
    guard: logging.guard,
  });
  try {
    const { platformClock, scopes } = connection.link;
    const allowance = () => scopes.of('metrics').budget.allowance;
    const readFor = (group: string) => connection.readFor(group);
    const surveyed = new Survey({ account, platformClock, readFor, allowance });
    const { findings, notes, unreachable } = await explore(surveyed, {
      signal,
      parts: ['discovery', 'settings', 'series'],
      onProgress: progressLines(tell, (group) => connection.waitMs(group), systemClock.now),
    });
    if (unreachable !== undefined) return `no plan without the platform: ${unreachable}`;
    const assumedLimit = account.quota.assumed_limit;
    return planOf({ account, jobs: surveyed.jobs(), findings, notes, scopes, assumedLimit });
  } finally {
    await connection.close();
  }
}

/** The plan for a platform of which only counts are given. */
async function imagine(given: Account, { flags, signal }: Plan): Promise<AccountPlan> {
  const assumedLimit = flags['offline.limit'] ?? given.quota.assumed_limit;
  const account = { ...given, quota: { ...given.quota, assumed_limit: assumedLimit } };
  const { platformClock, scopes } = linkOf(account, systemClock);
  const read = imaginedRead(flags['offline.counts']);
  const allowance = () => scopes.of('metrics').budget.allowance;
  const surveyed = new Survey({ account, platformClock, readFor: () => read, allowance });
  const { findings } = await explore(surveyed, {
    signal,
    parts: ['discovery', 'settings'],
    onProgress: () => undefined,
  });
  // What made-up items show says nothing of what real ones would.
  const known = findings.map(({ series, ...finding }) =>
    partOf(finding.job) === 'discovery' && series !== undefined ? { ...finding, series } : finding,
  );
  const notes = ['offline: nothing was asked; each metric is taken to bring its dimensions in one operation'];
  const jobs = surveyed.jobs();
  return planOf({ account, jobs, findings: known, notes, scopes, assumedLimit });
}
