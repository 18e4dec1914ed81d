import { expect, it } from 'vitest';
import { ruleFiles } from '../../src/rules/shipped/rule-files.ts';
import { evaluate } from '../rules/evaluate.ts';
import { neededRules } from './judgement/needed-rules.ts';
import { simulate } from './simulation.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5, 10);
const MINUTES = 215;

const BURST = { from: 125, to: 129 };
const ATTACK = { from: 170, to: 195 };

const GAUGE = 'edge_waf_threats_per_minute';
const BOUND = 'edge_waf_threats_at_least_per_minute';
const SEEN_UNTIL = 'edge_seen_until_timestamp_seconds';

async function attacked() {
  const simulation = await simulate({
    start: START,
    sandbox: { configurations: 1, domainsPerConfiguration: 1, settleMs: 8 * MINUTE },
    account: {
      reconciliation_share: 0,
      collectors: { metrics: { products: { edge_applications: { metrics: ['waf'] } } } },
    },
  });
  const [domain] = simulation.sandbox.account.domains;
  for (const { from, to } of [BURST, ATTACK]) {
    simulation.sandbox.inject({
      kind: 'waf_attack',
      configuration: domain?.id ?? 0,
      per_minute: 3_000,
      from: START + from * MINUTE,
      to: START + to * MINUTE,
    });
  }
  const seen = new Map([GAUGE, BOUND, SEEN_UNTIL].map((name) => [name, new Float64Array(MINUTES).fill(NaN)]));
  await simulation.clock.advance(20_000);
  for (let minute = 1; minute < MINUTES; minute += 1) {
    await simulation.minutes(1);
    for (const [key, value] of (await simulation.scrape()).samples) {
      const [name] = JSON.parse(key) as [string];
      seen.get(name)?.fill(value, minute, minute + 1);
    }
  }
  const [{ id = 0 } = {}] = simulation.sandbox.account.domains;
  const truth = (from: number) =>
    simulation.sandbox.truth({
      api: 'metrics',
      product: 1441740010,
      configuration: id,
      metric: 'waf',
      from,
      to: from + MINUTE,
    })['threats']?.[0]?.[1];
  const wrong = [...(seen.get(BOUND) ?? [])].filter((value, minute) => {
    const until = Number(seen.get(SEEN_UNTIL)?.[minute]);
    return value > Number(truth(until * 1_000 - MINUTE));
  });
  await simulation.close();
  return { seen, wrong };
}

function pages(series: ReadonlyMap<string, Float64Array>, names: readonly string[]): number[] {
  const labels = {
    account: 'test',
    product: 'edge_applications',
    configuration_id: '1',
    configuration: 'shop',
  };
  const fired = evaluate({
    groups: neededRules(ruleFiles(), 'EdgeWafSpike').groups,
    inputs: names.map((name) => ({ name, labels, values: series.get(name) ?? new Float64Array(MINUTES) })),
    step: MINUTE,
    start: START,
    steps: MINUTES,
  });
  return fired
    .filter((alert) => alert.labels['scope'] === 'configuration')
    .map(({ from }) => (from - START) / MINUTE - ATTACK.from);
}

it('an attack is paged minutes earlier by what is certain of buckets that are not complete, and nothing else is', async () => {
  const { seen, wrong } = await attacked();
  expect(wrong).toEqual([]);
  const before = pages(seen, [GAUGE]);
  const after = pages(seen, [GAUGE, BOUND]);
  process.stdout.write(`paged ${before} min after the attack's first minute, by lower bounds ${after} min\n`);
  expect([before.length, after.length]).toEqual([1, 1]);
  expect(Number(before[0]) - Number(after[0])).toBeGreaterThanOrEqual(3);
  expect(after[0]).toBeLessThanOrEqual(8);
});
