import type { UnmatchedNames } from '../account/account-targets.ts';
import { partOf } from '../account/job-part.ts';
import { AccountJobs } from '../account/jobs.ts';
import type { Account } from '../configuration/schema.ts';
import { Store } from '../exposition/store.ts';
import { strangenessOf } from '../platform/exchange.ts';
import { type Outcome, PlatformFailure } from '../platform/outcome.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import type { Job } from '../schedule/job.ts';
import type { WindowedAnswer } from '../series/windowed-answer.ts';
import { memoryState } from '../state/state.ts';
import { thriftyRead } from './thrifty-read.ts';

export interface SurveyOptions {
  readonly account: Account;
  readonly platformClock: PlatformClock;
  /** Reads for operations of a group (the first segment of their paths). */
  readonly readFor: (group: string) => Read;
  /** Operations per minute that the exporter may use, on which the cost of some jobs depends; 0 where it is of no interest. */
  readonly allowance?: (group: string) => number;
}

/** What polling a job once has shown. */
export interface Finding {
  readonly job: Job;
  readonly outcome: Outcome;
  /** Why, in plain words, when it failed. */
  readonly reason?: string;
  /** Whether it failed since it was not the platform that answered. */
  readonly strange?: boolean;
  /** Series that the exporter would show from it; absent where the answer does not tell. */
  readonly series?: number;
  /** Start of the newest bucket shown (platform ms). */
  readonly lastBucketAt?: number;
  /** What a read of series brought, where its buckets could be told apart. */
  readonly answer?: WindowedAnswer;
}

/**
 * The jobs that the exporter would have for an account, made by the same code and each polled at most when asked,
 * with nothing kept and nothing shown: what they cost and bring is found out, not guessed.
 */
export class Survey {
  readonly #readFor: (group: string) => Read;
  readonly #store = new Store({ seriesLimit: Number.POSITIVE_INFINITY });
  readonly #jobs: AccountJobs;
  #answer: WindowedAnswer | undefined;

  constructor({ account, platformClock, readFor, allowance = () => 0 }: SurveyOptions) {
    this.#readFor = readFor;
    const observer = {
      entered: (_account: string, _subject: unknown, _entry: unknown, answer: WindowedAnswer) => {
        this.#answer = answer;
      },
      unknownDimensions: () => undefined,
      stateRefused: () => undefined,
      settingChanged: () => undefined,
    };
    this.#jobs = new AccountJobs({
      account,
      store: this.#store,
      state: memoryState(),
      platformClock,
      observer,
      freshUntil: () => Number.POSITIVE_INFINITY,
      allowance,
      onChange: () => undefined,
    });
  }

  /** The jobs wanted as far as is known: lists of configurations first, and more once those were polled. */
  jobs(): readonly Job[] {
    return this.#jobs.jobs().filter(({ schedule }) => schedule !== undefined);
  }

  /** Names of configurations to be read that match none, as far as the lists were polled. */
  unmatched(): readonly UnmatchedNames[] {
    return this.#jobs.unmatched();
  }

  /** Polls a job once. One after another, since what it shows is told by what is shown afterwards. */
  async poll(job: Job, signal: AbortSignal): Promise<Finding> {
    const before = this.#store.seriesCount;
    this.#answer = undefined;
    try {
      const read = this.#readFor(job.group);
      const { outcome, lastBucketAt } = await job.poll(
        partOf(job) === 'settings' ? thriftyRead(read) : read,
        signal,
      );
      for (const _ of this.#store.apply());
      return {
        job,
        outcome,
        series: this.#store.seriesCount - before,
        ...(lastBucketAt !== undefined && { lastBucketAt }),
        ...(this.#answer !== undefined && { answer: this.#answer }),
      };
    } catch (failure) {
      if (!(failure instanceof PlatformFailure)) throw failure;
      const strange = strangenessOf(failure) !== undefined;
      return { job, outcome: failure.outcome, reason: failure.message, strange };
    }
  }
}
