import type { AccountView } from '../account/account-status.ts';
import type { Store } from '../exposition/store.ts';
import { DROP_REASONS } from '../push/destination-queue.ts';
import { REFUSAL_REASONS } from '../push/protocol.ts';
import type { ReceiverView } from '../push/running-receiver.ts';
import { periodOf } from '../rate-limit/poll-intervals.ts';
import type { State } from '../state/state.ts';
import { VERSION } from '../version.ts';
import { MetricMaker } from './metric-types.ts';
import { OwnMetrics } from './own-metrics.ts';

const WAIT_BUCKETS = [1, 5, 30, 120, 600];
const SETTLE_BUCKETS = [60, 120, 180, 240, 300, 420, 600, 900, 1_800, 3_600];

/** The exporter's own metrics, but for those of its process. */
export function createSelfMetrics() {
  const own = new OwnMetrics();
  const maker = new MetricMaker(own);
  maker
    .gauge('build_info', 'Version of the exporter and of Node.js; always 1.', ['version', 'node_version'])
    .set(1, VERSION, process.version);
  return {
    own,
    families: maker.families,

    // Metrics of polls and their use of the quota.
    polls: maker.counter('polls_total', 'Polls of the platform by outcome.', [
      'account',
      'collector',
      'outcome',
    ]),
    pollDuration: maker.summary(
      'poll_duration_seconds',
      'Duration of polls from their first request; the quantile covers the last 32 polls.',
      ['account', 'collector'],
    ),
    pollLastSuccess: maker.gauge(
      'poll_last_success_timestamp_seconds',
      'When a poll of the collector last succeeded.',
      ['account', 'collector'],
    ),
    pollsOverdue: maker.counter(
      'polls_overdue_total',
      'Polls that went on for more than a second beyond their timeout: the exporter gets too little CPU, or has a bug.',
      ['account'],
    ),
    operations: maker.counter(
      'operations_total',
      'Requests to the platform by HTTP status, "none" if there was no answer.',
      ['account', 'scope', 'status'],
    ),
    operationsWaiting: maker.gauge('operations_waiting', 'Requests that wait in the queue.', [
      'account',
      'scope',
    ]),
    quotaWait: maker.histogram(
      'quota_wait_seconds',
      'Time that requests waited in the queue for the quota or for a free connection.',
      ['account'],
      WAIT_BUCKETS,
    ),
    intervalStretch: maker.gauge(
      'interval_stretch_ratio',
      'Polling interval relative to the schedule, mean over the jobs; above 1 the quota is too small.',
      ['account', 'collector'],
    ),
    jobs: maker.gauge('jobs', 'Scheduled jobs.', ['account', 'collector']),
    jobsDropped: maker.gauge('jobs_dropped', 'Jobs that are not scheduled because of limits.jobs.', [
      'account',
    ]),
    clockSkew: maker.gauge('clock_skew_seconds', 'The platform’s clock minus the machine’s.', ['account']),
    platformClockContradictions: maker.counter(
      'platform_clock_contradictions_total',
      'Answers of the platform whose Date header is 30 s or more off its time as it has run on.',
      ['account'],
    ),

    // Metrics of rows and buckets.
    rejectedRows: maker.counter(
      'rejected_rows_total',
      'Rows of answers that were dropped because they were invalid.',
      ['account', 'collector', 'reason'],
    ),
    bucketsCounted: maker.counter('buckets_counted_total', 'Settled buckets added to counters.', [
      'account',
      'product',
    ]),
    bucketsSkipped: maker.counter(
      'buckets_skipped_total',
      'Buckets that counters skipped because they stayed missing for 20 minutes, in three answers.',
      ['account', 'product'],
    ),
    restatements: maker.counter(
      'restatements_total',
      'Buckets that changed after they were first read: direction="up" where they grew, "down" where they shrank.',
      ['account', 'product', 'metric', 'direction'],
    ),
    settleSeconds: maker.histogram(
      'settle_seconds',
      'Age of buckets when a change was seen.',
      ['product'],
      SETTLE_BUCKETS,
    ),
    lateRestatements: maker.counter(
      'late_restatement_total',
      'Buckets that changed after they were counted; the counters do not contain the change.',
      ['account', 'product'],
    ),
    lateAmount: maker.counter(
      'late_restatement_amount_total',
      'By how much buckets changed after they were counted, up or down, in the platform’s unit.',
      ['account', 'product', 'metric'],
    ),
    accountOwner: maker.gauge(
      'account_owner',
      '1 for each account that this replica owns; of replicas that share a database, one owns an account.',
      ['account'],
    ),
    shardInfo: maker.gauge(
      'shard_info',
      'Shard of this process, of several that divide what is polled by names alone: --shard by="accounts", --shard.configurations by="configurations"; always 1. Absent without either.',
      ['shard', 'of', 'by'],
    ),
    stateDurable: maker.gauge(
      'state_durable',
      'Whether counters are stored in --state.dir, or in the database of --state.url: 1, or 0 while that cannot be used and counters are withheld. Absent without either.',
      ['directory'],
    ),
    stateErrors: maker.counter(
      'state_errors_total',
      'Failed commits to the state directory; nothing of them was exposed.',
      [],
    ),

    // The exporter as a whole.
    sandbox: maker.gauge(
      'sandbox',
      'Whether the exporter polls the embedded platform, whose data is made up: 1 or 0.',
      [],
    ),
    series: maker.gauge('series', 'Series of the platform that are exposed.', []),
    seriesDropped: maker.counter(
      'series_dropped_total',
      'Series that are not exposed because of limits.series.',
      [],
    ),
    seriesDuplicate: maker.counter(
      'series_duplicate_total',
      'Samples that are not exposed because another job exposes the same series.',
      [],
    ),
    labelsShortened: maker.counter(
      'labels_shortened_total',
      'Label values that were truncated to 1024 characters.',
      [],
    ),
    configReloadSuccessful: maker.gauge(
      'config_last_reload_successful',
      'Whether the last attempt to load the configuration succeeded.',
      [],
    ),
    configReloadTimestamp: maker.gauge(
      'config_last_reload_success_timestamp_seconds',
      'When the configuration in use was loaded.',
      [],
    ),
    clockSteps: maker.counter('clock_steps_total', 'Changes of the machine’s clock while running.', []),
    clockLastStep: maker.gauge(
      'clock_last_step_seconds',
      'Last change of the machine’s clock while running, negative if it was set back; 0 if none.',
      [],
    ),
    stalled: maker.counter(
      'stalled_seconds_total',
      'Time in stalls of 10 s or more, in which the process was suspended or its event loop blocked.',
      [],
    ),

    // What is pushed to receivers, and what waits for them.
    outboxSamples: maker.gauge(
      'outbox_samples',
      'Samples that wait for a receiver; absent until it is known what an earlier run left.',
      ['receiver'],
    ),
    outboxBytes: maker.gauge(
      'outbox_bytes',
      'Size of what waits for a receiver; absent until it is known what an earlier run left.',
      ['receiver'],
    ),
    outboxOldest: maker.gauge(
      'outbox_oldest_timestamp_seconds',
      'Since when the oldest sample has waited for a receiver; absent when none waits.',
      ['receiver'],
    ),
    pushSent: maker.counter('push_samples_sent_total', 'Samples that a receiver has taken.', ['receiver']),
    pushRefused: maker.counter(
      'push_samples_refused_total',
      'Samples that a receiver refused for good, by reason; they are not sent again.',
      ['receiver', 'reason'],
    ),
    pushDropped: maker.counter(
      'push_samples_dropped_total',
      'Samples that left the outbox unsent, by reason.',
      ['receiver', 'reason'],
    ),
    pushFailures: maker.counter(
      'push_failures_total',
      'Requests to a receiver that failed and were made again.',
      ['receiver'],
    ),
    pushDefects: maker.counter(
      'push_defects_total',
      'Times that a fault of the exporter itself interrupted the pushing to a receiver for a minute: a bug, see its log.',
      ['receiver'],
    ),
    pushLastSuccess: maker.gauge(
      'push_last_success_timestamp_seconds',
      'When a receiver last took samples.',
      ['receiver'],
    ),
  };
}

export type SelfMetrics = ReturnType<typeof createSelfMetrics>;

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

/** Sets whether the state can be used now: for every scrape, since an alert and the page tell it. */
export function measureState(
  { stateDurable }: SelfMetrics,
  { kind, directory }: Pick<State, 'kind' | 'directory'>,
): void {
  if (directory !== undefined) stateDurable.set(kind === 'durable' ? 1 : 0, directory);
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

/** Updates the metrics of accounts, one account per step; series of removed accounts are removed at the end. */
export function* measureAccounts(
  metrics: SelfMetrics,
  accounts: readonly AccountView[],
  now: number,
): Generator<undefined, void> {
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
  for (const measured of [waitingOperations, clockSkew, scheduledJobs, intervalStretch])
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
    if (samples !== undefined) measures.samples.set(samples, name);
    if (bytes !== undefined) measures.bytes.set(bytes, name);
    if (oldest !== undefined) measures.oldest.set(oldest / 1_000, name);
    if (lastSuccessAt !== undefined) measures.lastSuccess.set(lastSuccessAt / 1_000, name);
  }
  for (const measured of Object.values(measures)) yield* measured.end();
}

interface CollectorJobs {
  jobs: number;
  /** Those that were polled twice and do not fail, and the sum of their intervals relative to the schedule. */
  measured: number;
  stretches: number;
}

/** The jobs of each collector of an account, and how far their intervals are stretched. */
function jobsByCollector({ jobs }: AccountView): ReadonlyMap<string, CollectorJobs> {
  const found = new Map<string, CollectorJobs>();
  for (const { job, intervalMs, lastOutcome } of jobs()) {
    if (job.schedule === undefined) continue;
    const { collector } = job.subject;
    const sum = found.get(collector) ?? { jobs: 0, measured: 0, stretches: 0 };
    found.set(collector, sum);
    sum.jobs += 1;
    // What fails is asked for less often, whatever the quota.
    if (intervalMs === undefined || (lastOutcome !== 'ok' && lastOutcome !== 'empty')) continue;
    sum.measured += 1;
    const stretch = intervalMs / periodOf(job.schedule).longest;
    // Reconciliation does not always have something to ask, and is planned to be asked for less often.
    const share = collector === 'reconciliation' ? Math.min(1, job.cost()) : 1;
    sum.stretches += Math.max(1, stretch * share);
  }
  return found;
}
