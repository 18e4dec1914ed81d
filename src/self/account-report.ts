import type { AccountObserver } from '../account/account.ts';
import type { Outcome } from '../platform/outcome.ts';
import type { SelfMetrics } from './self-metrics.ts';

/** The part of a logger that is used here. */
export interface ReportLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** Counts what accounts do, and logs what an operator acts on: a change for the worse once, and its end. */
export function reportTo(metrics: SelfMetrics, log: ReportLog, now: () => number): AccountObserver {
  const lastOutcome = new Map<string, Outcome>();
  const warned = new Set<string>();
  return {
    exchanged(account, { status, path, rate }, { name }) {
      metrics.operations.labels(account, name, status === undefined ? 'none' : String(status)).inc();
      if (status === 429)
        log.warn({ account, scope: name, path, ...rate }, 'the platform refused an operation: rate limited');
    },
    departed(account, scope, waitedMs) {
      metrics.quotaWait.labels(account, scope).observe(Math.max(0, waitedMs) / 1_000);
    },
    polled(account, { job, outcome, reason, report, durationMs }) {
      const { collector } = job.subject;
      metrics.polls.labels(account, collector, outcome).inc();
      metrics.pollDuration.labels(account, collector).observe(durationMs / 1_000);
      if (report !== undefined) metrics.pollLastSuccess.labels(account, collector).set(now() / 1_000);
      for (const [why, rows] of report?.rejected ?? []) {
        metrics.rejectedRows.labels(account, collector, why).inc(rows);
      }
      const key = `${account} ${job.id}`;
      const before = lastOutcome.get(key);
      lastOutcome.set(key, outcome);
      const failed = report === undefined;
      const failedBefore = before !== undefined && before !== 'ok' && before !== 'empty';
      if (failed && outcome !== before) log.warn({ account, job: job.id, outcome, reason }, 'poll failed');
      if (!failed && failedBefore)
        log.info({ account, job: job.id, outcome, after: before }, 'poll works again');
    },
    defect(account, job, error) {
      log.error({ account, job: job.id, err: error }, 'a fault of the exporter made a poll fail');
    },
    stateRefused(account, { product, metric }, failure) {
      metrics.stateErrors.inc();
      log.error({ account, product, metric, err: failure }, 'the state was not written: the counters wait');
    },
    entered(account, { product = '', metric = '' }, { counted, givenUp, restated }) {
      metrics.bucketsCounted.labels(account, product).inc(counted);
      metrics.bucketsGivenUp.labels(account, product).inc(givenUp);
      for (const { ages, late, lateAmount } of restated) {
        if (ages.length > 0) metrics.restatements.labels(account, product).inc(ages.length);
        for (const age of ages) metrics.settleSeconds.labels(account, product).observe(age / 1_000);
        if (late > 0) metrics.lateRestatements.labels(account, product).inc(late);
        if (lateAmount !== 0) metrics.lateAmount.labels(account, product, metric).inc(Math.abs(lateAmount));
      }
      if (givenUp > 0)
        log.warn(
          { account, product, metric, buckets: givenUp },
          'buckets given up: the platform keeps leaving them out',
        );
    },
    unknownDimensions(account, { metric = '' }, dimensions) {
      for (const dimension of dimensions) {
        const key = `${account} ${metric} ${dimension}`;
        if (warned.has(key)) continue;
        warned.add(key);
        log.warn({ account, metric, dimension }, 'unknown to the catalogue: exported raw as edge_metric');
      }
    },
  };
}
