import { describe, expect, it } from 'vitest';
import { PLATFORM_SCENARIOS } from './edge-platform-scenarios.ts';
import { play, unexpected } from './edge-play.ts';
import { SCENARIOS } from './edge-scenarios.ts';
import { kindsOfState } from './kinds-of-state.ts';

describe.each(kindsOfState())('at an edge, with what is remembered in %s', (_, kept) => {
  it.each([...SCENARIOS, ...PLATFORM_SCENARIOS])(
    'no bucket is lost, doubled or shown wrong when $name',
    async (scenario) => {
      const findings = await play(scenario, 0, kept());
      expect(unexpected(scenario, findings), JSON.stringify(findings, undefined, 2)).toEqual([]);
      expect(findings.buckets).toBeGreaterThan(1_000);
      expect(findings.gauges).toBeGreaterThan(800);
    },
  );
});
