import { expect, it } from 'vitest';
import { ruleFiles } from '../../src/rules/shipped/rule-files.ts';
import { evaluate } from '../rules/evaluate.ts';
import { neededRules } from './judgement/needed-rules.ts';
import { simulate } from './simulation.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5, 10);
const MINUTES = 135;

const SLOW = { kind: 'slow_origin', from: 45, to: 65, per_minute: 0 } as const;
const FAILING = { kind: '5xx_spike', from: 95, to: 117, per_minute: 600 } as const;

type Labels = Readonly<Record<string, string>>;

interface Seen {
  readonly name: string;
  readonly labels: Labels;
  readonly values: Float64Array;
}

async function scraped() {
  const simulation = await simulate({
    start: START,
    sandbox: { configurations: 2, domainsPerConfiguration: 1, graphqlRateLimit: 200 },
    account: {
      reconciliation_share: 0,
      collectors: { metrics: { products: { edge_applications: { metrics: ['upstream_responses'] } } } },
    },
  });
  const [hit] = simulation.sandbox.account.domains;
  for (const { from, to, ...incident } of [SLOW, FAILING]) {
    simulation.sandbox.inject({
      ...incident,
      configuration: hit?.id ?? 0,
      from: START + from * MINUTE,
      to: START + to * MINUTE,
    });
  }
  const seen = new Map<string, Seen>();
  await simulation.clock.advance(20_000);
  for (let minute = 1; minute < MINUTES; minute += 1) {
    await simulation.minutes(1);
    for (const [key, value] of (await simulation.scrape()).samples) {
      if (!/^\["edge_upstream_\w+_per_minute"/.test(key)) continue;
      const [name, labels] = JSON.parse(key) as [string, [string, string][]];
      const known = seen.get(key) ?? {
        name,
        labels: Object.fromEntries(labels),
        values: new Float64Array(MINUTES).fill(Number.NaN),
      };
      seen.set(key, known);
      known.values[minute] = value;
    }
  }
  await simulation.close();
  return [...seen.values()];
}

it('a slow origin and one that fails are a ticket each, of the configuration that is hit alone', async () => {
  const inputs = await scraped();
  const judged = (alert: string) =>
    evaluate({
      groups: neededRules(ruleFiles(), alert).groups,
      inputs,
      step: MINUTE,
      start: START,
      steps: MINUTES,
    }).map(({ from, to, open, labels: { alertname, severity, configuration } }) => ({
      alertname,
      severity,
      configuration,
      open,
      from: (from - START) / MINUTE,
      to: (to - START) / MINUTE,
    }));
  const [slow, ...moreSlow] = judged('EdgeOriginSlow');
  const [failing, ...moreFailing] = judged('EdgeOriginErrors');
  process.stdout.write(
    `slow from minute ${SLOW.from} to ${SLOW.to}: a ticket from ${slow?.from} to ${slow?.to}; failing from ${FAILING.from} to ${FAILING.to}: from ${failing?.from} to ${failing?.to}\n`,
  );
  expect([moreSlow, moreFailing]).toEqual([[], []]);
  expect(slow).toMatchObject({ alertname: 'EdgeOriginSlow', severity: 'ticket', open: false });
  expect(failing).toMatchObject({ alertname: 'EdgeOriginErrors', severity: 'ticket', open: false });
  expect(slow?.configuration).toBe(failing?.configuration);
  for (const [alert, { from, to }] of [
    [slow, SLOW],
    [failing, FAILING],
  ] as const) {
    expect(Number(alert?.from) - from).toBeLessThanOrEqual(20);
    expect(Number(alert?.to) - to).toBeLessThanOrEqual(15);
  }
});
