import { AccountJobs, type AccountLimits } from '../account/jobs.ts';
import { type JobPart, partOf } from '../collectors.ts';
import { type AccountConfig, DEFAULT_LIMITS } from '../configuration/schema.ts';
import { type Answer, PlatformFailure, type Read, type Resource } from '../platform/read.ts';
import { BLANK, type Ending, failed, type Job, type PollEnd } from '../poll/job.ts';
import { adopt } from '../poll/runner.ts';
import { type JobState, ScheduledJob } from '../poll/schedule.ts';
import type { LimitScopes } from '../rate-limit/limit-scopes.ts';
import { NO_MEMORY } from '../state/state.ts';

interface SurveyOptions {
  readonly account: AccountConfig;
  readonly scopes: LimitScopes;
  /** Returns a read for operations of a group (the first segment of their paths). */
  readonly readFor: (group: string) => Read;
  /** Size limits; default: those of the configuration schema. */
  readonly limits?: AccountLimits | undefined;
  /** Time (ms) for which configurations wait for names; default: ids replace names that cannot be read. */
  readonly namesWaitMs?: number;
}

/** End of the only poll of a job. */
export interface Finding extends PollEnd {
  readonly failure?: PlatformFailure;
  /** Number of series that the exporter would expose; absent if the poll failed. */
  readonly series?: number;
}

/** Jobs that the exporter would have, each polled only on request and at most once, without a state. */
export class Survey extends AccountJobs {
  readonly findings: Finding[] = [];
  readonly #options: SurveyOptions;
  readonly #scheduled = new Map<Job, ScheduledJob>();

  constructor(options: SurveyOptions) {
    const { account, scopes, limits = DEFAULT_LIMITS, namesWaitMs = 0 } = options;
    super({ account, state: NO_MEMORY, scopes, limits: () => limits, namesWaitMs });
    this.#options = options;
  }

  /** Returns a sentence about the products that are not read, since the source has none of their metrics; undefined for none. */
  unserved(): string | undefined {
    const products = this.targets.products.filter(({ product }) => !this.sources.serves(product));
    const names = products.map(({ product }) => product.slug).join(', ');
    return names === '' ? undefined : `GraphQL has none of the metrics of ${names}: nothing of them is read`;
  }

  /** Returns the state of a job of each kind, before or after its poll. */
  states(): readonly JobState[] {
    return oneOfEachKind(this.jobs()).map((job) => this.#scheduledOf(job));
  }

  /** Polls a job once. */
  async poll(job: Job, signal: AbortSignal): Promise<Finding> {
    const scheduled = this.#scheduledOf(job);
    scheduled.due(this.#now);
    const read = this.#options.readFor(job.group);
    const counted: Read = (resource, ...rest) => {
      scheduled.start(this.#now);
      return read(resource, ...rest);
    };
    const { series, failure, ...ending } = await this.#ended(job, counted, signal);
    const end = scheduled.end(this.#now, ending);
    this.learn(job, end.outcome, failure === undefined ? end.result : undefined);
    return { ...end, ...(failure === undefined ? { series: series ?? 0 } : { failure }) };
  }

  async #ended(
    job: Job,
    read: Read,
    signal: AbortSignal,
  ): Promise<Ending & Pick<Finding, 'series' | 'failure'>> {
    try {
      const wanted = partOf(job) === 'settings' ? thriftyRead(read) : read;
      const result = await job.conclude(await job.read(wanted, signal));
      adopt(this.memory, result, true);
      const { outcome, rejected, failure } = result;
      if (failure !== undefined) return { ...failed(failure), result, failure };
      const series = result.exposures(true).reduce((sum, { samples }) => sum + samples.length, 0);
      return { ...BLANK, outcome, rejected, result, series };
    } catch (failure) {
      if (!(failure instanceof PlatformFailure)) throw failure;
      return { ...failed(failure), failure };
    }
  }

  #scheduledOf(job: Job): ScheduledJob {
    const scheduled = this.#scheduled.get(job) ?? new ScheduledJob(job, this.#now);
    this.#scheduled.set(job, scheduled);
    return scheduled;
  }

  get #now(): number {
    return this.#options.scopes.platformClock.localNow();
  }
}

/** Number of reads of each kind that are performed; the answers to others are derived from them. */
const REAL_READS = 2;

/**
 * Returns a read that performs each kind of read twice, and then repeats the last answer. Reads of a kind differ only in an id or
 * a page.
 */
export function thriftyRead(read: Read): Read {
  const seen = new Map<string, { count: number; readonly answer: Answer }>();
  return async (resource, signal) => {
    const kind = kindOfRead(resource());
    const known = seen.get(kind);
    if (known !== undefined && known.count >= REAL_READS) {
      known.count += 1;
      return { ...known.answer, body: renumberedPage(known.answer.body, known.count) };
    }
    const answer = await read(resource, signal);
    seen.set(kind, { count: (known?.count ?? 0) + 1, answer });
    return answer;
  };
}

function kindOfRead({ path, query }: Resource): string {
  const { page: _, ...others } = query ?? {};
  return JSON.stringify([path.replace(/\/\d+(?:-\d+)*(?=\/|$)/g, '/:id'), others]);
}

/** Returns the answer with new ids, since a repeated page would end the list. */
function renumberedPage(body: unknown, nth: number): unknown {
  const { results }: { readonly results?: unknown } = Object(body);
  if (!Array.isArray(results)) return body;
  const items = results.map((item: unknown) =>
    'id' in Object(item) ? { ...Object(item), id: `${Object(item).id}-${nth}` } : item,
  );
  return { ...Object(body), results: items };
}

/** Returns the kind of a job. Jobs of one kind differ only in the configuration that they read. */
export function kindOf(job: Job): string {
  const { group, subject } = job;
  if (partOf(job) === 'discovery') return job.id;
  const { collector, product, metric, configuration_id } = subject;
  return JSON.stringify([group, collector, product, metric, configuration_id === undefined]);
}

function oneOfEachKind(jobs: readonly Job[]): readonly Job[] {
  const byKind = new Map<string, Job>();
  for (const job of jobs) if (!byKind.has(kindOf(job))) byKind.set(kindOf(job), job);
  return [...byKind.values()];
}

/** Progress of an exploration, in reads. */
export interface ExploreProgress {
  readonly done: number;
  readonly total: number;
  readonly job: Job;
}

interface ExploreOptions {
  readonly signal: AbortSignal;
  /** Parts to poll, in this order. */
  readonly parts: readonly JobPart[];
  /** Number of attempts for a read that is rate limited because of the token's other clients. Default: 1. */
  readonly attempts?: number;
  readonly isWanted?: (job: Job) => boolean;
  /** Returns true for an answer that ends the exploration. */
  readonly isFinal: (finding: Finding) => boolean;
  readonly onProgress?: (progress: ExploreProgress) => void;
}

/**
 * Polls a job of each kind, the lists of configurations first. Returns the answer that ended the exploration; undefined for none.
 */
export async function explore(survey: Survey, options: ExploreOptions): Promise<Finding | undefined> {
  const { signal, parts, attempts = 1, isWanted = () => true, isFinal, onProgress } = options;
  const polled = new Set<Job>();
  for (const part of parts) {
    const before = polled.size;
    // A list may add jobs of the same part.
    for (;;) {
      const jobs = oneOfEachKind(survey.jobs()).filter((one) => partOf(one) === part && isWanted(one));
      const job = jobs.find((one) => !polled.has(one));
      if (job === undefined) break;
      const progress = { done: polled.size - before, total: jobs.length, job };
      polled.add(job);
      let finding: Finding | undefined;
      for (let left = attempts; left > 0; left -= 1) {
        onProgress?.(progress);
        finding = await survey.poll(job, signal);
        if (finding.outcome !== 'rate_limited') break;
      }
      if (finding === undefined) continue;
      survey.findings.push(finding);
      if (isFinal(finding)) return finding;
    }
  }
  return undefined;
}
