import { type AlertDefinition, alertRules } from './alert.ts';
import { type AlertSettings, SHIPPED } from './alert-settings.ts';
import { baselineRules } from './baseline-rules.ts';
import { counterAlerts } from './counter-alerts.ts';
import { discoveryAlerts } from './discovery-alerts.ts';
import { dropAlerts } from './drop-alerts.ts';
import { elevatedAlerts } from './elevated-alerts.ts';
import { serverErrorAlerts } from './error-alerts.ts';
import { longRatioRules, responseRules, shortRatioRules } from './error-rules.ts';
import { exporterAlerts, platformAlerts, quotaAlerts } from './exporter-alerts.ts';
import { floodAlerts } from './flood-alerts.ts';
import { freshnessRules } from './freshness-rules.ts';
import { measures } from './measures.ts';
import { minuteRules } from './minute-rules.ts';
import { pollAlerts } from './poll-alerts.ts';
import { duration } from './promql.ts';
import { pushAlerts } from './push-alerts.ts';
import type { AlertRule, RecordingRule, RuleGroup } from './rule.ts';
import { protectionAlerts, settingsAlerts } from './settings-alerts.ts';
import { spikeAlerts } from './spike-alerts.ts';
import { TIMES, type Times } from './times.ts';
import { Tuning } from './tuning.ts';

/** The two rule files. */
export interface RuleFiles {
  readonly recording: { readonly groups: readonly RuleGroup<RecordingRule>[] };
  readonly alerts: { readonly groups: readonly RuleGroup<AlertRule>[] };
}

/** Every rule, as the settings ask for it. `times` differs from what is shipped only where time is to run faster. */
export function ruleFiles(settings: AlertSettings = SHIPPED, times: Times = TIMES): RuleFiles {
  const tuning = new Tuning(settings);
  return {
    recording: { groups: recordingGroups(times, tuning) },
    alerts: { groups: alertGroups(times, tuning) },
  };
}

function recordingGroups(times: Times, tuning: Tuning): readonly RuleGroup<RecordingRule>[] {
  const everyMinute = (name: string, rules: readonly RecordingRule[]) => ({
    name,
    interval: duration(times.minute),
    rules,
  });
  const slowly = (name: string, rules: readonly RecordingRule[]) => ({
    name,
    interval: duration(times.baseline),
    rules,
  });
  return [
    everyMinute('edge-minutes', [
      ...responseRules(),
      ...measures().flatMap((measure) => minuteRules(measure, times, tuning)),
    ]),
    everyMinute('edge-freshness', freshnessRules(times, tuning)),
    slowly('edge-error-ratios-long', longRatioRules(times)),
    everyMinute('edge-error-ratios', shortRatioRules(times, tuning)),
    ...measures().map((measure) =>
      slowly(`edge-baseline-${measure.name}`, baselineRules(measure, times, tuning)),
    ),
  ];
}

function alertGroups(times: Times, tuning: Tuning): readonly RuleGroup<AlertRule>[] {
  const group = (name: string, alerts: readonly AlertDefinition[]) => ({
    name,
    interval: duration(times.minute),
    rules: alerts.flatMap((alert) => alertRules(alert, tuning)),
  });
  const groups = [
    group('edge-spikes', [...spikeAlerts(times), ...elevatedAlerts(times, tuning), ...floodAlerts(times)]),
    group('edge-drops', dropAlerts(times)),
    group('edge-errors', serverErrorAlerts(times, tuning)),
    group('edge-settings', [...protectionAlerts(times), ...settingsAlerts(times, tuning)]),
    group('edge-platform', [
      ...platformAlerts(times, tuning),
      ...pollAlerts(times, tuning),
      ...discoveryAlerts(times),
      ...quotaAlerts(times, tuning),
    ]),
    group('edge-exporter', [
      ...counterAlerts(times, tuning),
      ...exporterAlerts(times, tuning),
      ...pushAlerts(times, tuning),
    ]),
  ];
  return groups.filter(({ rules }) => rules.length > 0);
}
