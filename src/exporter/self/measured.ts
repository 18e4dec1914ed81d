import type { AccountView } from '../account/view.ts';
import type { Store } from '../exposition/store.ts';
import { REFUSAL_REASONS } from '../push/protocol.ts';
import { DROP_REASONS } from '../push/receiver-queue.ts';
import type { ReceiverView } from '../push/running-receiver.ts';
import type { State } from '../state/state.ts';
import type { SelfMetrics } from './self-metrics.ts';

/** Updates the metrics of the store. */
export function measureStore(
  { series, seriesDropped, seriesDuplicate, labelsShortened }: SelfMetrics,
  store: Pick<Store, 'seriesCount' | 'droppedSeries' | 'duplicateSeries' | 'shortenedLabels'>,
): void {
  series.set(store.seriesCount);
  seriesDropped.set(store.droppedSeries);
  seriesDuplicate.set(store.duplicateSeries);
  labelsShortened.set(store.shortenedLabels);
}

/** Sets which accounts this replica owns now: for every scrape, since another may own them a moment later. */
export function* measureOwners(
  { accountOwner }: SelfMetrics,
  owned: readonly string[],
): Generator<undefined, void> {
  const owners = accountOwner.replacing();
  for (const account of owned) owners.set(1, account);
  yield* owners.end();
}

/** Updates the metrics of the state and of accounts, one account per step; series of removed accounts are removed at the end. */
export function* measureAccounts(
  metrics: SelfMetrics,
  state: Pick<State, 'kind' | 'directory'>,
  accounts: readonly AccountView[],
  now: number,
): Generator<undefined, void> {
  const stateDurable = metrics.stateDurable.replacing();
  if (state.directory !== undefined) stateDurable.set(state.kind === 'durable' ? 1 : 0, state.directory);
  const waitingOperations = metrics.operationsWaiting.replacing();
  const clockSkew = metrics.clockSkew.replacing();
  const scheduledJobs = metrics.jobs.replacing();
  const intervalStretch = metrics.intervalStretch.replacing();
  for (const view of accounts) {
    const { name, platform, queue } = view;
    clockSkew.set(platform.platformClock.wallSkewMs / 1_000, name);
    for (const scope of platform.scopes.all) {
      waitingOperations.set(queue.waiting(now, scope.name), name, scope.name);
    }
    for (const [collector, { jobs, measured, stretches }] of jobsByCollector(view)) {
      scheduledJobs.set(jobs, name, collector);
      // Until jobs that a reload has started anew have been polled twice.
      if (measured > 0) intervalStretch.set(stretches / measured, name, collector);
      else intervalStretch.keep(name, collector);
    }
    if (view.isBeginning()) for (const jobs of [scheduledJobs, intervalStretch]) jobs.keepAll(name);
    yield;
  }
  for (const measured of [stateDurable, waitingOperations, clockSkew, scheduledJobs, intervalStretch])
    yield* measured.end();
}

/**
 * Sets what waits for receivers, a receiver's series that goes a step. Whatever counts losses begins at 0: Prometheus sees no increase of what begins at its first loss.
 */
export function* measurePush(
  metrics: SelfMetrics,
  receivers: readonly ReceiverView[],
): Generator<undefined, void> {
  const { outboxSamples, outboxBytes, outboxOldest, pushLastSuccess } = metrics;
  for (const { name } of receivers) {
    for (const reason of REFUSAL_REASONS) metrics.pushRefused.add(0, name, reason);
    for (const reason of DROP_REASONS) metrics.pushDropped.add(0, name, reason);
    for (const counter of [metrics.pushSent, metrics.pushFailures, metrics.pushDefects]) counter.add(0, name);
  }
  const measures = {
    samples: outboxSamples.replacing(),
    bytes: outboxBytes.replacing(),
    oldest: outboxOldest.replacing(),
    lastSuccess: pushLastSuccess.replacing(),
  };
  for (const { name, samples, bytes, oldest, lastSuccessAt } of receivers) {
    measures.samples.set(samples, name);
    measures.bytes.set(bytes, name);
    if (oldest !== undefined) measures.oldest.set(oldest / 1_000, name);
    if (lastSuccessAt !== undefined) measures.lastSuccess.set(lastSuccessAt / 1_000, name);
  }
  for (const measured of Object.values(measures)) yield* measured.end();
}

interface CollectorJobs {
  jobs: number;
  /** Those that were polled twice, and the sum of their intervals relative to the schedule. */
  measured: number;
  stretches: number;
}

/** The jobs of each collector of an account, and how far their intervals are stretched. */
function jobsByCollector({ jobs, forecast }: AccountView): ReadonlyMap<string, CollectorJobs> {
  const found = new Map<string, CollectorJobs>();
  for (const { job, intervalMs } of jobs()) {
    if (job.schedule === undefined) continue;
    const { collector } = job.subject;
    const sum = found.get(collector) ?? { jobs: 0, measured: 0, stretches: 0 };
    found.set(collector, sum);
    sum.jobs += 1;
    if (intervalMs === undefined) continue;
    sum.measured += 1;
    const stretch = intervalMs / forecast.periodOf(job.schedule);
    // Reconciliation does not always have something to ask, and is planned to be asked for less often.
    const share = collector === 'reconciliation' ? Math.min(1, job.cost()) : 1;
    sum.stretches += Math.max(1, stretch * share);
  }
  return found;
}
