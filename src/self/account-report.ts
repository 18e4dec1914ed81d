import type { AccountObserver } from '../account/observer.ts';
import { type EventLog, FailureLog } from './failure-log.ts';
import type { SelfMetrics } from './metrics.ts';
import { RefusalLog } from './refusal-log.ts';
import { RejectionLog } from './rejection-log.ts';

/** The part of a logger that is used here. */
export interface ReportLog extends EventLog {
  error(facts: object, message: string): void;
}

/** Counts what accounts do, and logs what an operator acts on: a change for the worse once, and its end. */
export function reportTo(metrics: SelfMetrics, log: ReportLog, now: () => number): AccountObserver {
  const failures = new FailureLog(log);
  const refusals = new RefusalLog(log);
  const rejections = new RejectionLog(log, now);
  const warned = new Set<string>();
  /** The collectors of each account that have a time of their last success. */
  const succeeded = new Map<string, Set<string>>();
  let stateFails = false;
  return {
    exchanged(account, info, { name }) {
      const { status } = info;
      metrics.operations.labels(account, name, status === undefined ? 'none' : String(status)).inc();
      refusals.exchanged(account, name, info);
    },
    assumedLimit(account, limit) {
      log.warn(
        { account, operations_per_minute: limit },
        'the platform names no rate limit: quota.assumed_limit holds',
      );
    },
    departed(account, scope, waitedMs) {
      metrics.quotaWait.labels(account, scope).observe(Math.max(0, waitedMs) / 1_000);
    },
    polled(account, end) {
      const { job, outcome, report, rejected, durationMs } = end;
      const { collector } = job.subject;
      metrics.polls.labels(account, collector, outcome).inc();
      metrics.pollDuration.labels(account, collector).observe(durationMs / 1_000);
      if (report !== undefined && end.operations > 0) {
        metrics.pollLastSuccess.labels(account, collector).set(now() / 1_000);
        succeeded.set(account, (succeeded.get(account) ?? new Set()).add(collector));
      }
      for (const [why, rows] of rejected ?? []) {
        metrics.rejectedRows.labels(account, collector, why).inc(rows);
      }
      failures.polled(account, end);
      rejections.polled(account, end);
    },
    planned(account, { scope, jobs, perMinute, allowance }) {
      const facts = {
        account,
        scope,
        jobs,
        operations_per_minute: Number(perMinute.toPrecision(3)),
        allowed: allowance,
      };
      if (perMinute <= allowance) log.info(facts, 'the plan fits the quota');
      else log.warn(facts, 'the plan exceeds the quota: intervals stretch, see edge-exporter plan');
    },
    defect(account, job, error) {
      log.error({ account, job: job.id, err: error }, 'a fault of the exporter made a poll fail');
    },
    left(account, failure) {
      for (const collector of succeeded.get(account) ?? []) {
        metrics.pollLastSuccess.remove(account, collector);
      }
      succeeded.delete(account);
      for (const told of [failures, refusals, rejections]) told.forget(account);
      if (failure !== undefined)
        log.error({ account, err: failure }, 'the account did not stop as it should');
    },
    stateRefused(account, { product, metric }, failure) {
      metrics.stateErrors.inc();
      if (!stateFails)
        log.error(
          { account, product, metric, err: failure },
          'the state cannot be written: the counters wait',
        );
      stateFails = true;
    },
    settingChanged(account, { collector, id, name, fields }) {
      log.info({ account, collector, id, name, fields: fields.join() }, 'a setting has changed');
    },
    entered(account, { product = '', metric = '' }, { counted, givenUp, restated }) {
      if (stateFails && counted > 0) {
        stateFails = false;
        log.info({ account }, 'the state can be written again');
      }
      metrics.bucketsCounted.labels(account, product).inc(counted);
      metrics.bucketsGivenUp.labels(account, product).inc(givenUp);
      for (const { ages, late, lateAmount } of restated) {
        if (ages.length > 0) metrics.restatements.labels(account, product).inc(ages.length);
        for (const age of ages) metrics.settleSeconds.labels(account, product).observe(age / 1_000);
        if (late > 0) metrics.lateRestatements.labels(account, product).inc(late);
        if (lateAmount > 0) metrics.lateAmount.labels(account, product, metric).inc(lateAmount);
      }
      if (givenUp > 0 && !warned.has(`${account} ${product} ${metric} given up`)) {
        warned.add(`${account} ${product} ${metric} given up`);
        log.warn(
          { account, product, metric, buckets: givenUp },
          'buckets given up: the platform keeps leaving them out; edge_exporter_buckets_given_up_total counts on',
        );
      }
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
