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

/** A series whose counters can be compared with the platform. */
export type ComparedSeries = Pick<Series, 'id' | 'target' | 'spanBefore' | 'sumOf'>;

/** A job whose series can be compared, each with an answer of its own. */
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
  /** The group of its operations: that of the source in use. */
  readonly group: () => string;
  /** Operations per minute that may be spent. */
  readonly perMinute: () => number;
  /** Jobs whose series are compared. */
  readonly jobs: () => readonly ComparedJob[];
  readonly platformClock: PlatformClock;
  readonly memory: Pick<AccountMemory, 'of'>;
}

/** Comparison of a past span. */
interface Check {
  readonly product: string;
  /** End of the span, and of the latest span that was tried. */
  readonly end: number;
  readonly tried: number;
  readonly counted: number;
  /** Undefined if there was nothing to compare with. */
  readonly truth: number | undefined;
}

/** A span is compared this long after its end, so that it includes changes that came too late for the counters. */
const COMPARE_AFTER_MS = 60 * MINUTE_MS;

/** Reconciliation runs only when quota is left over. */
const RECONCILIATION_WEIGHT = 0.05;

/** Greatest age of a comparison that counts. */
const MEMORY_MS = 24 * 60 * MINUTE_MS;

/** The latest comparison of each candidate, and the operations that were saved up. */
interface Round {
  readonly checks: ReadonlyMap<string, Check>;
  readonly credit: number;
}

/** Compares the counters of past hours with the platform's own answers, a few operations at a time. */
export class ReconciliationJob implements Job<Round> {
  readonly id: string;
  readonly subject = { collector: 'reconciliation' };
  readonly schedule = '* * * * *';
  readonly weight = RECONCILIATION_WEIGHT;
  readonly #options: ReconciliationOptions;
  readonly #part: MemoryPart<Round> = { open: () => ({ checks: new Map(), credit: 0 }) };

  /** @param api whose series it compares */
  constructor(api: string, options: ReconciliationOptions) {
    this.id = `reconciliation/${api}`;
    this.#options = options;
  }

  get group(): string {
    return this.#options.group();
  }

  /** On average, since it only reads when it has saved up for an operation and there is a new span to compare. */
  cost(): number {
    const candidates = this.#candidates().length;
    return Math.min(this.#options.perMinute(), candidates * (MINUTE_MS / SPACING_MS));
  }

  /** Reads the spans of as many candidates as was saved up for, those compared longest ago first. */
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

/** Compares one span. A candidate that cannot be read must not hold up the others. */
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

/** Returns the ratio of each product, over the latest comparison of each of its series; none without traffic. */
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
