import { type AccountView, accountFacts } from '../account/account-status.ts';
import type { Clock } from '../clock.ts';
import type { Cause } from '../facts/cause.ts';
import { numberOf } from '../facts/cause-catalogue.ts';
import type { Facts } from '../facts/facts.ts';
import type { Finding } from '../plan/survey.ts';
import type { JobState } from '../poll/schedule.ts';
import { PollIntervals } from '../rate-limit/poll-intervals.ts';
import type { Session } from './session.ts';
import { type Step, stepsNamed } from './step.ts';

/** Nothing waits: each job was polled at once, or not at all. */
const NOTHING_WAITS = {
  concurrency: 1,
  decide: () => () => undefined as never,
  restsUntil: () => undefined,
  waiting: () => 0,
};

/** Says what a running exporter would say of the account after these polls: the judgement is the same function. */
export function judgedStep(session: Session): Step {
  const { ok, warning, problem } = stepsNamed('judgement');
  const { state, says, causes } = judgementOf(session);
  const [first, ...others] = causes;
  const more =
    others.length === 0
      ? ''
      : `; ${numberOf(others.length, 'other cause')}: ${others.map(({ text }) => text).join('; ')}`;
  const text = `a running exporter would say that the account ${says}${more}${first === undefined ? '' : `. ${plain(first)}`}`;
  if (state === 'no_data' || state === 'down') return problem(text);
  const missing = new Set(session.survey.sources.chosen().flatMap((source) => source.missing));
  if (missing.size > 0)
    return warning(
      `${text}. The platform's GraphQL has no ${[...missing].join(', ')}: series of these fields are absent`,
    );
  return state === 'well' && causes.length === 0 ? ok(text) : warning(text);
}

function plain({ next }: Cause): string {
  return next.replaceAll('`', '');
}

function judgementOf(session: Session): Facts {
  const { account, connection, clock, survey } = session;
  const jobs = session.findings
    .filter(({ job }) => survey.jobs().includes(job))
    .map((finding) => stateOf(finding, clock));
  const view: Pick<AccountView, keyof AccountView> = {
    name: account.name,
    apiUrl: account.api_url,
    shard: account.shard,
    credentials: account.credentials.kind,
    id: () => undefined,
    reserve: account.quota.reserve,
    platform: connection.platform,
    queue: NOTHING_WAITS as never,
    forecast: { perMinute: 0, stretch: 1 },
    intervals: new PollIntervals(connection.platform.scopes),
    tokenExpiresAt: () => connection.credentials.expiresAt(),
    tokenRenewsAt: () => undefined,
    jobs: () => jobs,
    isBeginning: () => false,
    listings: () => survey.listings(),
    sources: () => survey.sources.chosen(),
    silence: () => undefined,
  };
  return accountFacts(view, clock);
}

/** A job as it is after its only poll. */
function stateOf({ job, outcome, reason, result }: Finding, clock: Clock): JobState {
  const now = clock.now();
  const succeeded = outcome === 'ok' || outcome === 'empty';
  return {
    job,
    state: 'idle',
    since: now,
    dueAt: undefined,
    request: undefined,
    startedAt: now,
    intervalMs: undefined,
    lastOutcome: outcome,
    lastReason: reason,
    lastSuccessAt: succeeded ? now : undefined,
    lastBucketAt: result?.buckets?.newestExposed,
    bucketWidthMs: result?.buckets?.width,
    shareMissing: result?.buckets?.missing,
  };
}
