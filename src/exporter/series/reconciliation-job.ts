import type { Sample } from '../catalogue/family.ts';
import { RECONCILIATION_RATIO } from '../catalogue/platform-families.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, type Read } from '../platform/read.ts';
import type { Job, PollResult } from '../poll/job.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import { type AccountMemory, changed, type MemoryPart } from '../state/account-memory.ts';
import { type CountedSpan, SPACING_MS } from './checkpoints.ts';
import type { Series } from './metric-series.ts';
import type { WindowedAnswer } from './series-source.ts';

/** Series whose counters can be compared with the platform. */
export type ComparedSeries = Pick<Series, 'id' | 'target' | 'spanBefore' | 'sumOf'>;

/** Job whose series can be compared, with one read for each. */
export interface ComparedJob {
  readonly series: Iterable<ComparedSeries>;
  readOne(
    series: ComparedSeries,
    window: Window,
    read: Read,
    signal: AbortSignal,
  ): Promise<WindowedAnswer | undefined>;
}

interface Candidate {
  readonly series: ComparedSeries;
  readonly job: ComparedJob;
}

export interface ReconciliationOptions {
  readonly account: string;
  /** Returns the group of its operations, which is that of the source in use. */
  readonly group: () => string;
  /** Returns the operations per minute that may be spent. */
  readonly perMinute: () => number;
  /** Returns the jobs whose series are compared. */
  readonly jobs: () => readonly ComparedJob[];
  readonly platformClock: PlatformClock;
  readonly memory: Pick<AccountMemory, 'of'>;
}

/** Comparison of a past span. */
interface Check {
  readonly product: string;
  /** End of the compared span, and of the latest span that was tried. */
  readonly end: number;
  readonly tried: number;
  readonly counted: number;
  /** Platform's sum; undefined if the answer lacked a bucket or failed. */
  readonly truth: number | undefined;
}

/** Time (ms) from the end of a span to its comparison, so that it includes changes that came too late for the counters. */
const COMPARE_AFTER_MS = 60 * MINUTE_MS;

/** Weight of reconciliation, which runs only with spare quota. */
const RECONCILIATION_WEIGHT = 0.05;

/** Greatest age (ms) of a comparison that is used. */
const MEMORY_MS = 24 * 60 * MINUTE_MS;

/** Latest comparison of each candidate, and the operations that were saved up. */
interface Round {
  readonly checks: ReadonlyMap<string, Check>;
  readonly credit: number;
}

/** Job that compares the counters of past hours with the platform's current answers, a few operations at a time. */
export class ReconciliationJob implements Job<Round> {
  readonly id: string;
  readonly subject = { collector: 'reconciliation' };
  readonly schedule = '* * * * *';
  readonly weight = RECONCILIATION_WEIGHT;
  readonly #options: ReconciliationOptions;
  readonly #part: MemoryPart<Round> = { open: () => ({ checks: new Map(), credit: 0 }) };

  /** @param api API whose series are compared */
  constructor(api: string, options: ReconciliationOptions) {
    this.id = `reconciliation/${api}`;
    this.#options = options;
  }

  get group(): string {
    return this.#options.group();
  }

  /** Returns the mean cost, since a poll reads only with an operation saved up and a new span to compare. */
  cost(): number {
    const candidates = this.#candidates().length;
    return Math.min(this.#options.perMinute(), candidates * (MINUTE_MS / SPACING_MS));
  }

  /** Reads the spans of as many candidates as the saved operations allow, the longest uncompared first. */
  async read(read: Read, signal: AbortSignal): Promise<Round> {
    const { perMinute, platformClock, memory } = this.#options;
    const known = memory.of(this.#part);
    const endOf = ({ series: { id } }: Candidate) => known.checks.get(id)?.tried ?? Number.NEGATIVE_INFINITY;
    const checks = new Map<string, Check>();
    let credit = Math.min(known.credit + perMinute(), Math.max(1, perMinute()));
    for (const candidate of this.#candidates().toSorted((a, b) => endOf(a) - endOf(b))) {
      if (credit < 1) break;
      const span = candidate.series.spanBefore(platformClock.now() - COMPARE_AFTER_MS);
      if (span === undefined || span.window.to <= endOf(candidate)) continue;
      credit -= 1;
      const check = await compared(candidate, span, read, signal);
      const before = check.truth === undefined ? known.checks.get(candidate.series.id) : undefined;
      checks.set(candidate.series.id, before === undefined ? check : { ...before, tried: check.tried });
    }
    return { checks, credit };
  }

  conclude(round: Round | PlatformFailure): PollResult {
    if (round instanceof PlatformFailure) throw round;
    const { memory, platformClock } = this.#options;
    const present = new Set(this.#candidates().map(({ series }) => series.id));
    const oldest = platformClock.now() - MEMORY_MS;
    const known = [...memory.of(this.#part).checks, ...round.checks].filter(
      ([id, { end, truth }]) => end >= oldest && (truth !== undefined || present.has(id)),
    );
    const checks = new Map(known);
    const samples = ratios(this.#options.account, checks.values());
    return {
      outcome: [...round.checks.values()].some(
        ({ tried, end, truth }) => truth !== undefined && tried === end,
      )
        ? 'ok'
        : 'empty',
      memory: [changed(this.#part, { checks, credit: round.credit })],
      exposures: () => [{ part: 'ratio', samples }],
    };
  }

  #candidates(): Candidate[] {
    return this.#options.jobs().flatMap((job) => [...job.series].map((series) => ({ series, job })));
  }
}

/** Compares one span. A candidate that cannot be read does not delay the others. */
async function compared(
  { series, job }: Candidate,
  { window, counted }: CountedSpan,
  read: Read,
  signal: AbortSignal,
): Promise<Check> {
  const end = window.to;
  const check = { product: series.target.product.slug, end, tried: end, counted, truth: undefined };
  try {
    const answer = await job.readOne(series, window, read, signal);
    return { ...check, truth: answer && series.sumOf(answer) };
  } catch (failure) {
    if (!(failure instanceof PlatformFailure)) throw failure;
    return check;
  }
}

/** Returns the ratio of each product, from the latest comparisons of its series; none without traffic. */
function ratios(account: string, checks: Iterable<Check>): Sample[] {
  const sums = new Map<string, { counted: number; truth: number }>();
  for (const { product, counted, truth } of checks) {
    if (truth === undefined) continue;
    const sum = sums.get(product) ?? { counted: 0, truth: 0 };
    sums.set(product, { counted: sum.counted + counted, truth: sum.truth + truth });
  }
  return [...sums].flatMap(([product, { counted, truth }]) => {
    if (truth === 0) return [];
    return [{ family: RECONCILIATION_RATIO, labels: { account, product }, value: counted / truth }];
  });
}
