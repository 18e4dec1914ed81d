import type { AccountObserver } from '../account/observer.ts';
import type { SelfMetrics } from './metrics.ts';
import type { ReportLog } from './report-log.ts';

/** Counts what becomes of buckets, and logs what is lost, refused, unknown or changed. */
export function reportData(
  metrics: SelfMetrics,
  log: ReportLog,
): Pick<AccountObserver, 'entered' | 'stateRefused' | 'unknownDimensions' | 'settingChanged'> & {
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
  return {
    entered(account, { product = '', metric = '' }, { counted, skipped, restated }) {
      if (stateFails && counted > 0) {
        stateFails = false;
        log.info({ account }, 'the state can be written again');
      }
      metrics.bucketsCounted.labels(account, product).inc(counted);
      metrics.bucketsGivenUp.labels(account, product).inc(skipped);
      for (const { ages, late, lateAmount } of restated) {
        if (ages.length > 0) metrics.restatements.labels(account, product).inc(ages.length);
        for (const age of ages) metrics.settleSeconds.labels(account, product).observe(age / 1_000);
        if (late > 0) metrics.lateRestatements.labels(account, product).inc(late);
        if (lateAmount > 0) metrics.lateAmount.labels(account, product, metric).inc(lateAmount);
      }
      if (skipped > 0 && isNews(account, `${product} ${metric} given up`)) {
        log.warn(
          { account, product, metric, buckets: skipped },
          'buckets given up: the platform keeps leaving them out; edge_exporter_buckets_given_up_total counts on',
        );
      }
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
    unknownDimensions(account, { metric = '' }, dimensions) {
      for (const dimension of dimensions) {
        if (!isNews(account, `${metric} ${dimension} unknown`)) continue;
        log.warn({ account, metric, dimension }, 'unknown to the catalogue: exported raw as edge_metric');
      }
    },
    settingChanged(account, { collector, id, name, fields }) {
      log.info({ account, collector, id, name, fields: fields.join() }, 'a setting has changed');
    },
    left: (account) => void warned.delete(account),
  };
}
