import type { AccountObserver } from '../account/account-status.ts';
import type { Clock } from '../clock.ts';
import type { ClockContradiction } from '../platform/platform-clock.ts';
import type { Counting, Job, PollEnd, PollResult, Restatements } from '../poll/job.ts';
import type { TickerReports } from '../poll/ticker.ts';
import type { PushObserver } from '../push/running-receiver.ts';
import {
  FailureLog,
  isNewIn,
  planLog,
  type ReportLog,
  refusalLog,
  rejectionLog,
} from './lasting-problems.ts';
import { reportPush } from './push-report.ts';
import type { SelfMetrics } from './self-metrics.ts';

/** Maximum number of unknown names that are logged per account. A platform may return new ones in every answer. */
const MOST_UNKNOWN = 1_000;

/** Returns an observer that counts the actions of accounts, and logs the beginning and end of each problem for the operator. */
export function reportTo(
  metrics: SelfMetrics,
  log: ReportLog,
  clock: Pick<Clock, 'now' | 'wall'>,
): AccountObserver & PushObserver {
  const accounts = new Map<string, ReturnType<typeof notesOn>>();
  const notesOf = (account: string) => {
    const known = accounts.get(account) ?? notesOn(account, log, clock);
    accounts.set(account, known);
    return known;
  };
  const shortened = new Set<string>();
  let stateFails = false;

  const counted = (account: string, { subject }: Job, { counted, skipped }: Counting): void => {
    const { product = '', metric = '' } = subject;
    if (stateFails && counted > 0) {
      stateFails = false;
      log.info({ account }, 'writing the state works again');
    }
    metrics.bucketsCounted.inc({ account, product }, counted);
    metrics.bucketsSkipped.inc({ account, product }, skipped);
    if (skipped > 0 && notesOf(account).isNews(`${product} ${metric} skipped`)) {
      log.warn(
        { account, product, metric, buckets: skipped },
        'counters skip buckets that stay missing; edge_exporter_buckets_skipped_total counts them',
      );
    }
  };

  const clockContradicted = (account: string, { aheadMs, isBelieved }: ClockContradiction): void => {
    metrics.platformClockContradictions.inc({ account });
    const ahead = { account, ahead_seconds: Math.round(aheadMs / 1_000) };
    if (isBelieved) log.warn(ahead, 'the platform’s clock has jumped: its time is taken from now on');
    else if (notesOf(account).isNews('the platform’s time'))
      log.warn(
        ahead,
        'the platform’s time jumped in an answer: not taken unless all answers agree for 10 min; edge_exporter_platform_clock_contradictions_total counts them',
      );
  };

  const warnOfUnknown = (account: string, metric: string, dimensions: readonly string[]): void => {
    const { unknown } = notesOf(account);
    for (const dimension of dimensions) {
      const name = `${metric} ${dimension}`;
      if (unknown.has(name) || unknown.size >= MOST_UNKNOWN) continue;
      unknown.add(name);
      log.warn({ account, metric, dimension }, 'unknown metric or dimension: exported raw as edge_metric');
      if (unknown.size === MOST_UNKNOWN)
        log.warn({ account }, `${MOST_UNKNOWN} unknown metrics and dimensions: further ones are not logged`);
    }
  };

  const found = (account: string, job: Job, result: PollResult, committed: boolean): void => {
    const { product = '', metric = '' } = job.subject;
    const { restated = [] } = result.counting ?? {};
    for (const changes of restated) countRestatements(metrics, account, { product, metric }, changes);
    for (const { ages } of restated)
      for (const age of ages) metrics.settleSeconds.observe({ product }, age / 1_000);
    warnOfUnknown(account, metric, result.unknownDimensions ?? []);
    if (result.warning !== undefined) log.warn({ account, job: job.id }, result.warning);
    if (!committed) return;
    if (result.counting !== undefined) counted(account, job, result.counting);
    for (const { id, name, fields } of result.settingChanges ?? []) {
      log.info({ account, collector: job.id, id, name, fields: fields.join() }, 'setting changed');
    }
  };

  return {
    ...reportPush(metrics, log),
    exchanged(account, info, { scope: { name, limiter }, contradiction }) {
      const { status, method, outcome, path, bytes } = info;
      const ms = Math.round(info.endedAt - info.startedAt);
      const facts = { account, method, path, status, outcome, bytes, ms, remaining: info.rate?.remaining };
      log.debug?.(facts, 'operation');
      metrics.operations.inc({ account, scope: name, status: status ?? 'none' });
      notesOf(account).exchanged(name, info);
      if (contradiction !== undefined) clockContradicted(account, contradiction);
      const namesNone = method === 'GET' && outcome === 'ok' && info.rate?.limit === undefined;
      if (namesNone && limiter.limit === undefined && notesOf(account).isNews('assumed limit'))
        log.warn(
          { account, operations_per_minute: limiter.limitInUse },
          'the platform sends no rate limit headers: quota.assumed_limit applies',
        );
    },
    sourceChosen(account, { collector, source, why }) {
      log.info({ account, collector, source, why }, 'source of series');
    },
    departed(account, waitedMs) {
      metrics.quotaWait.observe({ account }, Math.max(0, waitedMs) / 1_000);
    },
    polled(account, end) {
      countPoll(metrics, account, end);
      const { outcome, operations, job } = end;
      if ((outcome === 'ok' || outcome === 'empty') && operations > 0) {
        const { collector } = job.subject;
        metrics.pollLastSuccess.set({ account, collector }, clock.wall() / 1_000);
        notesOf(account).succeeded.add(collector);
      }
      notesOf(account).failures.polled(end);
      notesOf(account).rejected(end);
      if (end.result !== undefined) found(account, job, end.result, end.committed);
    },
    planned(account, demands, surveyed) {
      notesOf(account).planned(demands, surveyed);
    },
    jobsDropped(account, { count, first }) {
      const notes = notesOf(account);
      if (count === notes.dropped) return;
      notes.dropped = count;
      metrics.jobsDropped.set({ account }, count);
      if (count > 0)
        log.warn({ account, jobs: count, first }, 'too many jobs: those beyond limits.jobs are left out');
    },
    commitRefused(account, { subject: { product, metric } }, failure) {
      metrics.stateErrors.inc();
      if (!stateFails)
        log.error({ account, product, metric, err: failure }, 'the state cannot be written: counters wait');
      stateFails = true;
    },
    labelShortened(label, shown) {
      if (!isNewIn(shortened, label)) return;
      log.warn({ label, begins: shown.slice(0, 60) }, 'a label value is too long and was truncated');
    },
    overdue(account, job, part) {
      metrics.pollsOverdue.inc({ account });
      if (!notesOf(account).isNews('overdue')) return;
      const why = 'the exporter gets too little CPU, or this is a bug';
      log.warn({ account, job: job.id, part }, `a poll goes on beyond its timeout: ${why}`);
    },
    defect(account, job, error) {
      metrics.defects.inc();
      const task = job === undefined ? 'a task of an account' : 'a poll';
      log.error({ account, job: job?.id, err: error }, `${task} failed: this is a bug`);
    },
    collects(account, collectors) {
      const { succeeded } = notesOf(account);
      for (const collector of succeeded) {
        if (collectors.has(collector)) continue;
        metrics.pollLastSuccess.remove({ account, collector });
        succeeded.delete(collector);
      }
    },
    stopFailed(account, failure) {
      log.error({ account, err: failure }, 'the account did not stop properly');
    },
    left(account) {
      for (const collector of notesOf(account).succeeded)
        metrics.pollLastSuccess.remove({ account, collector });
      metrics.jobsDropped.remove({ account });
      accounts.delete(account);
    },
  };
}

/** Returns the log state of an account, so that problems are logged once. A later account of the same name starts anew. */
function notesOn(account: string, log: ReportLog, clock: Pick<Clock, 'now'>) {
  const own = {
    info: (facts: object, message: string) => log.info({ account, ...facts }, message),
    warn: (facts: object, message: string) => log.warn({ account, ...facts }, message),
  };
  const warned = new Set<string>();
  return {
    failures: new FailureLog(own),
    rejected: rejectionLog(own, () => clock.now()),
    exchanged: refusalLog(own),
    planned: planLog(own),
    /** Collectors with a time of their last success. */
    succeeded: new Set<string>(),
    /** Number of jobs above the limit that was logged last. */
    dropped: 0,
    /** Logged metrics and dimensions that the catalogue does not know. */
    unknown: new Set<string>(),
    /** Returns true for the first warning with this text. */
    isNews: (text: string): boolean => isNewIn(warned, text),
  };
}

function countPoll(
  metrics: SelfMetrics,
  account: string,
  { job, outcome, operations, rejected, durationMs }: PollEnd,
): void {
  const { collector } = job.subject;
  metrics.polls.inc({ account, collector, outcome });
  if (operations > 0) metrics.pollDuration.observe({ collector }, durationMs / 1_000);
  for (const [why, rows] of rejected ?? [])
    metrics.rejectedRows.inc({ account, collector, reason: why }, rows);
}

function countRestatements(
  metrics: SelfMetrics,
  account: string,
  { product, metric }: { readonly product: string; readonly metric: string },
  { ages, downwards, late, lateAmount }: Restatements,
): void {
  const upwards = ages.length - downwards;
  if (upwards > 0) metrics.restatements.inc({ account, product, direction: 'up' }, upwards);
  if (downwards > 0) metrics.restatements.inc({ account, product, direction: 'down' }, downwards);
  if (late > 0) metrics.lateRestatements.inc({ account, product }, late);
  if (lateAmount > 0 && Number.isFinite(lateAmount))
    metrics.lateAmount.inc({ account, product, metric }, lateAmount);
}

/** Returns reports that count and log each event of the ticker. */
export function reportTicks(metrics: SelfMetrics, log: ReportLog): TickerReports {
  return {
    failed: (pattern, error) => {
      metrics.defects.inc();
      log.error({ pattern, err: error }, 'a scheduled task failed: this is a bug');
    },
    stepped: (ms) => {
      metrics.clockSteps.inc();
      metrics.clockLastStep.set(ms / 1_000);
      const direction = ms > 0 ? 'forward' : 'back';
      log.warn({ seconds: Math.round(Math.abs(ms) / 1_000) }, `the machine’s clock was set ${direction}`);
    },
    stalled: (ms) => {
      metrics.stalled.inc(ms / 1_000);
      log.warn(
        { seconds: Math.round(ms / 1_000) },
        'the exporter stood still: the process was suspended, or its event loop blocked',
      );
    },
  };
}
