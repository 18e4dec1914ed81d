import { describe, expect, it } from 'vitest';
import type { Input } from '../../../src/rules/promql/evaluation.ts';
import type { AlertName } from '../../../src/rules/shipped/alert-catalogue.ts';
import { ruleFiles } from '../../../src/rules/shipped/rule-files.ts';
import { DAY } from '../../bench/alerts/background.ts';
import { drawRealDays, SCENES } from '../../bench/alerts/real-days.ts';
import { neededRules } from '../../simulation/judgement/needed-rules.ts';
import { evaluate, type FiredAlert } from '../evaluate.ts';

const MINUTE = 60_000;

function scene(name: string, seed: number, weeks = 2) {
  return drawRealDays(seed, Object.keys(SCENES).indexOf(name), weeks);
}

function fired(
  alerts: AlertName | readonly AlertName[],
  inputs: readonly Input[],
  days: number,
): readonly FiredAlert[] {
  const { groups } = neededRules(ruleFiles(), ...[alerts].flat());
  return evaluate({ groups, inputs, step: MINUTE, start: 0, steps: days * DAY });
}

describe('what grows with the requests, and no more than they do, is no surge:', () => {
  it.each([1301, 1302])('404s of offices that open within a minute (%i)', (seed) => {
    expect(fired('EdgeStatusCodeSurge', scene('office hours', seed).inputs, 4)).toEqual([]);
  });

  it('404s of an office after a weekend that has hardly any', () => {
    expect(fired('EdgeStatusCodeSurge', scene('office hours', 2302, 3).inputs, 15)).toEqual([]);
  });

  it('families of threats of a nightly job', () => {
    const { inputs } = scene('nightly batch', 1401);
    expect(fired('EdgeWafFamilyAttack', inputs, 3)).toEqual([]);
  });
});

it('what many sites have from their first minute on is no surge', () => {
  const always = (name: string, value: number, more: Readonly<Record<string, string>>): Input => ({
    name,
    labels: { account: 'a', product: 'p', configuration_id: '1', configuration: 'shop', ...more },
    values: new Float64Array(300).fill(value),
  });
  const inputs = [
    always('edge_requests_per_minute', 6_000, {}),
    always('edge_responses_per_minute', 4_000, { class: '2xx', code: '200' }),
    always('edge_responses_per_minute', 2_000, { class: '4xx', code: '404' }),
    always('edge_waf_threats_per_minute', 150, {}),
    always('edge_waf_blocked_per_minute', 120, {}),
    always('edge_waf_threats_by_family_per_minute', 150, { family: 'sql' }),
  ];
  const judged = [
    'EdgeStatusCodeSurge',
    'Edge4xxRatio',
    'EdgeWafBlockedSpike',
    'EdgeWafFamilyAttack',
  ] as const;
  const { groups } = neededRules(ruleFiles(), ...judged);
  expect(evaluate({ groups, inputs, step: MINUTE, start: 0, steps: 300 })).toEqual([]);
});

describe('fewer requests', () => {
  it('than in a flood of the day before are no drop', () => {
    expect(fired('EdgeTrafficDrop', scene('small flood', 2213, 3).inputs, 7)).toEqual([]);
  });

  it('of a holiday are no drop', () => {
    expect(fired('EdgeTrafficDrop', scene('holidays', 2213, 3).inputs, 10)).toEqual([]);
  });
});

it.each([1302, 1402])(
  'an attack that grows over hours is a page, which is on for most of its time (%i)',
  (seed) => {
    const { inputs, events } = scene('slow ramp', seed);
    const ramps = events.filter(({ from }) => from < 9 * DAY);
    const told = fired(['EdgeWafSpike', 'EdgeWafElevated'], inputs, 10);
    const pages = told.filter(({ labels }) => labels['alertname'] === 'EdgeWafSpike');
    const covered = ramps.map(({ from, to }) => {
      const begun = pages.filter((page) => page.from >= from * MINUTE && page.from < to * MINUTE);
      return {
        pages: begun.length,
        share: 1 - ((begun[0]?.from ?? to * MINUTE) / MINUTE - from) / (to - from),
      };
    });
    expect(covered.length).toBeGreaterThan(1);
    for (const one of covered) {
      expect(one.pages).toBe(1);
      expect(one.share).toBeGreaterThan(0.65);
    }
    // One history also has no ticket before its page.
    if (seed === 1302) expect(told.map(({ labels }) => labels['severity'])).toEqual(ramps.map(() => 'page'));
  },
);

it('an attack that is taken for usual is no ticket on each night, when its 403s are a larger share', () => {
  const { inputs, events } = scene('polluted', 2305, 3);
  const [lasting] = events;
  const told = fired(['Edge4xxRatio', 'EdgeWafSpike', 'EdgeAttackUsual'], inputs, 6);
  expect(lasting).toMatchObject({ kind: 'attack of days', from: 2_213 });
  expect(told.map(({ labels }) => labels['alertname'])).toEqual(['EdgeWafSpike', 'EdgeAttackUsual']);
});

it('a crash loop is a page, and no ticket before it', () => {
  const { inputs, events } = scene('crash loop', 2203, 3);
  const loops = events.filter(({ to }) => to < 5 * DAY);
  const told = fired(['EdgeStatusCodeSurge', 'Edge5xxRatio'], inputs, 5);
  expect(loops.length).toBeGreaterThan(1);
  expect(told.map(({ labels }) => labels['severity'])).toEqual(loops.map(() => 'page'));
});

it.each([1, 2, 3])('few errors that last are a page, and no ticket before it (%i)', (seed) => {
  const { inputs, events } = scene('errors', seed, 3);
  const [few] = events.filter(({ kind, from, to }) => kind === 'errors, 2 %' && from > DAY && to - from > 40);
  const told = fired(
    ['EdgeStatusCodeSurge', 'Edge5xxRatio'],
    inputs,
    Math.ceil(((few?.to ?? 0) + 120) / DAY),
  );
  const within = told.filter(
    ({ from }) => few !== undefined && from >= few.from * MINUTE && from < few.to * MINUTE,
  );
  expect(within.map(({ labels }) => labels['severity'])).toEqual(['page']);
});
