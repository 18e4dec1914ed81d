import type { FailureOutcome } from '../platform/read.ts';
import type { AccountStatus, JobStatus } from '../status.ts';
import { duration, grouped, timeOfDay } from '../text/figures.ts';
import { type CauseKind, Covered, numberOf } from './covered.ts';
import { nextWhenRefused } from './refused-credentials.ts';
import { count, greatestFirst, type JobFacts, type Sum, TOLERATED_SECONDS } from './tally.ts';

/** Something that is wrong, or worth knowing, with what it explains. Backticks mark what is typed as it is. */
export interface Cause {
  readonly kind: CauseKind;
  /** As a clause. */
  readonly text: string;
  /** What to do next, in sentences. */
  readonly next: string;
  /** What follows from it, as clauses. */
  readonly symptoms: readonly string[];
  /** Jobs that it covers. */
  readonly jobs: number;
}

type Words = Pick<Cause, 'text' | 'next'>;

/** From here on a difference of the clocks (s) is an operator's business. */
const CLOCK_SKEW_SECONDS = 30;

/** Intervals are reported when they are this many times as long as planned. */
const NOTABLE_STRETCH = 1.5;

/** What the specification calls the permission to read series and lists of configurations (section 5). */
const SERIES_PERMISSION = 'Analytics';

const OWN_TOKEN =
  'Others use up the quota of this token: give the exporter a token of its own, or leave more to them with `quota.reserve`.';

/** A refusal does not prove who has spent what. */
const LIMITED =
  'Requests leave again when the platform allows them. If it lasts, look for other clients of this token, or give the exporter a token of its own.';

const PLAN = '`edge-exporter plan` shows what the quota is used for, and what would help.';

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

  /** All that is wrong, what explains more before what explains less. */
  found(up: boolean | null): Cause[] {
    if (this.#account.up === false) return [this.#down()];
    if (this.isStopped && !this.#covered.has('rate_limited'))
      this.#covered.set('rate_limited', new Covered('rate_limited'));
    const covering = [...this.#covered.values()]
      .sort((a, b) => this.#rank(a) - this.#rank(b) || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
      .map((covered) => ({
        kind: covered.kind,
        ...this.#words(covered, up === false),
        symptoms: this.#symptoms(covered),
        jobs: covered.jobs,
      }));
    return [
      ...([...this.#covered.values()].some((covered) => this.#ofTraffic(covered))
        ? []
        : this.#nothingThere()),
      ...(this.#whole.late > 0 ? covering : []),
      ...this.#behind(),
      ...(this.#whole.late > 0 ? [] : covering),
      ...this.#stretched(),
      ...this.#clock(),
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
    if ((waitsForQuota && isOverdue) || this.#account.stretch >= NOTABLE_STRETCH) return 'quota';
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
        return { text: `the quota makes polls wait${this.#others}`, next: this.#share };
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

  /** Operations a minute of other clients, as far as the platform's headers show any. */
  get #othersPerMinute(): number {
    const shown = this.#account.quota.map(({ limit, others_per_minute: others }) =>
      limit === null ? 0 : Math.min(limit, others),
    );
    return Math.round(Math.max(0, ...shown));
  }

  /** Who else spends the quota. */
  get #others(): string {
    const others = grouped(this.#othersPerMinute);
    return others === '0' ? '' : `; other clients of the token take about ${others} operations a minute`;
  }

  get #share(): string {
    return this.#othersPerMinute >= 1 ? OWN_TOKEN : PLAN;
  }

  /** Nothing fails, and there is no data: either not yet, or the platform has none. Settings are no traffic. */
  #nothingThere(): Cause[] {
    const { hadData, pending, jobs, series } = this.#whole;
    const { up, note, unmatched, stretch } = this.#account;
    if (hadData && (series > 0 || !this.#hasProducts)) return [];
    const rest = { symptoms: [], jobs };
    if (pending > 0 || jobs === 0) {
      const unanswered = `the platform has not answered yet${note === '' ? '' : `: ${note}`}`;
      const text =
        up === null ? unanswered : `${grouped(jobs - pending)} of ${grouped(jobs)} first polls are done`;
      const next =
        stretch < NOTABLE_STRETCH
          ? 'The first answers take a few seconds, the first data a few minutes.'
          : this.#share;
      return [{ kind: 'first_polls', text, next, ...rest }];
    }
    if (unmatched.length > 0) {
      const text = `the platform has no configuration called ${unmatched.map((name) => `“${name}”`).join(', ')}`;
      const next = 'Correct `configurations.include`: names are compared exactly, apart from `*`.';
      return [{ kind: 'nothing_there', text, next, ...rest }];
    }
    const text =
      series === 0
        ? 'the platform lists no active configurations of what is collected'
        : 'the platform answers every read, with nothing in it';
    const next =
      'Is it the right account? If there should be traffic, compare with what the platform’s console shows.';
    return [{ kind: 'nothing_there', text, next, ...rest }];
  }

  /** Counters that stand still while gauges are in time look like no traffic at all. */
  #behind(): Cause[] {
    const { behind, behindBy, late } = this.#whole;
    const [worst, ...others] = greatestFirst(behindBy);
    if (worst === undefined) return [];
    const and = others.length === 0 ? '' : ` and ${numberOf(others.length, 'other part')}`;
    const by = `${others.length === 0 ? '' : 'up to '}${duration(behindBy.get(worst) ?? 0)} behind`;
    const text = `counters of ${worst}${and} are ${by}${late === 0 ? ', gauges are in time' : ''}`;
    const next = 'What is missing is read again as soon as it can be: until then `increase()` lacks it.';
    return [{ kind: 'counters_behind', text, next, symptoms: [], jobs: behind }];
  }

  /** The quota stretches intervals, and nothing is late of it. */
  #stretched(): Cause[] {
    const { stretch, demand_per_minute: demand } = this.#account;
    if (this.#covered.has('quota') || this.isStopped || stretch < NOTABLE_STRETCH) return [];
    const text = `the quota suffices for intervals ${grouped(stretch)} times as long as planned${this.#others}`;
    const planned = `${grouped(demand)} operations a minute are planned: ${PLAN}`;
    const next = this.#othersPerMinute >= 1 ? OWN_TOKEN : planned;
    return [{ kind: 'quota', text, next, symptoms: [], jobs: 0 }];
  }

  #clock(): Cause[] {
    const { clock_skew_seconds: skew } = this.#account;
    if (Math.abs(skew) < CLOCK_SKEW_SECONDS) return [];
    const apart = duration(Math.abs(skew));
    const text = `this machine’s clock is ${apart} ${skew > 0 ? 'behind' : 'ahead of'} the platform’s`;
    const wrong = skew > 0 ? 'what is called late may be fresh' : `what is called fresh is ${apart} older`;
    const counters = skew > 0 ? '; new counters wait ten minutes, until it is sure' : '';
    const next = `Set this machine’s clock (NTP). Data is polled and aged by the platform’s clock, so none is lost${counters}. If this one is right already, the platform’s is wrong, or answers come from a cache: ${wrong}.`;
    return [{ kind: 'clock', text, next, symptoms: [], jobs: 0 }];
  }
}

/** A few names, or how many there are. */
function listed(names: readonly string[]): string {
  const [first = '', second, ...others] = names;
  if (second === undefined) return first;
  return others.length === 0 ? `${first} and ${second}` : `${first}, ${second} and ${others.length} more`;
}

/** `in 40 s`, of an ISO time. */
function within(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1_000;
  return seconds > 0.5 ? `in ${duration(seconds)}` : 'now';
}
