import { describe, expect, it } from 'vitest';
import { PLATFORM_SCENARIOS } from './edge-platform-scenarios.ts';
import { play, unexpected } from './edge-play.ts';
import { SCENARIOS } from './edge-scenarios.ts';

describe('at an edge', () => {
  it.each([...SCENARIOS, ...PLATFORM_SCENARIOS])(
    'no bucket is lost, doubled or shown wrong when $name',
    async (scenario) => {
      const findings = await play(scenario);
      expect(unexpected(scenario, findings), JSON.stringify(findings, undefined, 2)).toEqual([]);
      expect(findings.buckets).toBeGreaterThan(1_000);
      expect(findings.gauges).toBeGreaterThan(800);
    },
  );
});
