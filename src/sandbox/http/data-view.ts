import type { FaultContext } from '../faults/faults.ts';
import { keyOf } from '../hash.ts';
import { type Buckets, FINEST, type Settling, widened } from '../traffic/buckets.ts';
import type { Platform } from './platform.ts';

/** View of the traffic at a given time, which is the same for all APIs and clients. */
export interface DataView {
  /** End of the available buckets (ms since the epoch). */
  readonly newest: number;
  /** Completeness of young buckets. */
  readonly settling: Settling;
  /** Returns true if a bucket exists; others are lost. */
  has(start: number, width: number): boolean;
  /** Returns the buckets of a response, some of them widened by a fault. @param offset local time minus UTC (ms) */
  partsOf(buckets: Buckets, offset: number): readonly Buckets[];
}

/** Returns the view for a request. @param nodeTime time of the responding node */
export function dataView(
  { faults, settings, seed }: Platform,
  context: FaultContext,
  nodeTime: number,
): DataView {
  const late = faults.strike('late_data', context);
  const behind = (late?.minutes ?? 0) * FINEST;
  const newest = nodeTime - behind;
  const wide = faults.strike('wide_buckets', context);
  const lost = faults.strike('missing_data', context);
  return {
    newest,
    settling: {
      now: late?.settling === 'late' ? context.now - behind : context.now,
      settleMs: settings.settleMs,
      key: keyOf(seed, 'settling'),
    },
    has: (start, width) => lost === undefined || start < lost.from || start + width > lost.to,
    partsOf(buckets, offset) {
      if (wide === undefined) return [buckets];
      const { minutes, part, age } = wide;
      return widened(buckets, { width: minutes * FINEST, part, at: newest - age * FINEST }, offset);
    },
  };
}
