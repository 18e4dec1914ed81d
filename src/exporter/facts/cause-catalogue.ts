import { groupedBy } from '../grouped-by.ts';
import type { ObservedAccount } from '../status.ts';
import { duration, grouped, plainShare, timeOfDay } from '../text/figures.ts';
import {
  type CauseKind,
  type Covered,
  type Fault,
  NOTABLE_STRETCH,
  type SeenAccount,
  TOLERATED_MISSING,
  type Words,
} from './cause.ts';
import { type JobFacts, readsSeries } from './job-facts.ts';
import type { Tally } from './tally.ts';

/** Permission to read series and lists of configurations, by its name in the specification (section 5). */
const SERIES_PERMISSION = 'Analytics';

/** Advice after a refusal (429). It names no culprit, since a refusal does not prove who spent the quota. */
const LIMITED =
  'The exporter sends requests again when the platform allows them. If this lasts, look for other clients of the token, or give the exporter its own token.';

const FIND_OUT =
  'Run `edge-exporter doctor` to find where it breaks: name, network, proxy, TLS or address. Polling continues.';

const LISTED_BEFORE =
  'Known configurations are still read. New ones are missing until the list can be read again.';

const WRONG_PATH = 'Check the path in `api_url`: the platform answers every request below it with 404.';

const NOT_THERE = 'If the account does not have it, remove it from the configuration.';

const WAS_THERE =
  'It was read before. Unless it was deleted, the platform is at fault. The exporter asks for it again within an hour.';

const PLATFORM_AT_FAULT =
  'The platform is at fault: see its status page. Polling continues, and counters catch up.';

const OWN_TOKEN =
  'Other clients use up the quota of this token. Give the exporter its own token, or leave more to them with `quota.reserve`.';

const PLAN = 'Run `edge-exporter plan` to see what uses the quota, and what would help.';

const RENEW =
  'Renew the credentials. The exporter reads a token file again by itself, a token in the configuration on a reload, and `EDGE_TOKEN` on a restart.';

const CHECK_LOGIN =
  'Check `username` and its password. The exporter reads a password file again by itself, a password in the configuration on a reload, and `EDGE_PASSWORD` on a restart. It creates the tokens itself.';

/** Returns the advice for credentials that the platform refuses. With a login, the exporter creates the tokens itself. */
export function nextWhenRefused(credentials: ObservedAccount['credentials']): string {
  return credentials === 'password' ? CHECK_LOGIN : RENEW;
}

/** Account and jobs from which the texts of a cause are made. */
interface Context extends SeenAccount {
  readonly covered: Covered;
}

/** Fault and texts of each cause. Every output that names a cause takes its texts from here. */
const CATALOGUE: Readonly<Record<CauseKind, readonly [Fault, (context: Context) => Words]>> = {
  unauthorized: [
    'access',
    ({ account, covered }) => {
      const reason = reasonOf(covered);
      return {
        text: `the platform refuses the token${reason === '' ? '' : `: ${reason}`}`,
        next: nextWhenRefused(account.credentials),
      };
    },
  ],
  rate_limited: ['quota', limited],
  forbidden: ['access', forbidden],
  not_found: ['configuration', notFound],
  server_error: [
    'platform',
    (context) => ({
      text: `the platform fails to answer for ${named(context)}: ${reasonOf(context.covered)}`,
      next: PLATFORM_AT_FAULT,
    }),
  ],
  network: ['network', cannotBeRead],
  timeout: ['platform', cannotBeRead],
  not_acceptable: ['platform', cannotBeRead],
  undecodable: ['platform', cannotBeRead],
  unreachable: ['network', cannotBeRead],
  quota: ['quota', quota],
  platform_late: [
    'platform',
    () => ({
      text: 'the platform is late',
      next: 'Polls succeed, but the platform has nothing newer, or answers slowly. Counters catch up when it does.',
    }),
  ],
  exporter_late: [
    'exporter',
    () => ({
      text: 'the exporter does not keep up',
      next: 'The list of jobs shows what each waits for. More CPU or a higher `request.concurrency` may help.',
    }),
  ],
  nothing_there: ['configuration', nothingThere],
  first_polls: [
    'nobody',
    ({ account, whole, now }) => {
      const { up, note } = account;
      const unanswered = `the platform has not answered yet${note === '' ? '' : `: ${note}`}`;
      return {
        text: up === null ? unanswered : unreadText(whole.pending, whole, now),
        next: nextOfUnread(account),
      };
    },
  ],
  not_read_yet: [
    'nobody',
    ({ account, whole, now }) => ({
      text: `${unreadText(whole.unread, whole, now)}${othersOf(account)}`,
      next: nextOfUnread(account),
    }),
  ],
  counters_behind: ['platform', countersBehind],
  rows_missing: ['platform', rowsMissing],
  clock: ['machine', machineClock],
  platform_clock: ['platform', platformClock],
};

/** Returns the texts of a cause, and the party that has to act. @param covered jobs of the cause; default: none */
export function wordsOf(
  kind: CauseKind,
  seen: SeenAccount,
  covered: Covered = { kind, jobs: [], failing: 0, late: 0, oldestSeconds: 0 },
): Words & { readonly fault: Fault } {
  const [fault, words] = CATALOGUE[kind];
  return { fault, ...words({ ...seen, covered }) };
}

/** Returns the texts of a cause for an account that is down as a whole. */
export function wordsWhenDown(
  kind: CauseKind,
  { account, now }: SeenAccount,
): Words & { readonly fault: Fault } {
  const { note, up_since: since, next_try_at: next, credentials } = account;
  const tried = next === null ? 'being tried now' : `next try ${within(next, now)}`;
  const steps: Partial<Record<CauseKind, string>> = {
    unauthorized: nextWhenRefused(credentials),
    server_error: PLATFORM_AT_FAULT,
  };
  return {
    fault: CATALOGUE[kind][0],
    text: `${note} (${since === null ? '' : `since ${timeOfDay(since, now)}, `}${tried})`,
    next: steps[kind] ?? FIND_OUT,
  };
}

function cannotBeRead(context: Context): Words {
  return { text: `${named(context)} cannot be read: ${reasonOf(context.covered)}`, next: FIND_OUT };
}

function notFound(context: Context): Words {
  const { covered, whole, up } = context;
  const reason = reasonOf(covered);
  const wasThere = covered.jobs.some(({ job }) => job.last_bucket_at !== null);
  if (up === false && covered.failing === whole.failing) {
    return {
      text: `nothing is found at this address: ${reason}`,
      next: wasThere ? WAS_THERE : WRONG_PATH,
    };
  }
  return {
    text: `the platform does not know ${named(context)}: ${reason}`,
    next: areLists(context) ? LISTED_BEFORE : wasThere ? WAS_THERE : NOT_THERE,
  };
}

function forbidden(context: Context): Words {
  const { covered, whole } = context;
  const reason = reasonOf(covered);
  const ofSeries = covered.jobs.every(({ job }) => readsSeries(job));
  if (covered.failing === whole.polled && !ofSeries) {
    return {
      text: `the token may not read anything: ${reason}`,
      next: `Grant \`${SERIES_PERMISSION}\` and the \`View …\` permissions to the token’s user in the platform’s console: \`edge-exporter doctor\` lists them. The exporter tries again within an hour.`,
    };
  }
  const permitted = whole.seriesPermitted;
  if (ofSeries && permitted === false) {
    return {
      text: `the token lacks the permission ${SERIES_PERMISSION}: ${reason}`,
      next: `Grant \`${SERIES_PERMISSION}\` to the token’s user in the platform’s console. The exporter tries again within an hour.`,
    };
  }
  const grant =
    'Grant the permissions to the token’s user in the platform’s console (`edge-exporter doctor` lists them), or remove these collectors from the configuration.';
  const product = areLists(context)
    ? LISTED_BEFORE
    : permitted === true
      ? `${SERIES_PERMISSION} is granted, since other reads that need it succeed. Does the account have the product? If not, remove it from the configuration.`
      : `Is \`${SERIES_PERMISSION}\` granted to the token’s user? The next polls show it.`;
  return { text: `the token may not read ${named(context)}: ${reason}`, next: ofSeries ? product : grant };
}

function limited(context: Context): Words {
  const { account, whole, now } = context;
  const stopped = account.quota.find(({ stopped_until: until }) => until !== null);
  const until = stopped?.stopped_until ?? null;
  if (stopped === undefined || until === null) {
    if (whole.newestSuccessAt <= whole.newestRefusalAt)
      return { text: 'the platform refuses reads (429)', next: LIMITED };
    return {
      text: `the platform refused ${named(context)} (429)`,
      next: 'It has answered other reads since. The next poll asks again.',
    };
  }
  const unnamed = stopped.limit === null ? ' and names no limit' : '';
  const text = `the platform refuses ${stopped.scope} (429)${unnamed}, next try ${within(until, now)}`;
  return { text, next: LIMITED };
}

/** Returns the texts for late data, or for stretched intervals without late data. */
function quota({ account, covered }: Context): Words {
  if (covered.jobs.length > 0)
    return { text: `polls wait for the quota${othersOf(account)}`, next: shareOf(account) };
  const { stretch, demand_per_minute: demand } = account;
  const planned = `${grouped(demand)} operations a minute are planned. ${PLAN}`;
  return {
    text: `the quota allows polling ${grouped(stretch)} times less often than configured${othersOf(account)}`,
    next: othersPerMinute(account) >= 1 ? OWN_TOKEN : planned,
  };
}

function nothingThere({ account, whole }: Context): Words {
  const { unmatched } = account;
  if (unmatched.length > 0) {
    return {
      text: `the platform has no configuration called ${unmatched.map((name) => `“${name}”`).join(', ')}`,
      next: 'Correct `configurations.include`. Names must match exactly, except for `*`.',
    };
  }
  return {
    text:
      whole.series === 0
        ? 'the platform lists no active configurations to collect'
        : 'all answers of the platform are empty',
    next: 'Check that it is the right account. If there should be traffic, compare with the platform’s console.',
  };
}

function unreadText(unread: number, { jobs, readBy }: Tally, now: number): string {
  const by = readBy > new Date(now).toISOString() ? `, first data expected by ${timeOfDay(readBy, now)}` : '';
  return `not read yet: ${grouped(unread)} of ${grouped(jobs)}${by}`;
}

function nextOfUnread(account: ObservedAccount): string {
  return account.stretch < NOTABLE_STRETCH
    ? 'The first answers take a few seconds, the first data a few minutes.'
    : shareOf(account);
}

/** Returns the texts for counters that lag. Counters that stand still while gauges are current look like a lack of traffic. */
function countersBehind({ whole: { behindBy, late } }: Context): Words {
  const [[worst, seconds] = ['', 0], ...others] = [...behindBy].sort(([, a], [, b]) => b - a);
  const and = others.length === 0 ? '' : ` and ${numberOf(others.length, 'other part')}`;
  const by = `${others.length === 0 ? '' : 'up to '}${duration(seconds)} behind`;
  return {
    text: `counters of ${worst}${and} are ${by}${late === 0 ? ', gauges are in time' : ''}`,
    next: 'The exporter reads what is missing as soon as it can. Until then `increase()` lacks it.',
  };
}

function rowsMissing({ tallies }: Context): Words {
  const shares = Array.from(tallies, ([name, { missingShare = 0 }]) => [name, missingShare] as const)
    .filter(([, share]) => share > TOLERATED_MISSING)
    .sort(([, a], [, b]) => b - a);
  const [[name, share] = ['', 0], ...others] = shares;
  const and = others.length === 0 ? '' : ` and up to that of ${numberOf(others.length, 'other part')}`;
  return {
    text: `${plainShare(share)} of the buckets of ${name}${and} are missing in the platform’s answers`,
    next: 'Counters wait 20 minutes for missing buckets and then continue without them, so sums are too small. Ask the platform’s operator for the rows.',
  };
}

/** Returns the effect of a clock difference on the displayed ages. @param skew platform's clock minus the machine's (s) */
function wrongAges(skew: number): string {
  return skew > 0
    ? 'what is called late may be fresh'
    : `what is called fresh is ${duration(Math.abs(skew))} older`;
}

function platformClock({ account: { clock_skew_seconds: skew } }: Context): Words {
  const apart = duration(Math.abs(skew));
  return {
    text: `the platform’s clock was set ${skew > 0 ? 'forward' : 'back'}: it is ${apart} ${skew > 0 ? 'ahead of' : 'behind'} this machine’s`,
    next: `This machine’s clock ran steadily: leave it, and tell the platform’s operator. The exporter polls and ages data by the platform’s clock: ${wrongAges(skew)}.`,
  };
}

function machineClock({ account: { clock_skew_seconds: skew, clock_moved: moved } }: Context): Words {
  const apart = duration(Math.abs(skew));
  const set = moved === null ? '' : `: it was set ${skew > 0 ? 'back' : 'forward'}`;
  const counters = skew > 0 ? '; new counters start ten minutes late' : '';
  const unless =
    moved === null
      ? ` If this one is right already, the platform’s is wrong, or answers come from a cache: ${wrongAges(skew)}.`
      : '';
  return {
    text: `this machine’s clock is ${apart} ${skew > 0 ? 'behind' : 'ahead of'} the platform’s${set}`,
    next: `Set this machine’s clock (NTP). The exporter polls and ages data by the platform’s clock, so none is lost${counters}.${unless}`,
  };
}

/** Returns the operations per minute of other clients, if the platform's headers show any. */
function othersPerMinute({ quota: scopes }: ObservedAccount): number {
  const shown = scopes.map(({ limit, others_per_minute: others }) =>
    limit === null ? 0 : Math.min(limit, others),
  );
  return Math.round(Math.max(0, ...shown));
}

/** Returns a clause about other clients that spend the quota; empty if there are none. */
function othersOf(account: ObservedAccount): string {
  const others = grouped(othersPerMinute(account));
  return others === '0' ? '' : `; other clients of the token take about ${others} operations a minute`;
}

/** Returns the advice for a quota that does not suffice. */
function shareOf(account: ObservedAccount): string {
  return othersPerMinute(account) >= 1 ? OWN_TOKEN : PLAN;
}

/** Returns the time until an ISO time, such as `in 40 s`. */
function within(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1_000;
  return seconds > 0.5 ? `in ${duration(seconds)}` : 'now';
}

/** Returns the most frequent reason, with the number of other reasons unless more than half of the jobs fail for it. */
function reasonOf({ jobs, kind, failing }: Covered): string {
  const failed = jobs.filter(({ failure }) => failure !== undefined);
  const byReason = groupedBy(failed, ({ job }) => (job.last_reason ?? kind).replace(/\.+$/, ''));
  const [[reason, alike] = ['', []], ...others] = [...byReason].sort(([, a], [, b]) => b.length - a.length);
  return others.length === 0 || alike.length * 2 > failing
    ? reason
    : `${reason}, and for ${numberOf(others.length, 'other reason')}`;
}

/** Returns the metrics of the covered series, one entry for each series, by part. */
function metricsByPart({ jobs }: Pick<Covered, 'jobs'>): Map<string, string[]> {
  const metricsOf = (part: readonly JobFacts[]) => part.flatMap(({ job }) => job.metric ?? []);
  return new Map(
    Array.from(
      groupedBy(jobs, ({ part }) => part),
      ([name, part]) => [name, metricsOf(part)],
    ),
  );
}

/** Returns the metrics of the polled series, by part. */
function polledMetrics({ jobs }: SeenAccount): Map<string, string[]> {
  return metricsByPart({
    jobs: jobs.filter(({ job }) => job.last_outcome !== null && job.metric !== undefined),
  });
}

/** Returns true if a cause covers only lists of configurations, of products whose series are still read. */
function areLists(context: Context): boolean {
  const polled = polledMetrics(context);
  return [...metricsByPart(context.covered)].every(
    ([part, metrics]) => metrics.length === 0 && polled.has(part),
  );
}

/** Names the subject of a cause: parts, a metric of one, its list of configurations, or a share of one. */
function named(context: Context): string {
  const polled = polledMetrics(context);
  const names = Array.from(metricsByPart(context.covered), ([part, metrics]) => {
    const all = polled.get(part) ?? [];
    if (metrics.length === 0 && all.length > 0) return `the list of ${part}`;
    if (metrics.length === 0 || metrics.length === all.length) return part;
    const [metric] = metrics;
    const isAllOfIt = all.filter((other) => other === metric).length === metrics.length;
    return `${isAllOfIt && metrics.every((other) => other === metric) ? metric : 'part'} of ${part}`;
  });
  const [first = '', second, ...others] = names;
  if (second === undefined) return first;
  return others.length === 0 ? `${first} and ${second}` : `${first}, ${second} and ${others.length} more`;
}

/** Returns a count with its noun in singular or plural: `1 other part`, `2 other parts`. */
export function numberOf(count: number, things: string): string {
  return `${grouped(count)} ${things}${count === 1 ? '' : 's'}`;
}
