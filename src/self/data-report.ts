import type { AccountObserver } from '../account/observer.ts';
import type { Job } from '../poll/job.ts';
import type { Counting, PollResult, Restatements } from '../poll/result.ts';
import type { ReportLog } from './report-log.ts';
import type { SelfMetrics } from './self-metrics.ts';

function reportRestatements(
  metrics: SelfMetrics,
  account: string,
  { product, metric }: { readonly product: string; readonly metric: string },
  { ages, downwards, late, lateAmount }: Restatements,
): void {
  const upwards = ages.length - downwards;
  if (upwards > 0) metrics.restatements.add(upwards, account, product, metric, 'up');
  if (downwards > 0) metrics.restatements.add(downwards, account, product, metric, 'down');
  for (const age of ages) metrics.settleSeconds.observe(age / 1_000, product);
  if (late > 0) metrics.lateRestatements.add(late, account, product);
  if (lateAmount > 0) metrics.lateAmount.add(lateAmount, account, product, metric);
}

/** Counts buckets, and logs what is lost, refused, unknown or changed. */
export function reportData(
  metrics: SelfMetrics,
  log: ReportLog,
): Pick<AccountObserver, 'polled' | 'commitRefused' | 'delayChanged' | 'labelShortened'> & {
  left(account: string): void;
} {
  /** What each account was warned of, once. */
  const warned = new Map<string, Set<string>>();
  const isNews = (account: string, about: string): boolean => {
    const known = warned.get(account) ?? new Set();
    warned.set(account, known);
    if (known.has(about)) return false;
    known.add(about);
    return true;
  };
  let stateFails = false;

  const counted = (account: string, { subject }: Job, { counted, skipped, restated }: Counting) => {
    const { product = '', metric = '' } = subject;
    if (stateFails && counted > 0) {
      stateFails = false;
      log.info({ account }, 'writing the state works again');
    }
    metrics.bucketsCounted.add(counted, account, product);
    metrics.bucketsSkipped.add(skipped, account, product);
    for (const changes of restated) reportRestatements(metrics, account, { product, metric }, changes);
    if (skipped > 0 && isNews(account, `${product} ${metric} skipped`)) {
      log.warn(
        { account, product, metric, buckets: skipped },
        'counters skip buckets that stay missing; edge_exporter_buckets_skipped_total counts them',
      );
    }
  };

  const read = (account: string, { subject }: Job, { unknownDimensions = [] }: PollResult) => {
    const { metric = '' } = subject;
    for (const dimension of unknownDimensions) {
      if (!isNews(account, `${metric} ${dimension} unknown`)) continue;
      log.warn({ account, metric, dimension }, 'unknown metric or dimension: exported raw as edge_metric');
    }
  };

  return {
    polled(account, { job, result, committed }) {
      if (result === undefined) return;
      read(account, job, result);
      if (result.warning !== undefined) log.warn({ account, job: job.id }, result.warning);
      if (!committed) return;
      if (result.counting !== undefined) counted(account, job, result.counting);
      for (const { id, name, fields } of result.settingChanges ?? []) {
        log.info({ account, collector: job.id, id, name, fields: fields.join() }, 'setting changed');
      }
    },
    commitRefused(account, { subject: { product, metric } }, failure) {
      metrics.stateErrors.add(1);
      if (!stateFails)
        log.error({ account, product, metric, err: failure }, 'the state cannot be written: counters wait');
      stateFails = true;
    },
    delayChanged(account, { product, metric, delay, before, after }) {
      const facts = {
        account,
        product,
        metric,
        delay,
        from_seconds: before / 1_000,
        to_seconds: after / 1_000,
      };
      log.info(facts, 'a learned delay has changed');
    },
    labelShortened(label, shown) {
      if (isNews('', `${label} shortened`))
        log.warn({ label, begins: shown.slice(0, 60) }, 'a label value is too long and was truncated');
    },
    left: (account) => void warned.delete(account),
  };
}
