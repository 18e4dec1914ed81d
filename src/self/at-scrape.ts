import type { AccountTally } from '../account/tally.ts';
import type { Store } from '../exposition/store.ts';
import type { State } from '../state/state.ts';
import type { SelfMetrics } from './metrics.ts';

/** Sets those of the exporter's own metrics that are only known at the moment of a scrape. */
export function measureNow(
  metrics: SelfMetrics,
  store: Pick<Store, 'seriesCount' | 'droppedSeries' | 'duplicateSeries'>,
  state: Pick<State, 'kind' | 'directory'>,
  accounts: readonly AccountTally[],
): void {
  metrics.series.set(store.seriesCount);
  advanceTo(metrics.seriesDropped, store.droppedSeries);
  advanceTo(metrics.seriesDuplicate, store.duplicateSeries);
  metrics.stateDurable.reset();
  if (state.directory !== undefined)
    metrics.stateDurable.labels(state.directory).set(state.kind === 'durable' ? 1 : 0);
  for (const gauge of [metrics.operationsWaiting, metrics.clockSkew, metrics.jobs, metrics.intervalStretch]) {
    gauge.reset();
  }
  for (const { name, clockSkewMs, waiting, collectors } of accounts) {
    metrics.clockSkew.labels(name).set(clockSkewMs / 1_000);
    for (const [scope, count] of waiting) metrics.operationsWaiting.labels(name, scope).set(count);
    for (const [collector, { jobs, stretch }] of collectors) {
      metrics.jobs.labels(name, collector).set(jobs);
      if (stretch !== undefined) metrics.intervalStretch.labels(name, collector).set(stretch);
    }
  }
}

/** A counter that is kept elsewhere, where it only grows. */
function advanceTo(counter: SelfMetrics['seriesDropped'], total: number): void {
  counter.reset();
  counter.inc(total);
}
