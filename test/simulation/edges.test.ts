import { describe, expect, it } from 'vitest';
import { play, SCENARIOS, unexpected } from './edge-scenarios.ts';

/** Long enough for what happens, and for the counters to count what it touched. */
const MINUTES = 45;

describe('at an edge', () => {
  it.each(SCENARIOS)('no bucket is lost, doubled or shown wrong when $name', async (scenario) => {
    const findings = await play(scenario, MINUTES);
    expect(unexpected(scenario, findings)).toEqual([]);
    expect(findings.buckets).toBeGreaterThan(1_000);
    expect(findings.gauges).toBeGreaterThan(1_000);
  });
});
