import type { Family, Labels, Sample } from '../catalogue/family.ts';
import {
  BUCKET_COMPLETENESS_RATIO,
  COUNTERS_CATCHING_UP,
  EDGE_ACCOUNT_INFO,
  EDGE_DATA_AVAILABLE,
  EDGE_EXPECTED_AGE,
  EDGE_RATELIMIT_LIMIT,
  EDGE_RATELIMIT_REMAINING,
  EDGE_RATELIMIT_RESET_TIMESTAMP,
  EDGE_SOURCE_INFO,
  EDGE_TOKEN_EXPIRY_TIMESTAMP,
  EDGE_TROUBLE_INFO,
  EDGE_UP,
  PRODUCT_LISTED,
  PUBLISH_DELAY_SECONDS,
  SETTLE_DELAY_SECONDS,
  UNMATCHED_CONFIGURATIONS,
  UNREAD_CONFIGURATIONS,
  UPWARD_RESTATEMENT_RATIO,
} from '../catalogue/platform-families.ts';
import { type Clock, Timer, wallAt } from '../clock.ts';
import { hasWhole } from '../cluster/shard.ts';
import { type Judgement, judge, MOST_JUDGED } from '../judgement/judgement.ts';
import type { Job, JobSubject, PollEnd } from '../poll/job.ts';
import type { SeriesJob } from '../series/series-job.ts';
import { completeByMinute } from '../settling/completeness.ts';
import { type DelaySettings, delaysOf, type MetricMemory, upwardShare } from '../settling/learned.ts';
import type { LearnedMetric } from '../settling/learned-metrics.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { runInSlices } from '../slices.ts';
import type { AccountStatus } from '../status.ts';
import { labelsIn, targetName } from '../targets/target.ts';
import type { AccountView } from './account-status.ts';
import type { AccountStore } from './account-store.ts';

interface AccountSamplesOptions {
  readonly clock: Clock;
  readonly status: () => AccountStatus;
  readonly store: Pick<AccountStore, 'publish' | 'withdrawPart'>;
  /** How long (ms) samples are exposed without being renewed. */
  readonly staleAfter: number;
  readonly delays: DelaySettings;
}

/** What is learned of a metric. */
type LearnedOf = Pick<LearnedMetric, 'product' | 'metric'> & { readonly known: MetricMemory };

/** Least time (ms) from one judgement to the next: judging takes longer the more jobs there are. */
const SHORTEST_JUDGED_MS = 1_000;
const JUDGED_PER_JOB_MS = 1;

/** All of it is renewed every minute. */
const LEAST_LIFETIME_MS = 3 * MINUTE_MS;

/** The part of an account that is exposed. */
type ExposedAccount = Pick<
  AccountView,
  'name' | 'shard' | 'id' | 'platform' | 'intervals' | 'tokenExpiresAt' | 'jobs' | 'listings' | 'sources'
>;

/** What is exposed of an account besides what its jobs find. */
export class AccountSamples {
  readonly #view: ExposedAccount;
  readonly #options: AccountSamplesOptions;
  readonly #isWhole: boolean;
  #withdrawn = false;
  /** From when on (local ms) the account may be judged again. */
  #judgeFrom = 0;
  readonly #judgeLater: Timer;
  /** Whether a poll that has ended since the account was judged last waits for the next judgement. */
  #isAsked = false;
  #isJudging = false;
  /** Whose counters catch up. */
  #behind: BehindAt = new Map();
  /** The ages to be expected that are exposed. */
  #oldest = new OldestData();
  /** Whether the platform answered when the account was judged last, and whether all was well. */
  #judgedUp: boolean | undefined;
  #judgedWell = false;
  #judgement: Judgement | undefined;
  readonly #labels = new Map<string, Labels>();

  constructor(view: ExposedAccount, options: AccountSamplesOptions) {
    this.#view = view;
    this.#options = options;
    this.#isWhole = hasWhole(view);
    this.#judgeLater = new Timer(options.clock, () => this.#judgeSoon());
  }

  /** Exposes whose account it is, remaining quota and token expiry as they are now. */
  exposeVitals(now = this.#options.clock.now()): void {
    this.#publish('vitals', this.#vitals(now), now);
  }

  /** About the account itself. */
  #vitals(now: number): Sample[] {
    const { name: account, platform, ...view } = this.#view;
    const found: (readonly [Family, Labels, number])[] = [];
    const id = view.id();
    // Several exporters that show it are taken to poll the same.
    if (id !== undefined && this.#isWhole) found.push([EDGE_ACCOUNT_INFO, { account_id: id }, 1]);
    const tokenExpiresAt = view.tokenExpiresAt();
    if (tokenExpiresAt !== undefined)
      found.push([EDGE_TOKEN_EXPIRY_TIMESTAMP, {}, wallAt(this.#options.clock, tokenExpiresAt) / 1_000]);
    for (const { name: scope, limiter } of platform.scopes.all) {
      const window = limiter.openWindow(now);
      const limit = limiter.limit ?? limiter.guessedPerMinute;
      if (limit !== undefined) found.push([EDGE_RATELIMIT_LIMIT, { scope }, limit]);
      if (window === undefined) continue;
      const endsAt = window.endsAt(platform.platformClock);
      found.push([EDGE_RATELIMIT_REMAINING, { scope }, window.remaining]);
      found.push([EDGE_RATELIMIT_RESET_TIMESTAMP, { scope }, endsAt / 1_000]);
    }
    return found.map(([family, labels, value]) => {
      return { family, labels: this.#alike({ account, ...labels }), value };
    });
  }

  /** The same object for the same labels, with each poll: then their text is written once. */
  #alike(labels: Labels): Labels {
    const key = JSON.stringify(labels);
    const known = this.#labels.get(key) ?? labels;
    this.#labels.set(key, known);
    return known;
  }

  /**
   * Judges the account after a poll that may have changed how it is: at once, or, where that was done a moment ago and the
   * platform answers as it did, a moment later, since the polls of thousands of jobs may end one after the other. Where all
   * is well, a poll that ends as the one before changes nothing, unless it shows no newer bucket: then older data may be late.
   */
  polled({ outcome, before, result }: Pick<PollEnd, 'outcome' | 'before' | 'result'>): void {
    const isOther = this.#view.platform.reachability.up !== this.#judgedUp;
    const isOld = result?.buckets !== undefined && result.buckets.newestExposed === undefined;
    if (isOther || isOld || outcome !== before || !this.#judgedWell) this.#judgeSoon(isOther);
  }

  #judgeSoon(atOnce = false): void {
    const { clock } = this.#options;
    if (atOnce || clock.now() >= this.#judgeFrom) void runInSlices(this.exposeJudgement());
    else {
      this.#isAsked = true;
      this.#judgeLater.set(this.#judgeFrom);
    }
  }

  /** Judges the account, in steps, and exposes the judgement. */
  *exposeJudgement(): Generator<undefined, void> {
    this.#isAsked = true;
    // Of thousands of jobs it may take longer than until the next is asked for.
    if (this.#isJudging) return;
    this.#isJudging = true;
    try {
      yield* this.#judge();
    } finally {
      this.#isJudging = false;
    }
    // A poll that ended meanwhile is judged by another.
    if (this.#isAsked && !this.#withdrawn) this.#judgeSoon();
  }

  *#judge(): Generator<undefined, void> {
    const { clock, status } = this.#options;
    this.#isAsked = false;
    this.#judgedUp = this.#view.platform.reachability.up;
    const judgedAt = clock.now();
    this.#judgeFrom = judgedAt + Math.max(SHORTEST_JUDGED_MS, this.#view.jobs().length * JUDGED_PER_JOB_MS);
    const judgement = yield* this.#unlessWithdrawn(judge(status(), clock.wall()));
    if (judgement === undefined) return;
    this.#judgement = judgement;
    const lacksData = judgement.parts.some(
      ({ product, hasData }) => product !== undefined && hasData === false,
    );
    this.#judgedWell = judgement.state === 'well' && !lacksData;
    this.#publish('judgement', judgedSamples(this.#view.name, judgement));
    // What is in time becomes late without any poll.
    const lateAt = judgedAt + judgement.tally.lateInSeconds * 1_000 + 1;
    if (Number.isFinite(lateAt) && !this.#withdrawn) this.#judgeLater.set(Math.max(lateAt, this.#judgeFrom));
  }

  /** What steps come to; undefined once nothing is exposed any more, since the state may be closed by then. */
  *#unlessWithdrawn<T>(steps: Generator<undefined, T>): Generator<undefined, T | undefined> {
    while (!this.#withdrawn) {
      const step = steps.next();
      if (step.done === true) return step.value;
      yield;
    }
    return undefined;
  }

  /** What was said of the account last, where it has too many jobs to be judged whenever somebody asks. */
  judged(): Judgement | undefined {
    return this.#view.jobs().length > MOST_JUDGED ? this.#judgement : undefined;
  }

  /** Exposes how reading the lists of configurations went, which say what is to be read. */
  exposeListings(): void {
    this.#publish('listings', listingSamples(this.#view));
  }

  /** Exposes what was learned of the platform's delays, and how old data may therefore be; in steps, a job each. */
  *exposeLearned(learned: Iterable<LearnedOf>, jobs: Iterable<DatedJob>): Generator<undefined, void> {
    const { name: account, platform, intervals } = this.#view;
    const now = platform.platformClock.now();
    const oldest = new OldestData();
    for (const job of jobs) {
      oldest.add(job.subject, job.expectedAge(intervals.of(job).planned, now));
      yield;
    }
    this.#oldest = oldest;
    this.#publish('ages', oldest.samples(account));
    const samples = [...learned].flatMap(({ product, metric, known }) =>
      learnedSamples({ account, product, metric }, known, this.#options.delays, now),
    );
    this.#publish('learned', samples);
  }

  /** Exposes a greater expected age (ms) at once when a poll shows it: older data is shown from now on. */
  exposeAge(job: Job, ageMs: number | undefined): void {
    if (this.#oldest.add(job.subject, ageMs)) this.#publish('ages', this.#oldest.samples(this.#view.name));
  }

  /** Exposes which counters catch up, in steps. Called before the first poll too: after a restart it brings all at once. */
  *exposeCatchingUp(jobs: Iterable<SeriesJob>): Generator<undefined, void> {
    const { platform, intervals } = this.#view;
    const found = yield* catchingUp(
      jobs,
      this.#behind,
      platform.platformClock.now(),
      (job) => intervals.of(job).planned,
    );
    this.#behind = found.behind;
    this.#publish('counting', found.samples);
  }

  /** Stops exposing it for good. */
  withdraw(): void {
    this.#withdrawn = true;
    this.#judgeLater.set(Number.POSITIVE_INFINITY);
    for (const part of ['vitals', 'listings', 'ages', 'learned', 'counting', 'judgement'])
      this.#options.store.withdrawPart(`${this.#view.name}/${part}`);
  }

  #publish(part: string, samples: readonly Sample[], now = this.#options.clock.now()): void {
    const { store, staleAfter } = this.#options;
    if (this.#withdrawn) return;
    const lifetime = Math.max(staleAfter, LEAST_LIFETIME_MS);
    store.publish(`${this.#view.name}/${part}`, samples, now + lifetime);
  }
}

/** The judgement as samples. */
function judgedSamples(account: string, { up, parts, causes }: Judgement): Sample[] {
  const samples: Sample[] = up === null ? [] : [{ family: EDGE_UP, labels: { account }, value: Number(up) }];
  for (const { product, hasData } of parts) {
    if (product === undefined || hasData === null) continue;
    samples.push({ family: EDGE_DATA_AVAILABLE, labels: { account, product }, value: Number(hasData) });
  }
  for (const cause of new Set(causes.map(({ kind }) => kind)))
    if (cause !== 'first_polls')
      samples.push({ family: EDGE_TROUBLE_INFO, labels: { account, cause }, value: 1 });
  return samples;
}

function listingSamples({ name: account, ...view }: ExposedAccount): Sample[] {
  const sources = view.sources().map(
    ({ collector, source }): Sample => ({
      family: EDGE_SOURCE_INFO,
      labels: { account, collector, source },
      value: 1,
    }),
  );
  const listings = view.listings().flatMap(({ product, listed, unmatched, withoutDomains }) => {
    const labels = { account, product: product.slug };
    const samples: Sample[] = [{ family: PRODUCT_LISTED, labels, value: listed ? 1 : 0 }];
    if (listed) {
      samples.push({ family: UNMATCHED_CONFIGURATIONS, labels, value: unmatched.length });
      samples.push({ family: UNREAD_CONFIGURATIONS, labels, value: withoutDomains });
    }
    return samples;
  });
  return [...sources, ...listings];
}

/** A job that reads one metric of one target. */
type DatedJob = Pick<SeriesJob, 'subject' | 'schedule' | 'group' | 'weight' | 'expectedAge'>;

/** The age to be expected of each metric of a product: that of the target whose data is the oldest. */
class OldestData {
  readonly #ages = new Map<
    string,
    { readonly product: string; readonly metric: string; readonly ageMs: number }
  >();

  /** @param ageMs that the job's data reaches when all is well, where that is known @returns whether it is the oldest */
  add({ product, metric }: JobSubject, ageMs: number | undefined): boolean {
    const key = `${product} ${metric}`;
    const isOldest = ageMs !== undefined && ageMs > (this.#ages.get(key)?.ageMs ?? 0);
    if (isOldest && product !== undefined && metric !== undefined)
      this.#ages.set(key, { product, metric, ageMs });
    return isOldest;
  }

  samples(account: string): Sample[] {
    return [...this.#ages.values()].map(({ product, metric, ageMs }) => ({
      family: EDGE_EXPECTED_AGE,
      labels: { account, product, metric },
      value: ageMs / 1_000,
    }));
  }
}

/** The delays of one metric, and what was learned of how its buckets fill up. */
function learnedSamples(
  labels: Readonly<Record<string, string>>,
  known: MetricMemory,
  delays: DelaySettings,
  now: number,
): Sample[] {
  const { publish, settle } = delaysOf(known, delays, now);
  const samples: Sample[] = [
    { family: PUBLISH_DELAY_SECONDS, labels, value: publish / 1_000 },
    { family: SETTLE_DELAY_SECONDS, labels, value: settle / 1_000 },
  ];
  const upwards = upwardShare(known, now);
  if (upwards !== undefined) samples.push({ family: UPWARD_RESTATEMENT_RATIO, labels, value: upwards });
  for (const [minute, value] of completeByMinute(known.completeness)) {
    const age = String((minute * MINUTE_MS) / 1_000);
    samples.push({ family: BUCKET_COMPLETENESS_RATIO, labels: { ...labels, age_seconds: age }, value });
  }
  return samples;
}

/** Counters that are further behind than usual by this much (ms) will jump when they catch up. */
const BEHIND_MS = 5 * 60_000;

/** They count as catching up for this time (ms) after they were last behind, so that a scrape shows it with the jump. */
const SAID_MS = 5 * 60_000;

/** When counters were last behind (platform ms), by the id of their job. */
export type BehindAt = ReadonlyMap<string, number>;

/** Which counters catch up now, and a sample for each configuration that has counters. */
export interface CatchingUp {
  readonly behind: BehindAt;
  readonly samples: readonly Sample[];
}

type CountingJob = Pick<SeriesJob, 'id' | 'target' | 'counted'>;

/**
 * Which counters catch up: meanwhile `rate()` is too high, since many minutes are counted within few. In steps, a job each.
 * @param intervalOf how often (ms) a job is polled when all is well
 */
export function* catchingUp<Work extends CountingJob>(
  jobs: Iterable<Work>,
  before: BehindAt,
  now: number,
  intervalOf: (job: Work) => number,
): Generator<undefined, CatchingUp> {
  const behind = new Map<string, number>();
  const samples = new Map<string, Sample>();
  for (const job of jobs) {
    yield;
    const counted = job.counted(intervalOf(job), now);
    if (counted === undefined) continue;
    const isBehind = now - counted.until > counted.expectedAge + BEHIND_MS;
    const last = isBehind ? now : before.get(job.id);
    const catches = last !== undefined && now - last <= SAID_MS;
    if (catches) behind.set(job.id, last);
    const { target } = job;
    const key = `${target.product.slug}/${targetName(target)}`;
    const value = Math.max(catches ? 1 : 0, samples.get(key)?.value ?? 0);
    samples.set(key, { family: COUNTERS_CATCHING_UP[target.by], labels: labelsIn(target, {}), value });
  }
  return { behind, samples: [...samples.values()] };
}
