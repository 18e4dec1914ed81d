import type { AccountStatus, JobStatus } from '../status.ts';
import { duration } from '../text/figures.ts';
import { Causes } from './causes.ts';
import type { Cause } from './covered.ts';
import { factsOf, later, Sum, type Tally } from './tally.ts';

/**
 * How an account is:
 * - `starting`: the first polls are under way, and nothing has failed,
 * - `no_data`: nothing that is configured has ever brought data,
 * - `down`: there was data, and now no read succeeds,
 * - `late`: gauges or counters are older than expected,
 * - `partly_missing`: most of what is not in time has never been read, or answers lack buckets,
 * - `partly_failing`: some jobs fail, and what is shown is in time,
 * - `well`.
 */
export const ACCOUNT_STATES = [
  'no_data',
  'down',
  'late',
  'partly_missing',
  'partly_failing',
  'starting',
  'well',
] as const;

export type AccountState = (typeof ACCOUNT_STATES)[number];

/** The jobs of one part of an account, which is a product, or a collector where that knows no products. */
export interface PartJudgement {
  readonly name: string;
  readonly product: string | undefined;
  readonly collector: string;
  /** Whether all of it was read, and most is in time; `null` where the platform says that the account has nothing of the kind. */
  readonly hasData: boolean | null;
  readonly tally: Tally;
}

/** What is known of an account says this of it, at one moment. */
export interface Judgement {
  readonly state: AccountState;
  /** Whether the platform answers reads of the account; `null` before the first poll has ended. This is `edge_up`. */
  readonly up: boolean | null;
  /** How it is, as what is said of the account: `has no data yet: the platform refuses reads (429)`. */
  readonly says: string;
  /** The worst first; the first explains the state. Of an account that is well there may be some worth knowing. */
  readonly causes: readonly Cause[];
  readonly tally: Tally;
  readonly parts: readonly PartJudgement[];
}

/** An account of more jobs is judged every minute, and not whenever somebody asks. */
export const MOST_JUDGED = 10_000;

/** What was said of such an account last, by the status that stands for it. */
const said = new WeakMap<AccountStatus, Judgement>();

/** The status, of which nothing else is said than was last, if anything was. */
export function judgedBefore(account: AccountStatus, judgement: Judgement | undefined): AccountStatus {
  if (judgement !== undefined) said.set(account, judgement);
  return account;
}

/** A refusal by the limit (429) concerns all jobs, once none has succeeded for this long (ms) before it. */
const REFUSED_FOR_MS = 90_000;

/**
 * What an account's status says of it at `now` (ms since the epoch), in small steps: each job is looked at twice, since who is to blame for one may show in another. Everything
 * that says how an account is takes it from here: `edge_up`, `edge_data_available`, readiness, the page, `/api/v1/status`.
 */
export function* judge(account: AccountStatus, now: number): Generator<undefined, Judgement> {
  const before = said.get(account);
  if (before !== undefined) return before;
  let refusedAt = '';
  const jobs: JobStatus[] = [];
  for (const job of account.jobs) {
    jobs.push(job);
    // Its times are written out when they are asked for: only those of refused ones are.
    if (job.last_outcome === 'rate_limited') refusedAt = later(refusedAt, job.last_polled_at ?? '');
    yield;
  }
  const seen = new SeenAccount(account, refusedAt, now);
  for (const job of jobs) {
    seen.take(job);
    yield;
  }
  return seen.judgement();
}

/** An account whose jobs are being looked at. */
class SeenAccount {
  readonly #account: AccountStatus;
  readonly #whole = new Sum();
  readonly #parts = new Map<string, { readonly first: JobStatus; readonly sum: Sum }>();
  readonly #causes: Causes;

  constructor(account: AccountStatus, refusedAt: string, now: number) {
    this.#account = account;
    this.#causes = new Causes(account, this.#whole, refusedAt, now);
  }

  take(job: JobStatus): void {
    const facts = factsOf(job);
    const { part: name } = facts;
    const part = this.#parts.get(name) ?? { first: job, sum: new Sum() };
    this.#parts.set(name, part);
    this.#whole.take(facts);
    part.sum.take(facts);
    this.#causes.take(facts);
  }

  judgement(): Judgement {
    const up = this.#up();
    const sums = new Map(Array.from(this.#parts, ([name, { sum }]) => [name, sum]));
    const causes = this.#causes.found(up, sums);
    const state = this.#state(up, causes);
    const parts = Array.from(this.#parts, ([name, { first, sum }]) => ({
      name,
      product: first.product,
      collector: first.collector,
      hasData: this.#hasData(sum, first.product),
      tally: sum,
    }));
    return { state, up, says: this.#says(state, causes), causes, tally: this.#whole, parts };
  }

  /** A permission or a path may be missing for a part: only where no job's last poll succeeded, the account is down. */
  #up(): boolean | null {
    const { up } = this.#account;
    const { polled, failing, newestSuccessAt, newestRefusalAt } = this.#whole;
    if (up !== true) return up;
    if (polled === 0) return null;
    if (failing === polled) return false;
    return !(Date.parse(newestRefusalAt) - Date.parse(newestSuccessAt) > REFUSED_FOR_MS);
  }

  #state(up: boolean | null, causes: readonly Cause[]): AccountState {
    const { hadData, late, behind, failing, unread } = this.#whole;
    if (!hadData) return causes[0]?.kind === 'first_polls' ? 'starting' : 'no_data';
    if (up === false) return 'down';
    if (unread > late) return 'partly_missing';
    if (late > 0 || behind > 0) return 'late';
    const lacksRows = causes.some(({ kind }) => kind === 'rows_missing');
    if (unread > 0 || lacksRows) return 'partly_missing';
    return failing > 0 || this.#causes.isStopped ? 'partly_failing' : 'well';
  }

  #says(state: AccountState, causes: readonly Cause[]): string {
    const [text] = causes.map((cause) => cause.text);
    const { oldestSeconds, hadSettings, late } = this.#whole;
    const because = text === undefined ? '' : `: ${text}`;
    switch (state) {
      case 'well': {
        const oldest =
          oldestSeconds === undefined ? '' : `: the oldest data is ${duration(oldestSeconds)} old`;
        return `is fresh${oldest}${text === undefined ? '' : `; ${text}`}`;
      }
      case 'starting':
        return `is starting${because}`;
      case 'no_data':
        return `has no ${hadSettings ? 'traffic ' : ''}data yet${because}`;
      case 'down':
        return `is down${because}`;
      case 'late':
        return late > 0
          ? `shows data up to ${duration(oldestSeconds ?? 0)} old${because}`
          : `is behind${because}`;
      case 'partly_missing':
        return `is read in part${because}`;
      case 'partly_failing':
        return `is fresh in part${because}`;
    }
  }

  #hasData(
    { inTime, late, oldestSeconds, jobs, empty, unknown, series, failing, unreadSeries }: Sum,
    product: string | undefined,
  ): boolean | null {
    if (unreadSeries > 0 || late > inTime) return false;
    if (inTime > 0) return true;
    // Its list was read, and nothing on it has series to be read.
    if (product !== undefined && series === 0 && failing === 0) return null;
    // That something is not found proves nothing where nothing is.
    const isAbsent = empty === jobs || (empty + unknown === jobs && this.#whole.found > 0);
    return isAbsent && oldestSeconds === undefined ? null : false;
  }
}
