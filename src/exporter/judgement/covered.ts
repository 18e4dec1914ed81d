import type { FailureOutcome } from '../platform/read.ts';
import { grouped } from '../text/figures.ts';
import { count, greatestFirst, type JobFacts, readsSeries } from './tally.ts';

/** Why something is wrong: a way in which polls fail, or something that no poll fails of. */
export type CauseKind =
  | FailureOutcome
  /** The platform, or whatever answers in its place, does not serve the account. */
  | 'unreachable'
  /** Polls wait for the quota longer than planned. */
  | 'quota'
  /** Polls succeed, and the platform has nothing newer. */
  | 'platform_late'
  /** Polls wait, though the platform and the quota would allow them. */
  | 'exporter_late'
  /** The platform has nothing of what is configured. */
  | 'nothing_there'
  | 'first_polls'
  /** A part has never been read, while others have. */
  | 'not_read_yet'
  | 'counters_behind'
  /** Answers lack buckets between others. */
  | 'rows_missing'
  /** The machine's clock and the platform's differ, and the platform's has not moved. */
  | 'clock'
  /** The platform's clock has moved. */
  | 'platform_clock';

/** Something that is wrong, or worth knowing, with what it explains. Backticks mark what is typed as it is. */
export interface Cause {
  readonly kind: CauseKind;
  /** As a clause. */
  readonly text: string;
  /** Its text without times, where accounts of which it differs need different things; accounts that share it are in the same trouble. */
  readonly alike?: string;
  /** Advice, in sentences. */
  readonly next: string;
  /** Consequences, as clauses. */
  readonly symptoms: readonly string[];
  /** Jobs that it covers. */
  readonly jobs: number;
}

/** What one cause explains. */
export class Covered {
  readonly kind: CauseKind;
  jobs = 0;
  failing = 0;
  late = 0;
  oldestSeconds = 0;
  /** Whether all of them need the permission to read series. */
  ofSeries = true;
  /** Whether any of them belongs to a product, so that it may be why there is no traffic. */
  ofProducts = false;
  /** Whether any of them ever had data. */
  hadData = false;
  /** Of each part that it covers, the metrics of the series that it covers, one for each series. */
  readonly parts = new Map<string, string[]>();
  readonly #reasons = new Map<string, number>();

  constructor(kind: CauseKind) {
    this.kind = kind;
  }

  take({ job, part, failure, late, ageSeconds }: JobFacts): void {
    this.jobs += 1;
    this.ofSeries &&= readsSeries(job);
    this.ofProducts ||= job.product !== undefined;
    this.hadData ||= job.last_bucket_at !== null;
    const metrics = this.parts.get(part) ?? [];
    this.parts.set(part, metrics);
    if (job.metric !== undefined) metrics.push(job.metric);
    if (failure !== undefined) {
      this.failing += 1;
      count(this.#reasons, (job.last_reason ?? this.kind).replace(/\.+$/, ''));
    }
    if (late) {
      this.late += 1;
      this.oldestSeconds = Math.max(this.oldestSeconds, ageSeconds ?? 0);
    }
  }

  /** The most frequent reason, and how many others there are, unless most fail for the one. */
  get reason(): string {
    const [reason = '', ...others] = greatestFirst(this.#reasons);
    const isUsual = (this.#reasons.get(reason) ?? 0) * 2 > this.failing;
    return others.length === 0 || isUsual
      ? reason
      : `${reason}, and for ${numberOf(others.length, 'other reason')}`;
  }
}

/** `1 other part`, `2 other parts`. */
export function numberOf(count: number, things: string): string {
  return `${grouped(count)} ${things}${count === 1 ? '' : 's'}`;
}
