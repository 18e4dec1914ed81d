import { expect, it } from 'vitest';
import type { AlertName } from '../../../src/rules/shipped/alert-catalogue.ts';
import { ruleFiles } from '../../../src/rules/shipped/rule-files.ts';
import type { Event } from '../../bench/alerts/event.ts';
import { drawUnusualDays, UNUSUAL_SCENES } from '../../bench/alerts/unusual-days.ts';
import { neededRules } from '../../simulation/judgement/needed-rules.ts';
import { evaluate } from '../evaluate.ts';

const MINUTE = 60_000;
const WEEKS = 3;

interface Told {
  readonly alert: string;
  readonly severity: string;
  /** Event during which the alert began; undefined if there is none. */
  readonly during: Event | undefined;
}

function told(scene: string, seed: number, alerts: readonly AlertName[]) {
  const { inputs, events, minutes } = drawUnusualDays(
    seed,
    Object.keys(UNUSUAL_SCENES).indexOf(scene),
    WEEKS,
  );
  const { groups } = neededRules(ruleFiles(), ...alerts);
  const fired = evaluate({ groups, inputs, step: MINUTE, start: 0, steps: minutes });
  const all = fired.map(
    ({ labels, from }): Told => ({
      alert: labels['alertname'] ?? '',
      severity: labels['severity'] ?? '',
      during: events.find((event) => from >= event.from * MINUTE && from < event.to * MINUTE),
    }),
  );
  return { all, events, pages: all.filter(({ severity }) => severity === 'page') };
}

function found({ all, events }: ReturnType<typeof told>, kind: Event['kind'], severity: string): number {
  const ofKind = events.filter((event) => event.kind === kind);
  expect(ofKind.length).toBeGreaterThan(0);
  const heard = ofKind.filter((event) =>
    all.some((one) => one.during === event && one.severity === severity),
  );
  return heard.length / ofKind.length;
}

const TRAFFIC = ['EdgeTrafficDrop', 'EdgeTrafficFlood', 'EdgeWafSpike', 'Edge5xxRatio'] as const;

it.each([
  ['closed at weekends', 'a site that closes at weekends, from its first one on'],
  ['closed at nights', 'a site that closes at night'],
  ['clock change', 'a clock change of sites that open and close within a minute'],
  ['hourly job', 'a job of some minutes every hour on an idle site'],
  ['launch', 'a large launch on a new configuration'],
  ['blue-green', 'traffic that moves to another configuration and back'],
  ['black friday', 'a day with many times the requests'],
])('%s: nobody is woken for %s', (scene) => {
  expect(told(scene, 41, TRAFFIC).pages).toEqual([]);
});

it.each<readonly [string, Event['kind'], readonly AlertName[], string, number]>([
  ['retry storm', 'retry storm', ['Edge5xxRatio', 'EdgeTrafficFlood', 'EdgeTrafficDrop'], 'page', 1],
  ['small sites', 'small site fails', ['Edge5xxRatio'], 'page', 1],
  ['partial loss', 'partial loss', ['EdgeTrafficDrop'], 'ticket', 0.7],
  ['begins in an attack', 'attack again', ['EdgeWafSpike', 'EdgeWafElevated'], 'ticket', 1],
  ['slow stuffing', 'slow stuffing', ['EdgeStatusCodeSurge'], 'ticket', 1],
])('%s: of each event of the kind %s %j tell by a %s', (scene, kind, alerts, severity, share) => {
  expect(found(told(scene, 41, alerts), kind, severity)).toBeGreaterThanOrEqual(share);
});

it('a rule set that detects more is one ticket, and no page', () => {
  const alerts = [
    'EdgeWafSpike',
    'EdgeRuleSetSwitched',
    'EdgeWafBlockedSpike',
    'EdgeWafFamilyAttack',
  ] as const;
  const { all } = told('rule set switch', 48, alerts);
  expect(all.map(({ alert, severity }) => [alert, severity])).toEqual([['EdgeRuleSetSwitched', 'ticket']]);
});

it('from the third night on, a nightly maintenance is one ticket that proposes to mute it', () => {
  const { all, events } = told('maintenance', 41, ['Edge5xxRatio', 'EdgeErrorsRecur']);
  const recurring = all.filter(({ alert }) => alert === 'EdgeErrorsRecur');
  expect(recurring.map(({ during }) => during)).toEqual([events[2]]);
});
