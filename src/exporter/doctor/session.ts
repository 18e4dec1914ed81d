import type { Listing } from '../account/account-targets.ts';
import { Connection, credentialsFrom } from '../account/connection.ts';
import { partOf } from '../account/jobs.ts';
import type { SeriesApi } from '../catalogue/products.ts';
import type { Clock } from '../clock.ts';
import type { Account } from '../configuration/schema.ts';
import { type Finding, Survey } from '../plan/survey.ts';
import type { Read } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import type { Secret } from '../secret.ts';
import type { Chosen } from '../series/source-choice.ts';
import { usedUp, usedUpForMs } from './answer-steps.ts';

export interface SessionOptions {
  readonly account: Account;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly guard: (secret: Secret) => void;
}

/** An account that doctor checks: its connection and its jobs, each polled at most once. */
export class Session {
  readonly account: Account;
  readonly clock: Clock;
  readonly connection: Connection;
  readonly findings: Finding[] = [];
  readonly #survey: Survey;
  readonly #signal: AbortSignal;

  constructor({ account, clock, signal, guard }: SessionOptions) {
    this.account = account;
    this.clock = clock;
    this.#signal = signal;
    this.connection = new Connection({ account, clock, credentials: credentialsFrom(clock, { guard }) });
    this.#survey = new Survey({
      account,
      readFor: (group) => this.#readWithoutWaiting(group),
      scopes: this.connection.platform.scopes,
    });
  }

  jobs(): readonly Job[] {
    return this.#survey.jobs();
  }

  /** Names of the product's configurations to be read that match none of its list. */
  unmatched({ group, subject: { product } }: Job): readonly string[] {
    const listing = this.listings().find(({ product: { api, slug } }) => api === group && slug === product);
    return listing?.unmatched ?? [];
  }

  /** Products that are configured: how many lists were tried, and which of them are not available. */
  listings(): readonly Listing[] {
    return this.#survey.listings();
  }

  /** Which source the series of an API are read by, as far as what was polled shows, and why. */
  sourceOf(api: SeriesApi): Chosen {
    return this.#survey.sourceOf(api);
  }

  /** The job whose first read shows most: a list, else settings, else series. */
  firstJob(): Job | undefined {
    const jobs = this.jobs();
    const first = (part: ReturnType<typeof partOf>) => jobs.find((job) => partOf(job) === part);
    return first('discovery') ?? first('settings') ?? first('series');
  }

  /** What a poll of the job found, now or before; why it cannot be polled, where the quota is used up. */
  async poll(job: Job): Promise<Finding | string> {
    const known = this.findings.find((finding) => finding.job === job);
    if (known !== undefined) return known;
    try {
      const finding = await this.#survey.poll(job, this.#signal);
      this.findings.push(finding);
      return finding;
    } catch (error) {
      if (error instanceof QuotaUsedUp) return error.message;
      throw error;
    }
  }

  /** doctor does not wait for quota: it skips what the quota does not allow now. */
  #readWithoutWaiting(usual: string): Read {
    return (resource, signal, group = usual) => {
      const { name, limiter } = this.connection.platform.scopes.of(group);
      const now = this.clock.now();
      const wait = usedUpForMs(limiter, now);
      if (wait > 0) return Promise.reject(new QuotaUsedUp(usedUp(name, wait, now)));
      return this.connection.readAtOnce(resource(), signal);
    };
  }
}

/** An operation that the quota does not allow now; the message says until when. */
class QuotaUsedUp extends Error {
  override readonly name = 'QuotaUsedUp';
}
