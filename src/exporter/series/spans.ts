import type { Points } from '../decode/points.ts';
import type { Window } from '../settling/window.ts';

// Lists of spans are ascending and disjoint. A span that is cut retains its other fields in every part.

/** Returns true if neighbouring spans cover all of [from, to). */
export function covers(spans: readonly Window[], from: number, to: number): boolean {
  let reached = from;
  for (const span of spans) {
    if (span.to <= reached) continue;
    if (span.from > reached) return false;
    reached = span.to;
    if (reached >= to) return true;
  }
  return false;
}

/** Returns the spans minus the cuts, which are ascending and disjoint. */
export function without<Span extends Window>(spans: readonly Span[], cuts: readonly Window[]): Span[] {
  if (cuts.length === 0) return [...spans];
  const left: Span[] = [];
  let next = 0;
  for (const span of spans) {
    while (next > 0 && Number(cuts[next - 1]?.to) > span.from) next -= 1;
    let { from } = span;
    for (; next < cuts.length; next += 1) {
      const cut = cuts[next];
      if (cut === undefined || cut.from >= span.to) break;
      if (cut.from > from) left.push({ ...span, from, to: cut.from });
      from = Math.max(from, cut.to);
    }
    if (from < span.to) left.push({ ...span, from });
  }
  return left;
}

/** Returns the spans, with a change applied to the parts within a window. */
export function changedWithin<Span extends Window>(
  spans: readonly Span[],
  { from, to }: Window,
  change: (span: Span) => Span,
): Span[] {
  return spans.flatMap((span) => {
    if (span.to <= from || span.from >= to) return [span];
    const parts: Span[] = [];
    if (span.from < from) parts.push({ ...span, to: from });
    parts.push(change({ ...span, from: Math.max(from, span.from), to: Math.min(to, span.to) }));
    if (span.to > to) parts.push({ ...span, from: to });
    return parts;
  });
}

/** Returns the spans, with adjacent ones merged if they are alike. */
export function joined<Span extends Window>(
  spans: readonly Span[],
  alike: (a: Span, b: Span) => boolean,
): Span[] {
  const joint: Span[] = [];
  for (const span of spans) {
    const last = joint.at(-1);
    if (last !== undefined && last.to === span.from && alike(last, span)) {
      joint[joint.length - 1] = { ...last, to: span.to };
    } else joint.push(span);
  }
  return joint;
}

/** Returns the buckets of a series that lie entirely within a window. */
export function bucketsWithin({ timestamps }: Points, width: number, { from, to }: Window): Window[] {
  const buckets: Window[] = [];
  for (let index = firstAtOrAfter(timestamps, from); index < timestamps.length; index += 1) {
    const start = Number(timestamps[index]);
    if (start + width > to) break;
    buckets.push({ from: start, to: start + width });
  }
  return buckets;
}

/** Returns the index of the first timestamp at or after `time`, by bisection. */
export function firstAtOrAfter(timestamps: Float64Array, time: number): number {
  let low = 0;
  let high = timestamps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((timestamps[middle] ?? Number.POSITIVE_INFINITY) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the value of the bucket that starts at a time; undefined if there is none. */
export function valueAt(points: Points, time: number): number | undefined {
  const index = firstAtOrAfter(points.timestamps, time);
  return points.timestamps[index] === time ? points.values[index] : undefined;
}
