import { describe, expect, it } from 'vitest';
import { inLongSuite } from '../long-suite.ts';
import { PLATFORM_SCENARIOS } from './edge-platform-scenarios.ts';
import { play, unexpected } from './edge-play.ts';
import { SCENARIOS } from './edge-scenarios.ts';
import { kindsOfState } from './kinds-of-state.ts';

const OF_EACH_KIND = [
  'the clock is set forward 7 min',
  'the clock is set back 1 h',
  'the process is suspended for 10 min',
  'the lists of configurations are down to one once',
  'the exporter restarts on an older copy, and then on a state newer than that',
  'the state is not there at a restart, and comes 15 min late',
  'the disk is full for 15 min',
  'the older buckets of each answer are wider, and some rows are invalid',
  'a storm: missing rows, errors, late data, restarts in between',
  'the platform is 8 min late, and its buckets fill up as late',
  'the platform loses 3 min for good',
  'two answers in a row are of a node 1 h ahead',
  '2 % of the values are 1e21',
];

const PLAYED = [...SCENARIOS, ...PLATFORM_SCENARIOS].filter(({ name }) =>
  inLongSuite(true, OF_EACH_KIND.includes(name)),
);

it('plays those that it names', () => {
  expect(PLAYED.length).toBeGreaterThanOrEqual(OF_EACH_KIND.length);
});

describe.each(kindsOfState())('at an edge, with what is remembered in %s', (_, kept) => {
  it.each(PLAYED)('no bucket is lost, doubled or shown wrong when $name', async (scenario) => {
    const findings = await play(scenario, kept());
    expect(unexpected(scenario, findings), JSON.stringify(findings, undefined, 2)).toEqual([]);
    expect(findings.buckets).toBeGreaterThan(1_000);
    expect(findings.gauges).toBeGreaterThan(800);
  });
});
