import { describe, expect, it } from 'vitest';
import { play, SCENARIOS } from './edge-scenarios.ts';

/** Long enough for what happens, and for the counters to count what it touched. */
const MINUTES = 45;

describe('at an edge', () => {
  it.each(SCENARIOS)('no bucket is lost, doubled or shown wrong when $name', async (scenario) => {
    const findings = await play(scenario, MINUTES);
    expect(findings).toMatchObject({ lostSeries: 0, doubledSeries: 0, wrongGauges: 0, shownAgain: 0 });
    expect(findings.buckets).toBeGreaterThan(1_000);
    expect(findings.gauges).toBeGreaterThan(1_000);
    expect(findings.blankMinutes).toBe(0);
    expect(findings.unseenStaleMinutes).toBeLessThanOrEqual(1);
    expect(findings.minutesUntilCurrent).toBeLessThanOrEqual(2);
    expect(findings.countersBehind).toBeLessThanOrEqual(13);
    expect(findings.warnings).toEqual(scenario.told ?? {});
  });
});
