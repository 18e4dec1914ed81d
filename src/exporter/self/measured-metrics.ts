import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { AccountView } from '../account/account-status.ts';
import type { Member } from '../cluster/member.ts';
import type { Store } from '../exposition/store.ts';
import type { ReceiverView } from '../push/running-receiver.ts';
import { periodOf } from '../rate-limit/poll-intervals.ts';
import type { State } from '../state/state.ts';
import { createSelfMetrics, named } from './self-metrics.ts';

/** Sources that are measured when the registry is collected. */
export interface Measured {
  readonly store: Pick<Store, 'seriesCount' | 'droppedSeries' | 'duplicateSeries' | 'shortenedLabels'>;
  readonly state: Pick<State, 'kind' | 'directory'>;
  readonly member?: Pick<Member, 'owned'> | undefined;
  readonly accounts: () => readonly AccountView[];
  readonly receivers: () => readonly ReceiverView[];
  /** Returns the local time (ms). */
  readonly now: () => number;
}

/** Returns a registry of metrics about the current state of the exporter and its accounts. */
export function measuredMetrics(measured: Measured): Registry {
  const registry = new Registry();
  const { store, state, member } = measured;
  const gauge = gaugesOf(registry);
  const total = (name: string, help: string, read: () => number) =>
    new Counter({
      ...named(registry, name, help),
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  gauge('series', 'Series of the platform that are exposed.', [], (set) => set({}, store.seriesCount));
  total(
    'series_dropped_total',
    'Series that are not exposed because of limits.series.',
    () => store.droppedSeries,
  );
  total(
    'series_duplicate_total',
    'Samples that are not exposed because another job exposes the same series.',
    () => store.duplicateSeries,
  );
  total(
    'labels_shortened_total',
    'Label values that were truncated to 1024 characters.',
    () => store.shortenedLabels,
  );
  gauge(
    'state_durable',
    'Whether counters are stored in --state.dir, or in the database of --state.url: 1, or 0 while that cannot be used and counters are withheld. Absent without either.',
    ['directory'],
    (set) => {
      const { kind, directory } = state;
      if (directory !== undefined) set({ directory }, kind === 'durable' ? 1 : 0);
    },
  );
  gauge(
    'account_owner',
    '1 for each account that this replica owns; of replicas that share a database, one owns an account.',
    ['account'],
    (set) => {
      for (const account of member?.owned() ?? []) set({ account }, 1);
    },
  );
  addAccounts(gauge, measured);
  addReceivers(gauge, measured);
  return registry;
}

function addAccounts(gauge: ReturnType<typeof gaugesOf>, { accounts, now }: Measured): void {
  gauge('operations_waiting', 'Requests that wait in the queue.', ['account', 'scope'], (set) => {
    for (const { name, platform, queue } of accounts())
      for (const { name: scope } of platform.scopes.all)
        set({ account: name, scope }, queue.waiting(now(), scope));
  });
  gauge('clock_skew_seconds', 'The platform’s clock minus the machine’s.', ['account'], (set) => {
    for (const { name, platform } of accounts())
      set({ account: name }, platform.platformClock.wallSkewMs / 1_000);
  });
  let known: ReadonlyMap<string, ReadonlyMap<string, CollectorState>> = new Map();
  const ofCollector = (name: string, help: string, read: (state: CollectorState) => number | undefined) =>
    gauge(name, help, ['account', 'collector'], (set) => {
      known = new Map(accounts().map((view) => [view.name, collectorsOf(view, known.get(view.name))]));
      for (const [account, collectors] of known)
        for (const [collector, state] of collectors) {
          const value = read(state);
          if (value !== undefined) set({ account, collector }, value);
        }
    });
  ofCollector('jobs', 'Scheduled jobs.', ({ jobs }) => jobs);
  ofCollector(
    'interval_stretch_ratio',
    'Polling interval relative to the schedule, mean over the jobs; above 1 the quota is too small.',
    ({ stretch }) => stretch,
  );
}

function addReceivers(gauge: ReturnType<typeof gaugesOf>, { receivers }: Measured): void {
  const ofReceiver = (name: string, help: string, read: (view: ReceiverView) => number | undefined) =>
    gauge(name, help, ['receiver'], (set) => {
      for (const view of receivers()) {
        const value = read(view);
        if (value !== undefined) set({ receiver: view.name }, value);
      }
    });
  ofReceiver(
    'outbox_samples',
    'Samples that wait for a receiver; absent until it is known what an earlier run left.',
    ({ samples }) => samples,
  );
  ofReceiver(
    'outbox_bytes',
    'Size of what waits for a receiver; absent until it is known what an earlier run left.',
    ({ bytes }) => bytes,
  );
  ofReceiver(
    'outbox_oldest_timestamp_seconds',
    'Since when the oldest sample has waited for a receiver; absent when none waits.',
    ({ oldest }) => inSeconds(oldest),
  );
  ofReceiver(
    'push_last_success_timestamp_seconds',
    'When a receiver last took samples.',
    ({ lastSuccessAt }) => inSeconds(lastSuccessAt),
  );
}

/** Returns a function that adds a gauge, whose series are replaced at each collection. */
function gaugesOf(registry: Registry) {
  return <const Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    measure: (set: (labels: Partial<Record<Label, string>>, value: number) => void) => void,
  ) =>
    new Gauge({
      ...named(registry, name, help, labelNames),
      collect() {
        this.reset();
        measure((labels, value) => this.set(labels, value));
      },
    });
}

function inSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}

interface CollectorState {
  jobs: number;
  /** Mean interval relative to the schedule; undefined until a job was polled twice. */
  stretch: number | undefined;
  /** Number of jobs that were polled twice and do not fail. */
  measured: number;
}

/** Returns the jobs of each collector and their stretch. An account that a reload has just started retains the former ones. */
function collectorsOf(
  { jobs, isBeginning }: AccountView,
  before: ReadonlyMap<string, CollectorState> = new Map(),
): ReadonlyMap<string, CollectorState> {
  if (isBeginning()) return before;
  const found = new Map<string, CollectorState>();
  for (const { job, intervalMs, lastOutcome } of jobs()) {
    if (job.schedule === undefined) continue;
    const { collector } = job.subject;
    const state = found.get(collector) ?? { jobs: 0, stretch: before.get(collector)?.stretch, measured: 0 };
    found.set(collector, state);
    state.jobs += 1;
    // Failing jobs are polled less often, whatever the quota.
    if (intervalMs === undefined || (lastOutcome !== 'ok' && lastOutcome !== 'empty')) continue;
    // Reconciliation often has nothing to read, and is planned to read less often than it is polled.
    const share = collector === 'reconciliation' ? Math.min(1, job.cost()) : 1;
    const stretch = Math.max(1, (share * intervalMs) / periodOf(job.schedule).longest);
    const sum = state.measured === 0 ? 0 : state.measured * (state.stretch ?? 0);
    state.measured += 1;
    state.stretch = (sum + stretch) / state.measured;
  }
  return found;
}

/** Sampling interval (ms) of the event loop's delay: at 20 ms, samples cost a third of a percent of a core. */
const EVENT_LOOP_PRECISION_MS = 50;

/** Default metrics that are removed: gauges with names of counters, and extremes that are wrong until the first sample. */
const WITHOUT_MEANING = [
  ...['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`),
  ...['min', 'stddev'].map((what) => `nodejs_eventloop_lag_${what}_seconds`),
];

/** Adds prom-client's metrics of the process: CPU, memory, descriptors, garbage collection, event loop. */
export function addProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  for (const name of WITHOUT_MEANING) registry.removeSingleMetric(name);
}

/** Returns registries with all metrics of the exporter and its process, for documentation, without values. */
export function documentedMetrics(): readonly Registry[] {
  const { registry } = createSelfMetrics();
  addProcess(registry);
  const measured = measuredMetrics({
    store: { seriesCount: 0, droppedSeries: 0, duplicateSeries: 0, shortenedLabels: 0 },
    state: { kind: 'memory', directory: undefined },
    accounts: () => [],
    receivers: () => [],
    now: () => 0,
  });
  return [registry, measured];
}
