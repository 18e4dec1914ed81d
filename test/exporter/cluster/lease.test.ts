import fc from 'fast-check';
import { describe, it } from 'vitest';
import { inLongSuite } from '../../long-suite.ts';
import { LeaseWorld } from './lease-world.ts';

/** Number of schedules: 100,000 in the nightly suite, fewer for a change. */
const SCHEDULES = inLongSuite(100_000, 150);

describe('replicas that share accounts', () => {
  it('never poll one account at the same time, lose no update, and always find an owner for each', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 6 }),
        (seed, replicas, accounts) => new LeaseWorld({ seed, replicas, accounts, troubledMs: 45_000 }).run(),
      ),
      { numRuns: SCHEDULES },
    );
  });
});
