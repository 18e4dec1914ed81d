import { describe, expect, it } from 'vitest';
import type { Input } from '../../../src/rules/promql/evaluation.ts';
import { ruleFiles } from '../../../src/rules/shipped/rule-files.ts';
import { DAY, HOUR } from '../../bench/alerts/background.ts';
import { drawRealDays } from '../../bench/alerts/real-days.ts';
import { neededRules } from '../../simulation/judgement/needed-rules.ts';
import { evaluate, type FiredAlert } from '../evaluate.ts';

const MINUTE = 60_000;
const { groups } = neededRules(ruleFiles(), 'Edge5xxRatio');

/** Returns the traffic of a new site with 70 to 200 requests per minute, of which 0.8 % fail. */
function alwaysFailing(seed: number): readonly Input[] {
  return drawRealDays(seed, 4, 1).inputs;
}

function worse(inputs: readonly Input[], share: number): readonly Input[] {
  const ok = inputs.find(({ labels }) => labels['code'] === '200');
  return inputs.map((input) => {
    if (input.labels['code'] !== '503') return input;
    const values = input.values.map((value, minute) => {
      const fails = minute >= 3 * DAY + 12 * HOUR && minute < 3 * DAY + 13.5 * HOUR;
      return fails ? value + Math.round(share * (ok?.values[minute] ?? 0)) : value;
    });
    return { ...input, values };
  });
}

function told(inputs: readonly Input[]): readonly FiredAlert[] {
  return evaluate({ groups, inputs, step: MINUTE, start: 0, steps: 4 * DAY });
}

describe('a site that always has 0.8 % server errors', () => {
  // The seeds differ in which rules would page in the first hours, or by chance in a quiet night.
  it.each([212, 311, 502, 512])('is one ticket that lasts, and no page (%i)', (seed) => {
    const fired = told(alwaysFailing(seed));
    const ofSite = fired.filter(({ labels }) => labels['scope'] === 'configuration');
    expect(ofSite.map(({ labels }) => labels['burn'])).toEqual(['creeping']);
    expect(ofSite[0]?.open).toBe(true);
    expect(fired.filter(({ labels }) => labels['severity'] === 'page')).toEqual([]);
  });

  it('is a page when 10 % fail', () => {
    const pages = told(worse(alwaysFailing(311), 0.1)).filter(({ labels }) => labels['severity'] === 'page');
    expect(pages.length).toBe(1);
  });
});
