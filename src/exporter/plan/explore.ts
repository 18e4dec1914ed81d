import { type JobPart, partOf } from '../account/jobs.ts';
import type { Outcome } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import type { Finding, Survey } from './survey.ts';

/** How far an exploration has come, in reads. */
export interface ExploreProgress {
  readonly done: number;
  readonly total: number;
  /** What is read next. */
  readonly job: Job;
}

export interface ExploreOptions {
  readonly signal: AbortSignal;
  /** Parts that are polled; series cost the same whatever they hold, unless the platform answers without dimensions. */
  readonly parts: readonly JobPart[];
  readonly onProgress: (progress: ExploreProgress) => void;
}

/** What an exploration has found, and what it could not. */
export interface Exploration {
  readonly findings: readonly Finding[];
  /** Why there is no plan: the platform gave no usable answer to a read that the others depend on. */
  readonly unreachable?: string;
  /** What is missing in the plan, in plain words. */
  readonly notes: readonly string[];
}

/** Outcomes that the exporter would meet as well: the part was read, or is closed to this token or account. */
const CONCLUSIVE: readonly Outcome[] = ['ok', 'empty', 'forbidden', 'not_found'];

/** How often a read is tried that was rate limited because of the token's other clients. */
const MAX_ATTEMPTS = 3;

/** Jobs of one kind differ only in the configuration that they read. */
export function kindOf({ group, subject }: Job): string {
  const { collector, product, metric, configuration_id } = subject;
  return JSON.stringify([group, collector, product, metric, configuration_id === undefined]);
}

/** How many jobs of a kind of settings are polled: one configuration may hold more than the next. */
const SETTINGS_SAMPLE = 3;

/** A few jobs of each kind, enough to know what all of that kind cost: of series one, since they cost the same. */
function representatives(jobs: readonly Job[]): readonly Job[] {
  const taken = new Map<string, number>();
  return jobs.filter((job) => {
    const kind = kindOf(job);
    const count = taken.get(kind) ?? 0;
    taken.set(kind, count + 1);
    return count < (partOf(job) === 'settings' ? SETTINGS_SAMPLE : 1);
  });
}

/** Polls a few jobs of each kind: the lists of configurations first, since the others follow from them. */
export async function explore(survey: Survey, options: ExploreOptions): Promise<Exploration> {
  const findings: Finding[] = [];
  const notes: string[] = [];
  for (const part of ['discovery', 'settings', 'series'] as const) {
    if (!options.parts.includes(part)) continue;
    const jobs = representatives(survey.jobs()).filter((job) => partOf(job) === part);
    for (const [done, job] of jobs.entries()) {
      options.onProgress({ done, total: jobs.length, job });
      const finding = await pollWithRetries(survey, job, options.signal);
      findings.push(finding);
      if (
        !CONCLUSIVE.includes(finding.outcome) &&
        (listsConfigurations(job) || finding.outcome === 'unauthorized')
      )
        return { findings, notes, unreachable: finding.reason ?? finding.outcome };
      if (finding.reason !== undefined) notes.push(noteOf(finding));
    }
  }
  return { findings, notes };
}

function listsConfigurations(job: Job): boolean {
  return partOf(job) === 'discovery' && job.subject.product !== undefined;
}

async function pollWithRetries(survey: Survey, job: Job, signal: AbortSignal): Promise<Finding> {
  let finding = await survey.poll(job, signal);
  for (let attempts = 1; finding.outcome === 'rate_limited' && attempts < MAX_ATTEMPTS; attempts += 1) {
    finding = await survey.poll(job, signal);
  }
  return finding;
}

function noteOf({ job, reason = '' }: Finding): string {
  return `${job.id} could not be read (${reason}): ${consequenceOf(job)}`;
}

function consequenceOf(job: Job): string {
  if (partOf(job) !== 'discovery') return 'its cost and series are estimated';
  if (!listsConfigurations(job)) return 'each product is assumed to have the known metrics';
  return job.group === 'analytics'
    ? 'the product is read as a whole, without its configurations'
    : 'its configurations are not in the plan';
}
