import type { FailureOutcome } from '../platform/read.ts';
import type { AccountStatus, JobStatus } from '../status.ts';
import { duration, grouped, timeOfDay } from '../text/figures.ts';
import { type Cause, type CauseKind, Covered } from './covered.ts';
import {
  behind,
  clockCause,
  NOTABLE_STRETCH,
  nothingThere,
  notReadYet,
  othersOf,
  rowsMissing,
  shareOf,
  stretched,
  within,
} from './quiet-causes.ts';
import { nextWhenRefused } from './refused-credentials.ts';
import { count, isWithinQuota, type JobFacts, type Sum, type Tally, TOLERATED_SECONDS } from './tally.ts';

type Words = Pick<Cause, 'text' | 'next'>;

/** What the specification calls the permission to read series and lists of configurations (section 5). */
const SERIES_PERMISSION = 'Analytics';

/** A refusal does not prove who has spent what. */
const LIMITED =
  'Requests leave again when the platform allows them. If it lasts, look for other clients of this token, or give the exporter a token of its own.';

const FIND_OUT =
  '`edge-exporter doctor` finds where it breaks: name, network, proxy, TLS or address. Polling goes on.';

const LISTED_BEFORE =
  'Configurations that were listed before are read on; new ones are missing until the list can be read again.';

const WRONG_PATH = 'Check the path in `api_url`: whatever is asked below it is answered with 404.';

const NOT_THERE = 'If the account does not have it, leave it out of the configuration.';

const WAS_THERE =
  'It was read before: unless it has been deleted, the platform is at fault. It is asked for again by itself, at the latest after an hour.';

const PLATFORM_AT_FAULT =
  'The platform is at fault: see its status page. Polling goes on, and counters catch up on what they missed.';

/** What to do about an account that is down, by how most of its polls fail. */
function nextWhenDown(credentials: AccountStatus['credentials']): Partial<Record<FailureOutcome, string>> {
  return { unauthorized: nextWhenRefused(credentials), server_error: PLATFORM_AT_FAULT };
}

/** How polls fail where nothing of an account is served: a path or a permission may be missing besides. */
const OF_THE_WHOLE = ['unauthorized', 'server_error', 'network', 'timeout', 'rate_limited'] as const;

/** Causes whose words have figures or times in them, and say the same of all accounts. */
const TIMED: ReadonlySet<CauseKind> = new Set(['rate_limited', 'quota', 'platform_late', 'exporter_late']);

/** What concerns everything comes first, then what is refused, then what is late. */
const ORDER: readonly CauseKind[] = [
  'unauthorized',
  'rate_limited',
  'network',
  'timeout',
  'server_error',
  'forbidden',
  'not_found',
  'not_acceptable',
  'undecodable',
  'quota',
  'platform_late',
  'exporter_late',
];

/** What is wrong with an account, found while its jobs are looked at. */
export class Causes {
  /** Whether the platform refuses a scope of its limits (429). */
  readonly isStopped: boolean;
  readonly #account: AccountStatus;
  readonly #whole: Sum;
  readonly #now: number;
  /** When the newest poll began that the limit refused (429); empty where none was. */
  readonly #refusedAt: string;
  readonly #covered = new Map<CauseKind, Covered>();
  /** How many series each part has that were asked for, and each metric of it. */
  readonly #series = new Map<string, number>();
  #hasProducts = false;

  /** @param whole adds up the same jobs @param refusedAt when the newest poll began that the limit refused (429) */
  constructor(account: AccountStatus, whole: Sum, refusedAt: string, now: number) {
    this.#account = account;
    this.#whole = whole;
    this.#now = now;
    this.#refusedAt = refusedAt;
    this.isStopped = account.quota.some(({ stopped_until: until }) => until !== null);
  }

  take(facts: JobFacts): void {
    const { job, part } = facts;
    this.#hasProducts ||= job.product !== undefined;
    if (job.metric !== undefined && job.last_outcome !== null) {
      count(this.#series, part);
      count(this.#series, `${job.metric} of ${part}`);
    }
    const kind = facts.failure ?? (facts.late ? this.#lateBecause(facts.job) : undefined);
    if (kind === undefined) return;
    const covered = this.#covered.get(kind) ?? new Covered(kind);
    this.#covered.set(kind, covered);
    covered.take(facts);
  }

  /** All that is wrong, of the account and of its parts, what explains more before what explains less. */
  found(up: boolean | null, parts: ReadonlyMap<string, Tally>): Cause[] {
    if (this.#account.up === false) return [this.#down()];
    if (this.isStopped && !this.#covered.has('rate_limited'))
      this.#covered.set('rate_limited', new Covered('rate_limited'));
    const covering = [...this.#covered.values()]
      .sort((a, b) => this.#rank(a) - this.#rank(b) || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
      .map((covered) => {
        const words = this.#words(covered, up === false);
        return {
          kind: covered.kind,
          ...words,
          ...(!TIMED.has(covered.kind) && { alike: words.text }),
          symptoms: this.#symptoms(covered),
          jobs: covered.jobs,
        };
      });
    const { late, unread } = this.#whole;
    const seen = {
      account: this.#account,
      whole: this.#whole,
      now: this.#now,
      hasProducts: this.#hasProducts,
    };
    const missing = rowsMissing(parts);
    const isOfTraffic = [...this.#covered.values()].some((covered) => this.#ofTraffic(covered));
    return [
      ...(isOfTraffic ? [] : nothingThere(seen)),
      ...(unread > late ? notReadYet(seen) : []),
      ...(late > 0 ? covering : []),
      ...(unread > late ? [] : notReadYet(seen)),
      ...missing,
      ...behind(this.#whole),
      ...(late > 0 ? [] : covering),
      ...(this.#covered.has('quota') || this.isStopped ? [] : stretched(this.#account)),
      ...clockCause(this.#account),
    ];
  }

  /** What makes most of what is late comes before what makes some of it, and before what makes nothing late. */
  #rank(covered: Covered): number {
    if (covered.late * 2 > this.#whole.late) return 0;
    return covered.late > 0 ? 1 : this.#ofTraffic(covered) ? 2 : 3;
  }

  /** Whether it may be why traffic is missing: settings that cannot be read are not. */
  #ofTraffic({ jobs, ofProducts }: Covered): boolean {
    return jobs === 0 || ofProducts || !this.#hasProducts;
  }

  /** Whether it covers lists of configurations alone, whose series are read nevertheless. */
  #isOfLists({ parts }: Covered): boolean {
    return [...parts].every(([part, metrics]) => metrics.length === 0 && this.#series.has(part));
  }

  /** What a cause covers: parts, a metric of one, its list of configurations, or that it is not all of a part. */
  #named({ parts }: Covered): string {
    const names = Array.from(parts, ([part, metrics]) => {
      if (metrics.length === 0 && this.#series.has(part)) return `the list of ${part}`;
      if (metrics.length === 0 || metrics.length === this.#series.get(part)) return part;
      const [metric] = metrics;
      const isAllOfIt = this.#series.get(`${metric} of ${part}`) === metrics.length;
      return `${isAllOfIt && metrics.every((other) => other === metric) ? metric : 'part'} of ${part}`;
    });
    return listed(names);
  }

  /** Who makes a job late whose last poll did not fail. */
  #lateBecause(job: JobStatus): CauseKind {
    const { state, waits_for: waitsFor, interval_seconds: interval, last_success_at: success } = job;
    if (this.isStopped || waitsFor === 'rate_limited') return 'rate_limited';
    if (waitsFor === 'unauthorized') return 'unauthorized';
    if (waitsFor === 'slow_api') return 'platform_late';
    // A poll that has just become due makes nothing late, and one that the platform refused until now is not our fault.
    const graceMs = 1_000 * ((interval ?? 0) + TOLERATED_SECONDS);
    const isOverdue = this.#now - Date.parse(success ?? '') > graceMs;
    if (isOverdue && this.#now - Date.parse(this.#refusedAt) < graceMs) return 'rate_limited';
    const waitsForQuota = waitsFor === 'probe' || waitsFor === 'spent' || waitsFor === 'reserved';
    const isStretched = isWithinQuota(job) || this.#account.stretch >= NOTABLE_STRETCH;
    if ((waitsForQuota && isOverdue) || isStretched) return 'quota';
    return state !== 'idle' && isOverdue ? 'exporter_late' : 'platform_late';
  }

  /** Nothing of the account is served. */
  #down(): Cause {
    const { note, up_since: since, next_try_at: next } = this.#account;
    const failures = OF_THE_WHOLE.flatMap((kind) => this.#covered.get(kind) ?? []);
    const worst = failures.sort((a, b) => b.failing - a.failing)[0]?.kind;
    const failure = OF_THE_WHOLE.find((outcome) => outcome === worst);
    const tried = next === null ? 'being tried now' : `next try ${within(next, this.#now)}`;
    const nextSteps = nextWhenDown(this.#account.credentials);
    return {
      kind: failure !== undefined && failure in nextSteps ? failure : 'unreachable',
      alike: note,
      text: `${note} (${since === null ? '' : `since ${timeOfDay(since, this.#now)}, `}${tried})`,
      next: (failure && nextSteps[failure]) ?? FIND_OUT,
      symptoms: this.#symptoms(this.#whole),
      jobs: this.#whole.jobs,
    };
  }

  #symptoms({ failing, late, oldestSeconds = 0 }: Pick<Sum, 'failing' | 'late' | 'oldestSeconds'>): string[] {
    const all = `${grouped(this.#whole.jobs)} jobs`;
    const fail = `${grouped(failing)} of ${all} ${failing === 1 ? 'fails' : 'fail'}`;
    const old = `${grouped(late)} of ${all} show data older than expected, up to ${duration(oldestSeconds)}`;
    return [...(failing === 0 ? [] : [fail]), ...(late === 0 ? [] : [old])];
  }

  /** @param none whether no read succeeds at all */
  #words(covered: Covered, none: boolean): Words {
    const { kind, reason } = covered;
    switch (kind) {
      case 'rate_limited':
        return this.#limited(covered);
      case 'forbidden':
        return this.#forbidden(covered);
      case 'not_found':
        return none && covered.failing === this.#whole.failing
          ? {
              text: `nothing is found at this address: ${reason}`,
              next: covered.hadData ? WAS_THERE : WRONG_PATH,
            }
          : {
              text: `the platform does not know ${this.#named(covered)}: ${reason}`,
              next: this.#isOfLists(covered) ? LISTED_BEFORE : covered.hadData ? WAS_THERE : NOT_THERE,
            };
      case 'unauthorized':
        return {
          text: `the platform refuses the token${reason === '' ? '' : `: ${reason}`}`,
          next: nextWhenRefused(this.#account.credentials),
        };
      case 'quota':
        return { text: `the quota makes polls wait${othersOf(this.#account)}`, next: shareOf(this.#account) };
      case 'platform_late':
        return {
          text: 'the platform is late',
          next: 'Polls succeed, and the platform has nothing newer yet, or takes long for its answers: counters catch up when it has.',
        };
      case 'exporter_late':
        return {
          text: 'this exporter does not keep up',
          next: 'The list of jobs says what each waits for; more CPU, or a higher `request.concurrency`, may help.',
        };
      case 'server_error':
        return {
          text: `the platform fails to answer for ${this.#named(covered)}: ${reason}`,
          next: PLATFORM_AT_FAULT,
        };
      default:
        return { text: `${this.#named(covered)} cannot be read: ${reason}`, next: FIND_OUT };
    }
  }

  #forbidden(covered: Covered): Words {
    const { reason, ofSeries, failing } = covered;
    if (failing === this.#whole.polled && !ofSeries)
      return {
        text: `the token may not read anything: ${reason}`,
        next: `Grant \`${SERIES_PERMISSION}\` and the \`View …\` permissions to the token’s user in the platform’s console: \`edge-exporter doctor\` lists them. Within an hour everything is tried again.`,
      };
    const permitted = this.#whole.seriesPermitted;
    if (ofSeries && permitted === false)
      return {
        text: `the token lacks the permission ${SERIES_PERMISSION}: ${reason}`,
        next: `Grant \`${SERIES_PERMISSION}\` to the token’s user in the platform’s console: within an hour the reads are tried again by themselves.`,
      };
    const grant =
      'Grant the permissions to the token’s user in the platform’s console (`edge-exporter doctor` lists all that are missing), or leave these collectors out of the configuration.';
    const product = this.#isOfLists(covered)
      ? LISTED_BEFORE
      : permitted === true
        ? `${SERIES_PERMISSION} is granted, since other reads that need it are answered: does the account have the product? If not, leave it out of the configuration.`
        : `Is \`${SERIES_PERMISSION}\` granted to the token’s user? The next polls show it.`;
    return {
      text: `the token may not read ${this.#named(covered)}: ${reason}`,
      next: ofSeries ? product : grant,
    };
  }

  #limited(covered: Covered): Words {
    const stopped = this.#account.quota.find(({ stopped_until: until }) => until !== null);
    const until = stopped?.stopped_until ?? null;
    if (stopped === undefined || until === null) {
      const isOver = this.#whole.newestSuccessAt > this.#refusedAt;
      const text = isOver
        ? `the platform refused ${this.#named(covered)} (429)`
        : 'the platform refuses reads (429)';
      return {
        text,
        next: isOver ? 'Since then it has answered others: the next poll asks again.' : LIMITED,
      };
    }
    const unnamed = stopped.limit === null ? ' and names no limit' : '';
    const text = `the platform refuses ${stopped.scope} (429)${unnamed}, next try ${within(until, this.#now)}`;
    return { text, next: LIMITED };
  }
}

/** A few names, or how many there are. */
function listed(names: readonly string[]): string {
  const [first = '', second, ...others] = names;
  if (second === undefined) return first;
  return others.length === 0 ? `${first} and ${second}` : `${first}, ${second} and ${others.length} more`;
}
