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

interface Check {
  readonly product: string;
  readonly end: number;
  readonly counted: number;
  readonly truth: number;
}

/** A span is compared this long after its end, so that it includes changes that came too late for the counters. */
const COMPARE_AFTER_MS = 60 * MINUTE_MS;

/** Reconciliation runs only when quota is left over. */
const RECONCILIATION_WEIGHT = 0.05;

/** Greatest age of a comparison that counts. */
const MEMORY_MS = 24 * 60 * MINUTE_MS;

/** Memory of the comparisons. */
interface Comparisons {
  /** The latest comparison of each candidate. */
  readonly checks: ReadonlyMap<string, Check>;
  /** The end of the span last compared, or tried to, by candidate. */
  readonly attempts: ReadonlyMap<string, number>;
  /** Operations that were saved up. */
  readonly credit: number;
}

/** A read of a candidate's span. */
interface Attempt {
  readonly id: string;
  readonly end: number;
  /** Undefined if there was nothing to compare with. */
  readonly check: Check | undefined;
}

/** Reads of one round. */
interface Round {
  readonly attempts: readonly Attempt[];
  readonly credit: number;
}

/** Compares what was counted over past hours with the platform's own answer for them, a few operations at a time. */
export class ReconciliationJob implements Job<Round> {
  readonly id: string;
  readonly subject = { collector: 'reconciliation' };
  readonly schedule = '* * * * *';
  readonly weight = RECONCILIATION_WEIGHT;
  readonly #options: ReconciliationOptions;
  readonly #part: MemoryPart<Comparisons> = {
    open: () => ({ checks: new Map(), attempts: new Map(), credit: 0 }),
  };

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
    const endOf = ({ series: { id } }: Candidate) => known.attempts.get(id) ?? Number.NEGATIVE_INFINITY;
    const attempts: Attempt[] = [];
    let credit = Math.min(known.credit + perMinute(), Math.max(1, perMinute()));
    for (const candidate of this.#candidates().toSorted((a, b) => endOf(a) - endOf(b))) {
      if (credit < 1) break;
      const span = candidate.series.spanBefore(platformClock.now() - COMPARE_AFTER_MS);
      if (span === undefined || span.window.to <= endOf(candidate)) continue;
      credit -= 1;
      const check = await compared(candidate, span, read, signal);
      attempts.push({ id: candidate.series.id, end: span.window.to, check });
    }
    return { attempts, credit };
  }

  conclude(round: Round | PlatformFailure): PollResult {
    if (round instanceof PlatformFailure) throw round;
    const { attempts, credit } = round;
    const { memory, platformClock } = this.#options;
    const before = memory.of(this.#part);
    // A series that is gone may never have been compared, because its reads fail.
    const present = new Set(this.#candidates().map(({ series }) => series.id));
    const isFresh = ({ end }: Check) => end >= platformClock.now() - MEMORY_MS;
    const checks = new Map([...before.checks].filter(([, check]) => isFresh(check)));
    const ends = new Map([...before.attempts].filter(([id]) => present.has(id)));
    for (const { id, end, check } of attempts) {
      if (present.has(id)) ends.set(id, end);
      if (check !== undefined) checks.set(id, check);
    }
    const samples = ratios(this.#options.account, checks.values());
    return {
      outcome: attempts.some(({ check }) => check !== undefined) ? 'ok' : 'empty',
      memory: [changed(this.#part, { checks, attempts: ends, credit })],
      exposures: () => [{ part: 'ratio', samples }],
    };
  }

  #candidates(): Candidate[] {
    return this.#options.jobs().flatMap((job) => [...job.series].map((series) => ({ series, job })));
  }
}

/** Undefined if there was nothing to compare with. A candidate that cannot be read must not hold up the others. */
async function compared(
  { series, job }: Candidate,
  span: CountedSpan,
  read: Read,
  signal: AbortSignal,
): Promise<Check | undefined> {
  try {
    const answer = await job.readOne(series, span.window, read, signal);
    const truth = answer && series.sumOf(answer);
    if (truth === undefined) return undefined;
    return { product: series.target.product.slug, end: span.window.to, counted: span.counted, truth };
  } catch (failure) {
    if (!(failure instanceof PlatformFailure)) throw failure;
    return undefined;
  }
}

/** Returns the ratio of each product, over the latest comparison of each of its series; none without traffic. */
function ratios(account: string, checks: Iterable<Check>): Sample[] {
  const sums = new Map<string, { counted: number; truth: number }>();
  for (const { product, counted, truth } of checks) {
    const sum = sums.get(product) ?? { counted: 0, truth: 0 };
    sums.set(product, { counted: sum.counted + counted, truth: sum.truth + truth });
  }
  return [...sums].flatMap(([product, { counted, truth }]) => {
    if (truth === 0) return [];
    return [{ family: RECONCILIATION_RATIO, labels: { account, product }, value: counted / truth }];
  });
}
