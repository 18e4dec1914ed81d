import { AccountJobs, type AccountLimits } from '../account/jobs.ts';
import { type JobPart, partOf } from '../collectors.ts';
import { type AccountConfig, DEFAULT_LIMITS } from '../configuration/schema.ts';
import { foreignAnswerOf } from '../platform/exchange.ts';
import { type Answer, type Outcome, PlatformFailure, type Read, type Resource } from '../platform/read.ts';
import type { Job, PollResult } from '../poll/job.ts';
import { adopt } from '../poll/runner.ts';
import type { LimitScopes } from '../rate-limit/limit-scopes.ts';
import { NO_MEMORY } from '../state/state.ts';

interface SurveyOptions {
  readonly account: AccountConfig;
  readonly scopes: LimitScopes;
  /** Reads for operations of a group (the first segment of their paths). */
  readonly readFor: (group: string) => Read;
  /** Size limits; default: those of the configuration schema. */
  readonly limits?: AccountLimits | undefined;
  /** For how long (ms) configurations wait for names; by default ids stand for those that cannot be read. */
  readonly namesWaitMs?: number;
}

/** What polling a job once has shown. */
export interface Finding {
  readonly job: Job;
  readonly outcome: Outcome;
  readonly reason?: string;
  readonly failure?: PlatformFailure;
  /** Whether it failed since it was not the platform that answered. */
  readonly foreign?: boolean;
  /** Series that the exporter would show from it; absent where the answer does not show it. */
  readonly series?: number;
  readonly result?: PollResult;
}

/** The jobs that the exporter would have, each polled at most when asked, and nothing kept: what they cost is found out. */
export class Survey extends AccountJobs {
  readonly findings: Finding[] = [];
  readonly #readFor: (group: string) => Read;

  constructor({ account, scopes, readFor, limits = DEFAULT_LIMITS, namesWaitMs = 0 }: SurveyOptions) {
    super({ account, state: NO_MEMORY, scopes, limits: () => limits, namesWaitMs });
    this.#readFor = readFor;
  }

  /** Of which products nothing is read, since the source has none of their metrics, as a sentence; undefined where there are none. */
  unserved(): string | undefined {
    const products = this.targets.products.filter(({ product }) => !this.sources.serves(product));
    const names = products.map(({ product }) => product.slug).join(', ');
    return names === '' ? undefined : `GraphQL has none of the metrics of ${names}: nothing of them is read`;
  }

  /** Returns a job of each kind that was not polled. */
  unpolled(): readonly Job[] {
    const polled = new Set(this.findings.map(({ job }) => kindOf(job)));
    return representatives(this.jobs(), 1).filter((job) => !polled.has(kindOf(job)));
  }

  /** Polls a job once. */
  async poll(job: Job, signal: AbortSignal): Promise<Finding> {
    try {
      const read = this.#readFor(job.group);
      const result = await job.conclude(
        await job.read(partOf(job) === 'settings' ? thriftyRead(read) : read, signal),
      );
      adopt(this.memory, result, true);
      const series = result.exposures(true).reduce((sum, { samples }) => sum + samples.length, 0);
      if (result.failure !== undefined) throw result.failure;
      this.learn(job, result.outcome, result);
      return { job, outcome: result.outcome, series, result };
    } catch (failure) {
      if (!(failure instanceof PlatformFailure)) throw failure;
      this.learn(job, failure.outcome, undefined);
      const foreign = foreignAnswerOf(failure) !== undefined;
      return { job, outcome: failure.outcome, reason: failure.message, failure, foreign };
    }
  }
}

/** How many reads of a kind are performed, to know what the others would answer. */
const REAL_READS = 2;

/** Performs reads that differ only in an id or a page twice; then the last answer stands in: a long list costs two operations. */
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

/** The answer with other items: a page that repeats the one before would end the list. */
function renumberedPage(body: unknown, nth: number): unknown {
  const { results }: { readonly results?: unknown } = Object(body);
  if (!Array.isArray(results)) return body;
  const items = results.map((item: unknown) =>
    'id' in Object(item) ? { ...Object(item), id: `${Object(item).id}-${nth}` } : item,
  );
  return { ...Object(body), results: items };
}

/** How far an exploration has come, in reads. */
export interface ExploreProgress {
  readonly done: number;
  readonly total: number;
  readonly job: Job;
}

interface ExploreOptions {
  readonly signal: AbortSignal;
  /** Parts that are polled, in this order; series cost the same whatever they hold, unless the platform answers without dimensions. */
  readonly parts: readonly JobPart[];
  /** How many jobs of a kind of settings are polled: one configuration may hold more than the next. */
  readonly settingsSample: number;
  /** How often a read is tried that was rate limited because of the token's other clients. */
  readonly attempts: number;
  readonly isWanted?: (job: Job) => boolean;
  /** True for an answer after which nothing else is polled. */
  readonly isFinal: (finding: Finding) => boolean;
  readonly onProgress?: (progress: ExploreProgress) => void;
}

/** Outcomes that the exporter would meet as well: the part was read, or is closed to this token or account. */
const REFUSALS: readonly Outcome[] = ['forbidden', 'not_found'];
const CONCLUSIVE: readonly Outcome[] = ['ok', 'empty', ...REFUSALS];

/** Jobs of one kind differ only in the configuration that they read. */
export function kindOf(job: Job): string {
  const { group, subject } = job;
  if (partOf(job) === 'discovery') return job.id;
  const { collector, product, metric, configuration_id } = subject;
  return JSON.stringify([group, collector, product, metric, configuration_id === undefined]);
}

/** Returns a few jobs of each kind, enough to know what all of that kind cost: of series one, since they cost the same. */
function representatives(jobs: readonly Job[], settingsSample: number): readonly Job[] {
  const taken = new Map<string, number>();
  return jobs.filter((job) => {
    const kind = kindOf(job);
    const count = taken.get(kind) ?? 0;
    taken.set(kind, count + 1);
    return count < (partOf(job) === 'settings' ? settingsSample : 1);
  });
}

/** Polls a few jobs of each kind: the lists of configurations first, since the others follow from them. Returns the final answer, if there was one. */
export async function explore(survey: Survey, options: ExploreOptions): Promise<Finding | undefined> {
  const { parts, settingsSample, isWanted = () => true, isFinal, onProgress } = options;
  const polled = new Set(survey.findings.map(({ job }) => job));
  for (const part of parts) {
    const before = polled.size;
    // A list may bring jobs of the same part.
    for (;;) {
      const jobs = representatives(survey.jobs(), settingsSample).filter(
        (one) => partOf(one) === part && isWanted(one),
      );
      const job = jobs.find((one) => !polled.has(one));
      if (job === undefined) break;
      const progress = { done: polled.size - before, total: jobs.length, job };
      polled.add(job);
      const finding = await pollWithRetries(survey, job, () => onProgress?.(progress), options);
      survey.findings.push(finding);
      if (isFinal(finding)) return finding;
    }
  }
  return undefined;
}

/** Returns what is missing in a plan, in plain words. */
export function notesOf(survey: Survey): readonly string[] {
  // By another source than it was begun with, less may be wanted.
  const wanted = new Set(survey.jobs());
  return survey.findings.filter(({ job }) => wanted.has(job)).flatMap(noteOf);
}

/** True for an answer without which there is no plan, since others depend on it. */
export function preventsPlan({ job, outcome }: Finding): boolean {
  return !CONCLUSIVE.includes(outcome) && (listsConfigurations(job) || outcome === 'unauthorized');
}

/** Returns why there is no plan where all reads were refused; undefined where some were not. */
export function refusedAll({ findings }: Survey): string | undefined {
  if (findings.length === 0 || !findings.every(({ outcome }) => REFUSALS.includes(outcome))) return undefined;
  return `${findings[0]?.reason} to all of ${findings.length} reads: edge-exporter doctor tells why`;
}

function listsConfigurations(job: Job): boolean {
  return partOf(job) === 'discovery' && job.subject.product !== undefined;
}

async function pollWithRetries(
  survey: Survey,
  job: Job,
  begin: () => void,
  { signal, attempts: most }: ExploreOptions,
): Promise<Finding> {
  for (let attempts = 1; ; attempts += 1) {
    begin();
    const finding = await survey.poll(job, signal);
    if (finding.outcome !== 'rate_limited' || attempts === most) return finding;
  }
}

function noteOf({ job, reason, result }: Finding): string[] {
  if (listsConfigurations(job) && result?.warning !== undefined) return [`${job.id}: ${result.warning}`];
  return reason === undefined ? [] : [`${job.id} could not be read (${reason}): ${consequenceOf(job)}`];
}

function consequenceOf(job: Job): string {
  if (partOf(job) !== 'discovery') return 'its cost and series are estimated';
  if (!listsConfigurations(job)) return 'each product is assumed to have the known metrics';
  return job.group === 'analytics'
    ? 'the product is read as a whole, without its configurations'
    : 'its configurations are not in the plan';
}
