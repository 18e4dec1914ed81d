import { z } from 'zod';
import type { TimedSample } from '../catalogue/family.ts';
import type { StateKey } from '../state/state.ts';
import type { SeriesSamples } from './samples.ts';
import type { ToPush } from './to-push.ts';
import type { WindowedAnswer } from './windowed-answer.ts';

/** Start of the last bucket that was pushed, by dimension. */
const watermarks = z.record(z.string(), z.number());

export interface PushedGaugesOptions {
  readonly key: StateKey;
  /** What the state holds under the key. */
  readonly stored: () => unknown;
  readonly samples: SeriesSamples;
}

/**
 * Which buckets of one metric of one target were pushed as gauges: each once, with the value that it had when it was
 * published first, since receivers do not take another one for the same time. The record is as durable as the outbox.
 */
export class PushedGauges {
  readonly #options: PushedGaugesOptions;

  constructor(options: PushedGaugesOptions) {
    this.#options = options;
  }

  /** The gauges of the buckets that ended by `until` and were not pushed yet. */
  toPush({ decoded }: WindowedAnswer, width: number, until: number): ToPush {
    const { key, stored, samples } = this.#options;
    const last = new Map(Object.entries(watermarks.safeParse(stored()).data ?? {}));
    const found: TimedSample[] = [];
    for (const [dimension, points] of decoded.series) {
      const from = last.get(dimension) ?? Number.NEGATIVE_INFINITY;
      const gauges = samples.gaugesOf(dimension, points, { from, until, width });
      const newest = gauges.at(-1);
      if (newest === undefined) continue;
      found.push(...gauges);
      last.set(dimension, newest.at - width);
    }
    return { samples: found, commit: found.length === 0 ? [] : [{ key, value: Object.fromEntries(last) }] };
  }
}
