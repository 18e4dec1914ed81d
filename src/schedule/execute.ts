import type { Clock } from '../clock.ts';
import type { Rejections } from '../decode/points.ts';
import { strangenessOf } from '../platform/exchange.ts';
import { type Outcome, PlatformFailure } from '../platform/outcome.ts';
import type { Answer, Read, Resource } from '../platform/read.ts';
import type { DemandForecast } from '../rate-limit/demand-forecast.ts';
import type { RequestQueue } from '../rate-limit/request-queue.ts';
import { type Job, type PollReport, RowsRejected } from './job.ts';
import type { JobEntry } from './job-entry.ts';

/** A poll that is over. */
export interface PollEnd {
  readonly job: Job;
  readonly outcome: Outcome;
  /** Why, in plain words, when it failed. */
  readonly reason: string | undefined;
  readonly report: PollReport | undefined;
  /** Rows of the answer that were dropped. */
  readonly rejected: Rejections | undefined;
  /** What was strange about the answer, when it failed since it was not the platform that answered. */
  readonly strangeness: string | undefined;
  /** Operations that it performed; a poll of none says nothing of the platform. */
  readonly operations: number;
  /** From when its first operation left (ms). */
  readonly durationMs: number;
}

export interface ExecuteOptions {
  readonly clock: Clock;
  readonly queue: RequestQueue;
  readonly forecast: DemandForecast;
  /** Performs an operation whose turn has come. */
  readonly exchange: (resource: Resource, signal: AbortSignal) => Promise<Answer>;
  readonly onPollEnd: (end: PollEnd) => void;
  /** A fault of the exporter itself: a poll failed in a way that no platform can cause. */
  readonly onDefect: (job: Job, error: unknown) => void;
}

/** Polls once. Whatever happens in it becomes the poll's outcome and touches no other; it never rejects. */
export async function execute(entry: JobEntry, options: ExecuteOptions): Promise<void> {
  try {
    const report = await entry.job.poll(readFor(entry, options), entry.signal);
    const { outcome, rejected } = report;
    end(entry, options, { ...BLANK, outcome, report, rejected });
  } catch (error) {
    if (entry.signal.aborted) return;
    if (error instanceof PlatformFailure) return end(entry, options, endingOf(error));
    options.onDefect(entry.job, error);
    const reason = 'a fault of the exporter, see its log';
    end(entry, options, { ...BLANK, outcome: 'undecodable', reason });
  } finally {
    entry.rest(options.clock.now());
  }
}

type Ending = Omit<PollEnd, 'job' | 'operations' | 'durationMs'>;

const BLANK = { reason: undefined, report: undefined, rejected: undefined, strangeness: undefined };

function endingOf(failure: PlatformFailure): Ending {
  return {
    outcome: failure.outcome,
    reason: failure.message,
    report: undefined,
    rejected: failure instanceof RowsRejected ? failure.rejected : undefined,
    strangeness: strangenessOf(failure),
  };
}

function end(entry: JobEntry, { clock, onPollEnd }: ExecuteOptions, ending: Ending): void {
  const { job, operations, startedAt } = entry;
  const now = clock.now();
  entry.end(now, ending.outcome, ending.reason, ending.report);
  onPollEnd({ job, ...ending, operations, durationMs: now - (startedAt ?? now) });
}

/** A read for one poll: each of its operations waits for its turn. */
function readFor(entry: JobEntry, { clock, queue, forecast, exchange }: ExecuteOptions): Read {
  return async (resource, signal) => {
    const request = {
      group: entry.job.group,
      notBefore: entry.dueAt ?? clock.now(),
      weight: entry.job.weight,
      since: entry.since,
      plannedIntervalMs: () => forecast.intervalOf(entry.job),
    };
    entry.request ??= request;
    const over = await queue.turn(request, signal);
    entry.start(clock.now());
    entry.operations += 1;
    try {
      return await exchange(resource(), signal);
    } finally {
      over();
    }
  };
}
