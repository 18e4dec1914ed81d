import type { Sample } from '../catalogue/family.ts';
import { RECONCILIATION_RATIO } from '../catalogue/platform-families.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import type { PollResult } from '../poll/result.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import type { Counter } from './counter.ts';

/** Counters are compared with the platform over spans of about an hour. */
const SPAN_MS = 60 * MINUTE_MS;

/** Checkpoints are at least so far apart (ms). */
export const SPACING_MS = 5 * MINUTE_MS;

/** How long checkpoints are kept. */
const KEPT_MS = 4 * SPAN_MS;

/** What was counted over a past span, to be compared with what the platform says of it now. */
export interface CountedSpan {
  readonly window: Window;
  /** The sum of all its buckets, over all counted dimensions. */
  readonly counted: number;
}

/** Where the counters stood at some moments in which all had the same watermark and lacked nothing before it. */
export class Checkpoints {
  /** Those moments, ascending, and the sum of all counters at each. */
  readonly #watermarks: number[] = [];
  readonly #sums: number[] = [];

  note(counters: Iterable<readonly [string, Counter]>): void {
    const point = checkpoint(counters);
    const last = this.#watermarks.at(-1);
    if (point === undefined || point.watermark % MINUTE_MS !== 0) return;
    if (last !== undefined && point.watermark < last + SPACING_MS) return;
    this.#watermarks.push(point.watermark);
    this.#sums.push(point.sum);
    while (Number(this.#watermarks[0]) < point.watermark - KEPT_MS)
      for (const column of [this.#watermarks, this.#sums]) column.shift();
  }

  /** The newest span of at most an hour that ended at or before `until`, if there is one of half an hour at least. */
  spanBefore(until: number): CountedSpan | undefined {
    const end = this.#watermarks.findLastIndex((watermark) => watermark <= until);
    if (end < 0) return undefined;
    const to = Number(this.#watermarks[end]);
    const start = this.#watermarks.findIndex((watermark) => watermark >= to - SPAN_MS);
    const from = Number(this.#watermarks[start]);
    if (to - from < SPAN_MS / 2) return undefined;
    return { window: { from, to }, counted: Number(this.#sums[end]) - Number(this.#sums[start]) };
  }
}

function checkpoint(
  counters: Iterable<readonly [string, Counter]>,
): { readonly watermark: number; readonly sum: number } | undefined {
  let watermark: number | undefined;
  let sum = 0;
  for (const [, counter] of counters) {
    if (counter.missing.length > 0) return undefined;
    if (watermark !== undefined && counter.watermark !== watermark) return undefined;
    watermark = counter.watermark;
    sum += counter.total;
  }
  return watermark === undefined ? undefined : { watermark, sum };
}

/** Something whose counters can be compared with the platform: one metric of one target. */
export interface Reconcilable {
  readonly id: string;
  readonly product: string;
  /** What was counted over a past span that ended by `until`; undefined when there is no such span. */
  spanBefore(until: number): CountedSpan | undefined;
  /** What the platform says now of the same span. @throws PlatformFailure */
  truthOf(span: CountedSpan, read: Read, signal: AbortSignal): Promise<number | undefined>;
}

export interface ReconciliationOptions {
  readonly account: string;
  /** Operations per minute that may be spent. */
  readonly perMinute: () => number;
  readonly candidates: () => readonly Reconcilable[];
  readonly platformClock: PlatformClock;
}

interface Check {
  readonly product: string;
  readonly end: number;
  readonly counted: number;
  readonly truth: number;
}

/** A span is compared this long after its end, so that changes which came too late for the counters show. */
const COMPARE_AFTER_MS = 60 * MINUTE_MS;

/** Reconciliation runs only when quota is left over. */
const RECONCILIATION_WEIGHT = 0.05;

/** How old a comparison may be to count. */
const MEMORY_MS = 24 * 60 * MINUTE_MS;

/** Compares what was counted over past hours with the platform's own answer for them, a few operations at a time. */
export class ReconciliationJob implements Job<number> {
  readonly id: string;
  readonly subject = { collector: 'reconciliation' };
  readonly schedule = '* * * * *';
  readonly group: string;
  readonly weight = RECONCILIATION_WEIGHT;
  readonly #options: ReconciliationOptions;
  /** The latest comparison of each candidate. */
  readonly #checks = new Map<string, Check>();
  /** The end of the span last compared, or tried to, by candidate. */
  readonly #attempts = new Map<string, number>();
  #credit = 0;

  constructor(group: string, options: ReconciliationOptions) {
    this.id = `reconciliation/${group}`;
    this.group = group;
    this.#options = options;
  }

  /** On average, since it only reads when it has saved up for an operation and there is a new span to compare. */
  cost(): number {
    const { perMinute, candidates } = this.#options;
    return Math.min(perMinute(), candidates().length * (MINUTE_MS / SPACING_MS));
  }

  /** How many candidates could be compared. */
  async read(read: Read, signal: AbortSignal): Promise<number> {
    const { perMinute, platformClock, candidates } = this.#options;
    this.#credit = Math.min(this.#credit + perMinute(), Math.max(1, perMinute()));
    const now = platformClock.now();
    const all = candidates();
    let compared = 0;
    for (const candidate of this.#oldestFirst(all)) {
      if (this.#credit < 1) break;
      const span = candidate.spanBefore(now - COMPARE_AFTER_MS);
      if (span === undefined || span.window.to <= this.#endOf(candidate)) continue;
      this.#credit -= 1;
      if (await this.#compare(candidate, span, read, signal)) compared += 1;
    }
    this.#forget(now, all);
    return compared;
  }

  conclude(compared: number): PollResult {
    const samples = this.#samples();
    return { outcome: compared > 0 ? 'ok' : 'empty', adopt: () => [{ part: 'ratio', samples }] };
  }

  /** Whether there was something to compare with. A candidate that cannot be read must not hold up the others. */
  async #compare(
    candidate: Reconcilable,
    span: CountedSpan,
    read: Read,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { product, id } = candidate;
    this.#attempts.set(id, span.window.to);
    try {
      const truth = await candidate.truthOf(span, read, signal);
      if (truth === undefined) return false;
      this.#checks.set(id, { product, end: span.window.to, counted: span.counted, truth });
      return true;
    } catch (failure) {
      if (!(failure instanceof PlatformFailure)) throw failure;
      return false;
    }
  }

  #oldestFirst(candidates: readonly Reconcilable[]): Reconcilable[] {
    return candidates.toSorted((a, b) => this.#endOf(a) - this.#endOf(b));
  }

  #endOf({ id }: Reconcilable): number {
    return this.#attempts.get(id) ?? Number.NEGATIVE_INFINITY;
  }

  #forget(now: number, candidates: readonly Reconcilable[]): void {
    for (const [id, { end }] of this.#checks) {
      if (end >= now - MEMORY_MS) continue;
      this.#checks.delete(id);
      this.#attempts.delete(id);
    }
    // What is gone may never have been compared: its reads fail.
    const present = new Set(candidates.map(({ id }) => id));
    for (const id of this.#attempts.keys()) if (!present.has(id)) this.#attempts.delete(id);
  }

  /** By product, over the latest comparison of each of its series; without traffic there is nothing to compare. */
  #samples(): Sample[] {
    const sums = new Map<string, { counted: number; truth: number }>();
    for (const { product, counted, truth } of this.#checks.values()) {
      const sum = sums.get(product) ?? { counted: 0, truth: 0 };
      sums.set(product, { counted: sum.counted + counted, truth: sum.truth + truth });
    }
    return [...sums].flatMap(([product, { counted, truth }]) => {
      if (truth === 0) return [];
      const labels = { account: this.#options.account, product };
      return [{ family: RECONCILIATION_RATIO, labels, value: counted / truth }];
    });
  }
}
