import type { SimulatedClock } from '../../simulated-clock.ts';
import type { Ages } from './ages.ts';
import type { CountedPlatform } from './counted-platform.ts';

export interface DesignOptions {
  readonly clock: SimulatedClock;
  readonly platform: CountedPlatform;
  /** Milliseconds that one way takes, drawn anew each time. */
  readonly latency: () => number;
  /** Told of every answer. */
  readonly ages: Ages;
  readonly jobs: number;
  readonly reserve: number;
  readonly until: number;
}

/** A way of polling so many jobs, all due every minute, until a moment. */
export type Design = (options: DesignOptions) => Promise<void>;
