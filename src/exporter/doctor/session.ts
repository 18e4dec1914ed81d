import { Connection, credentialsFrom } from '../account/connection.ts';
import { MetadataJob } from '../account/metadata-job.ts';
import type { Clock } from '../clock.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { explore, type Finding, Survey } from '../plan/survey.ts';
import type { Read } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import type { Secret } from '../secret.ts';
import { duration } from '../text/figures.ts';

export interface SessionOptions {
  readonly account: AccountConfig;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly guard: (secret: Secret) => void;
}

/** An account that doctor checks: its connection and its jobs, each polled at most once. */
export class Session {
  readonly account: AccountConfig;
  readonly clock: Clock;
  readonly connection: Connection;
  /** Why the quota ended the reads; empty if it did not. */
  whyUnchecked = '';
  readonly survey: Survey;
  readonly #signal: AbortSignal;

  constructor({ account, clock, signal, guard }: SessionOptions) {
    this.account = account;
    this.clock = clock;
    this.#signal = signal;
    this.connection = new Connection({ account, clock, credentials: credentialsFrom(clock, { guard }) });
    this.survey = new Survey({
      account,
      readFor: (group) => this.#readWithoutWaiting(group),
      scopes: this.connection.platform.scopes,
    });
  }

  /** What the polls have found. */
  get findings(): readonly Finding[] {
    return this.survey.findings;
  }

  /** Names of the product's configurations to be read that match none of its list. */
  unmatched({ group, subject: { product } }: Job): readonly string[] {
    const listing = this.survey
      .listings()
      .find(({ product: { api, slug } }) => api === group && slug === product);
    return listing?.unmatched ?? [];
  }

  /**
   * Polls a job of each kind: lists of configurations first, since others follow from them.
   * @param isTelling true for answers that show what answers
   * @param isFinal true for a first telling answer after which nothing else is asked
   * @returns the first telling answer
   */
  async pollAll(
    isTelling: (finding: Finding) => boolean,
    isFinal: (first: Finding) => boolean,
  ): Promise<Finding | undefined> {
    let told: Finding | undefined;
    const common = {
      signal: this.#signal,
      settingsSample: 1,
      attempts: 1,
      isFinal: (finding: Finding) => {
        if (told !== undefined || !isTelling(finding)) return false;
        told = finding;
        return isFinal(finding);
      },
    };
    const isMetadata = (job: Job) => job instanceof MetadataJob;
    try {
      const parts = ['discovery', 'series', 'settings'] as const;
      const final = await explore(this.survey, { ...common, parts, isWanted: (job) => !isMetadata(job) });
      // Last, since it brings metrics to try, which a product need not have.
      if (final === undefined)
        await explore(this.survey, { ...common, parts: ['discovery'], isWanted: isMetadata });
    } catch (error) {
      if (!(error instanceof QuotaUsedUp)) throw error;
      this.whyUnchecked = error.message;
    }
    return told;
  }

  /** doctor does not wait for quota: it skips what the quota does not allow now. */
  #readWithoutWaiting(usual: string): Read {
    return (resource, signal, group = usual) => {
      const { name, limiter } = this.connection.platform.scopes.of(group);
      const now = this.clock.now();
      const wait = usedUpForMs(limiter, now);
      if (wait > 0) return Promise.reject(new QuotaUsedUp(usedUp(name, wait, now)));
      return this.connection.operations.readAtOnce(resource(), signal);
    };
  }
}

/** An operation that the quota does not allow now; the message says until when. */
class QuotaUsedUp extends Error {
  override readonly name = 'QuotaUsedUp';
}

/** Share of the reserve that doctor leaves to others, beside a running exporter. */
const RESERVE_LEFT = 0.25;

/** Milliseconds for which a scope has nothing left for an examination; 0 when it has. @param now local ms */
export function usedUpForMs(limiter: LimitScope['limiter'], now: number): number {
  const stopped = limiter.stoppedUntil(now);
  if (stopped !== undefined) return stopped - now;
  const { remaining, closesAt } = limiter.openWindow(now) ?? {};
  if (remaining === undefined || closesAt === undefined || limiter.limit === undefined) return 0;
  return remaining > Math.floor((limiter.limit - limiter.allowance) * RESERVE_LEFT) ? 0 : closesAt - now;
}

/** Why an operation cannot leave now, and until when. @param waitMs until it may @param now local ms */
export function usedUp(scope: string, waitMs: number, now: number): string {
  const until = new Date(now + waitMs).toISOString().slice(11, 19);
  return `the quota of ${scope} is used up until ${until} UTC, for ${duration(Math.max(1, waitMs / 1_000))}`;
}
