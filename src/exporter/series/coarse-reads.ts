import { NO_POINTS } from '../decode/points.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import { reachesPresent } from './answer-buckets.ts';
import { isOutdated } from './counted-breakdown.ts';
import { areAlike, type Counter, type Evidence, type MissingSpan, missedAgain, notedAt } from './counter.ts';
import { type CountedAnswer, uncounted, withEachCounter } from './counters.ts';
import type { HasCounter, SeriesMemory } from './series-memory.ts';
import type { WindowedAnswer } from './series-source.ts';
import { bucketsWithin, changedWithin, covers, joined, newestStart, without } from './spans.ts';

/** What a coarse read shows of a dimension. */
export interface CoarseBuckets {
  /** The buckets that the platform has. */
  readonly present: readonly Window[];
  /** The spans where it has none. */
  readonly lacking: readonly Window[];
}

/**
 * What a coarse read shows. One whose rows do not show their width shows nothing, since it may be a fault of the platform.
 * It says nothing about time after its newest bucket.
 */
export function coarseBuckets({
  decoded,
  window,
  now,
}: WindowedAnswer): (dimension: string) => CoarseBuckets {
  const { series, width, rejected } = decoded;
  if (width === undefined || rejected.size > 0) return () => ({ present: [], lacking: [] });
  const shown = {
    from: window.from,
    to: reachesPresent(window, now) ? newestStart(decoded.series) : window.to,
  };
  return (dimension) => {
    const points = series.get(dimension) ?? NO_POINTS;
    const present = bucketsWithin(points, width, { from: shown.from - width, to: shown.to + width });
    return { present, lacking: without([shown], present) };
  };
}

/**
 * The kind of read that will show most about a span. After answers that lost rows, or had none: a coarse read up to the
 * present shows whether the platform has anything around the span, and a coarse read of its day does so near the ends of a gap.
 */
export function bestRead({ asked, whole }: Evidence): 'fine' | 'coarse' | 'day' {
  const unclear = asked - whole;
  return unclear === 0 ? 'fine' : (TURNS[(unclear - 1) % TURNS.length] ?? 'fine');
}

const TURNS = ['coarse', 'day', 'fine'] as const;

/** Up to this length coarse reads are as fine as they get (ms). */
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The counter after a coarse read. What the platform lacks counts as missed once more; what it has needs a fine read. */
export function noteCoarse(counter: Counter, shown: CoarseBuckets, read: Window, now: number): Counter {
  const reads = [reachesPresent(read, now) ? 'coarse' : '', read.to - read.from <= DAY_MS ? 'day' : ''];
  const lacks = (span: MissingSpan) =>
    span.asked === 0 ? span : { ...span, ...missedAgain(span, true, notedAt(now)) };
  // This read was inconclusive: try the next kind at once.
  const inconclusive = (span: MissingSpan) =>
    span.asked > 0 && reads.includes(bestRead(span)) ? { ...span, asked: span.asked + 1 } : span;
  let { missing } = counter;
  for (const part of shown.lacking) missing = changedWithin(missing, part, lacks);
  for (const part of without([read], shown.lacking)) missing = changedWithin(missing, part, inconclusive);
  // The platform has a bucket that earlier reads lacked: those reads no longer count against it.
  for (const bucket of shown.present) {
    if (covers(counter.missing, bucket.from, bucket.to)) {
      missing = changedWithin(missing, bucket, (span) => ({ ...span, whole: 0 }));
    }
  }
  return { ...counter, missing: joined(missing, areAlike) };
}

/** What a coarse read means: it counts nothing, but shows which buckets the platform does not have. */
export function countCoarse(memory: SeriesMemory, answer: WindowedAnswer, counts: HasCounter): CountedAnswer {
  const { window, now, decoded } = answer;
  const answered = { answer, width: undefined, rejected: decoded.rejected, reached: undefined };
  if (isOutdated(memory, decoded)) return uncounted(answered, memory);
  const shown = coarseBuckets(answer);
  const after = withEachCounter(memory, counts, (counter, dimension) =>
    noteCoarse(counter, shown(dimension), window, now),
  );
  return uncounted(answered, after);
}
