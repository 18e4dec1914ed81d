import { systemClock } from '../exporter/clock.ts';
import { EXIT, type ExitCode, type Invocation } from '../exporter/command-line/command.ts';
import type { AccountConfig } from '../exporter/configuration/schema.ts';
import { livePlan } from '../exporter/plan/live-plan.ts';
import { COUNTED_NAMES, offlinePlan } from '../exporter/plan/offline-plan.ts';
import type { AccountPlan } from '../exporter/plan/plan.ts';
import { processesFor, processesText } from '../exporter/plan/processes.ts';
import { planText } from '../exporter/plan/text.ts';
import { QUESTIONS } from '../exporter/platform/read.ts';
import { AssumedLimit } from '../exporter/rate-limit/assumed-limit.ts';
import { didYouMean } from '../exporter/text/suggestion.ts';
import { type AccountsAsked, accountsAsked } from './accounts-asked.ts';

type Plan = Invocation<'plan'>;

/** Prints the cost of the configuration. */
export async function plan(invocation: Plan): Promise<ExitCode> {
  const { flags, stdout, complain } = invocation;
  const asked = await accountsAsked(invocation, !flags.offline);
  if (asked === undefined) return EXIT.misused;
  const misspelt = flags.offline ? [...flags['offline.counts'].named.keys()].filter(isUnknown) : [];
  for (const name of misspelt) {
    const hint = didYouMean(name, COUNTED_NAMES);
    complain(`--offline.counts: "${name}" is no product or collector${hint}`);
  }
  if (misspelt.length > 0) return EXIT.misused;
  const plans: AccountPlan[] = [];
  for (const account of asked.accounts) {
    const made = await planFor(account, asked, invocation);
    if ('unreachable' in made) {
      complain(`account ${account.name}: cannot plan, the platform does not answer: ${made.unreachable}`);
      continue;
    }
    if (!flags.json) stdout.write(`${plans.length > 0 ? '\n' : ''}${planText(made)}`);
    plans.push(made);
  }
  const together = processesFor(plans);
  if (flags.json) stdout.write(`${JSON.stringify({ accounts: plans, together }, null, 2)}\n`);
  else if (plans.length > 1) stdout.write(`\n${processesText(together)}`);
  if (plans.length < asked.accounts.length) return EXIT.failed;
  return plans.every(({ fits }) => fits) ? EXIT.ok : EXIT.overQuota;
}

function isUnknown(name: string): boolean {
  return name !== '' && !COUNTED_NAMES.has(name);
}

/** Returns the GraphQL limit that an account shares with other accounts at the same URL. */
function sharedLimit(account: AccountConfig, accounts: readonly AccountConfig[]): AssumedLimit {
  const limit = new AssumedLimit(QUESTIONS.assumedLimit);
  const originOf = ({ graphql_url }: AccountConfig) => new URL(graphql_url).origin;
  for (const other of accounts) {
    const { metrics, analytics } = other.collectors;
    const sources = [metrics, analytics].map((series) => series && (series.source ?? other.source));
    if (other !== account && originOf(other) === originOf(account) && sources.includes('graphql'))
      limit.sharers.add(other);
  }
  return limit;
}

function planFor(
  account: AccountConfig,
  { accounts, limits }: AccountsAsked,
  { flags, stderr, signal, logging }: Plan,
) {
  const byAddress = sharedLimit(account, accounts);
  const common = { account, clock: systemClock, signal, byAddress, limits };
  if (flags.offline)
    return offlinePlan({ ...common, counts: flags['offline.counts'], limit: flags['offline.limit'] });
  const tell = (text: string) => stderr.write(`account ${account.name}: ${text}\n`);
  return livePlan({ ...common, tell, guard: logging.guard });
}
