import type { FaultContext } from '../faults/faults.ts';
import { keyOf } from '../hash.ts';
import { FINEST, type Settling, type Widening } from '../traffic/buckets.ts';
import type { Platform } from './platform.ts';

/** What an answer shows of the traffic: the same for whoever asks at the same moment, whichever API. */
export interface DataView {
  /** There are buckets until then, ms since the epoch. */
  readonly newest: number;
  /** How complete they are. */
  readonly settling: Settling;
  /** Buckets that lie between these moments are lost. */
  readonly lost: { readonly from: number; readonly to: number } | undefined;
  /** Some buckets are wider than they should be. */
  readonly widening: Widening | undefined;
}

/** @param nodeTime what the node that answers takes for now */
export function dataView(
  { faults, settings, seed }: Platform,
  context: FaultContext,
  nodeTime: number,
): DataView {
  const late = faults.strike('late_data', context);
  const behind = (late?.minutes ?? 0) * FINEST;
  const newest = nodeTime - behind;
  const wide = faults.strike('wide_buckets', context);
  return {
    newest,
    settling: {
      now: late?.settling === 'late' ? context.now - behind : context.now,
      settleMs: settings.settleMs,
      key: keyOf(seed, 'settling'),
    },
    lost: faults.strike('missing_data', context),
    widening: wide && { width: wide.minutes * FINEST, part: wide.part, at: newest - wide.age * FINEST },
  };
}
