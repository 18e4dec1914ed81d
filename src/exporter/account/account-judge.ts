import type { Sample } from '../catalogue/family.ts';
import {
  EDGE_DATA_AVAILABLE,
  EDGE_MISSING_BUCKETS,
  EDGE_TROUBLE_INFO,
  EDGE_UP,
} from '../catalogue/platform-families.ts';
import { type Clock, Timer } from '../clock.ts';
import { type Judgement, judge, MOST_JUDGED } from '../judgement/judgement.ts';
import type { PollEnd } from '../poll/job.ts';
import { runInSlices } from '../slices.ts';
import type { AccountStatus } from '../status.ts';
import type { AccountView } from './account-status.ts';

interface AccountJudgeOptions {
  readonly clock: Clock;
  readonly status: () => AccountStatus;
  /** Exposes a judgement in place of the one before. */
  readonly expose: (samples: readonly Sample[]) => void;
}

/** Least time (ms) from one judgement to the next: judging takes longer the more jobs there are. */
const SHORTEST_JUDGED_MS = 1_000;
const JUDGED_PER_JOB_MS = 1;

/** Judges an account when that may come to something else than before, and exposes the judgement. */
export class AccountJudge {
  readonly #account: Pick<AccountView, 'name' | 'platform' | 'jobs'>;
  readonly #options: AccountJudgeOptions;
  #stopped = false;
  /** From when on (local ms) the account may be judged again. */
  #judgeFrom = 0;
  readonly #judgeLater: Timer;
  /** Whether a poll that has ended since the account was judged last waits for the next judgement. */
  #isAsked = false;
  #isJudging = false;
  /** Whether the platform answered when the account was judged last, and whether all was well. */
  #judgedUp: boolean | undefined;
  #judgedWell = false;
  #judgement: Judgement | undefined;

  constructor(account: Pick<AccountView, 'name' | 'platform' | 'jobs'>, options: AccountJudgeOptions) {
    this.#account = account;
    this.#options = options;
    this.#judgeLater = new Timer(options.clock, () => this.#judgeSoon());
  }

  /**
   * Judges the account after a poll that may have changed how it is: at once, or, where that was done a moment ago and the
   * platform answers as it did, a moment later, since the polls of thousands of jobs may end one after the other. Where all
   * is well, a poll that ends as the one before changes nothing, unless it shows no newer bucket: then older data may be late.
   */
  polled({ outcome, before, result }: Pick<PollEnd, 'outcome' | 'before' | 'result'>): void {
    const isOther = this.#account.platform.reachability.up !== this.#judgedUp;
    const isOld = result?.buckets !== undefined && result.buckets.newestExposed === undefined;
    if (isOther || isOld || outcome !== before || !this.#judgedWell) this.#judgeSoon(isOther);
  }

  #judgeSoon(atOnce = false): void {
    const { clock } = this.#options;
    if (atOnce || clock.now() >= this.#judgeFrom) void runInSlices(this.judge());
    else {
      this.#isAsked = true;
      this.#judgeLater.set(this.#judgeFrom);
    }
  }

  /** Judges the account, in steps, and exposes the judgement. */
  *judge(): Generator<undefined, void> {
    this.#isAsked = true;
    // Of thousands of jobs it may take longer than until the next is asked for.
    if (this.#isJudging) return;
    this.#isJudging = true;
    try {
      yield* this.#judgeOnce();
    } finally {
      this.#isJudging = false;
    }
    // A poll that ended meanwhile is judged by another.
    if (this.#isAsked && !this.#stopped) this.#judgeSoon();
  }

  *#judgeOnce(): Generator<undefined, void> {
    const { clock, status } = this.#options;
    this.#isAsked = false;
    this.#judgedUp = this.#account.platform.reachability.up;
    const judgedAt = clock.now();
    this.#judgeFrom =
      judgedAt + Math.max(SHORTEST_JUDGED_MS, this.#account.jobs().length * JUDGED_PER_JOB_MS);
    const judgement = yield* this.#unlessStopped(judge(status(), clock.wall()));
    if (judgement === undefined) return;
    this.#judgement = judgement;
    const lacksData = judgement.parts.some(
      ({ product, hasData }) => product !== undefined && hasData === false,
    );
    this.#judgedWell = judgement.state === 'well' && !lacksData;
    this.#options.expose(judgedSamples(this.#account.name, judgement));
    // What is in time becomes late without any poll.
    const lateAt = judgedAt + judgement.tally.lateInSeconds * 1_000 + 1;
    if (Number.isFinite(lateAt) && !this.#stopped) this.#judgeLater.set(Math.max(lateAt, this.#judgeFrom));
  }

  /** What steps come to; undefined once nothing is exposed any more, since the state may be closed by then. */
  *#unlessStopped<T>(steps: Generator<undefined, T>): Generator<undefined, T | undefined> {
    while (!this.#stopped) {
      const step = steps.next();
      if (step.done === true) return step.value;
      yield;
    }
    return undefined;
  }

  /** What was said of the account last, where it has too many jobs to be judged whenever somebody asks. */
  judged(): Judgement | undefined {
    return this.#account.jobs().length > MOST_JUDGED ? this.#judgement : undefined;
  }

  /** Judges no more. */
  stop(): void {
    this.#stopped = true;
    this.#judgeLater.set(Number.POSITIVE_INFINITY);
  }
}

/** The judgement as samples. */
function judgedSamples(account: string, { up, parts, causes }: Judgement): Sample[] {
  const samples: Sample[] = up === null ? [] : [{ family: EDGE_UP, labels: { account }, value: Number(up) }];
  for (const { product, hasData, tally } of parts) {
    if (product === undefined) continue;
    const { missingShare: missing } = tally;
    const labels = { account, product };
    if (missing !== undefined) samples.push({ family: EDGE_MISSING_BUCKETS, labels, value: missing });
    if (hasData === null) continue;
    samples.push({ family: EDGE_DATA_AVAILABLE, labels, value: Number(hasData) });
  }
  for (const cause of new Set(causes.map(({ kind }) => kind)))
    if (cause !== 'first_polls')
      samples.push({ family: EDGE_TROUBLE_INFO, labels: { account, cause }, value: 1 });
  return samples;
}
