import { expect, it } from 'vitest';
import { TO_RUNBOOK } from '../../grafana/source/links.ts';
import { JUDGED } from '../../grafana/source/overview-alerts.ts';
import { LINKS } from '../../src/rules/shipped/rule.ts';
import { ruleFiles } from '../../src/rules/shipped/rule-files.ts';

const RULES = ruleFiles().alerts.groups.flatMap(({ rules }) => rules);

for (const [alerts, recorded, label] of JUDGED) {
  it(`shows for firing ${alerts} a value of what the alert judges`, () => {
    for (const alert of alerts.split('|')) {
      const rules = RULES.filter((rule) => rule.alert === alert);
      for (const series of recorded) {
        const family = series.split(':').slice(0, 2).join(':');
        const judging = rules.filter(({ expr }) => expr.includes(`${family}:`));
        expect(judging, `${alert} judges ${series}`).not.toEqual([]);
        const told = judging.map(({ annotations }) => annotations.summary).join('\n');
        if (label !== undefined) expect(told).toContain(`$labels.${label} `);
      }
    }
  });
}

it('links to the runbook that the alerts link to', () => {
  expect(TO_RUNBOOK.url).toBe(LINKS.runbook);
});
