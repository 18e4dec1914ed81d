import type { ExpectedJob } from './expected-job.ts';

/** Jobs whose intervals are longer than scheduled, all by the same. */
export interface Stretch {
  readonly collector: string;
  readonly product: string | null;
  /** Empty for what reads no metrics. */
  readonly metrics: readonly string[];
  readonly scheduled_seconds: number;
  readonly interval_seconds: number;
}

/** Which intervals give, and by how much; the least first. */
export function stretches(jobs: readonly ExpectedJob[]): Stretch[] {
  const alike = new Map<string, { job: ExpectedJob; metrics: Set<string> }>();
  for (const job of jobs) {
    // Reconciliation runs only when quota is left over.
    if (job.subject.collector === 'reconciliation') continue;
    // A stretch of less than a second per minute is rounding.
    if (job.intervalMs < job.periodMs * 1.001) continue;
    const { collector, product } = job.subject;
    const key = JSON.stringify([collector, product, job.periodMs, Math.round(job.intervalMs)]);
    const known = alike.get(key) ?? { job, metrics: new Set() };
    alike.set(key, known);
    if (job.subject.metric !== undefined) known.metrics.add(job.subject.metric);
  }
  const found = [...alike.values()].map(({ job, metrics }) => ({
    collector: job.subject.collector,
    product: job.subject.product ?? null,
    metrics: [...metrics],
    scheduled_seconds: job.periodMs / 1_000,
    interval_seconds: job.intervalMs / 1_000,
  }));
  return found.sort((a, b) => a.interval_seconds - b.interval_seconds);
}
