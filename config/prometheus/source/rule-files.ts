import { type AlertDraft, alertRule } from './alert.ts';
import { baselineRules, minuteRules } from './baseline-rules.ts';
import { counterAlerts } from './counter-alerts.ts';
import { clientErrorAlerts, offloadAlerts, serverErrorAlerts } from './error-alerts.ts';
import { longRatioRules, responseRules, shortRatioRules } from './error-rules.ts';
import { exporterAlerts, platformAlerts, quotaAlerts } from './exporter-alerts.ts';
import { freshnessRules } from './freshness-rules.ts';
import { LINKS, type Links } from './links.ts';
import { measures } from './measures.ts';
import { pollAlerts } from './poll-alerts.ts';
import { duration } from './promql.ts';
import type { AlertRule, RecordingRule, RuleGroup } from './rule.ts';
import { protectionAlerts, settingsAlerts } from './settings-alerts.ts';
import { THRESHOLDS, type Thresholds } from './thresholds.ts';
import { dropAlerts, spikeAlerts } from './traffic-alerts.ts';

/** The two rule files. */
export interface RuleFiles {
  readonly recording: { readonly groups: readonly RuleGroup<RecordingRule>[] };
  readonly alerts: { readonly groups: readonly RuleGroup<AlertRule>[] };
}

/** Every rule, from the thresholds. */
export function ruleFiles(thresholds: Thresholds = THRESHOLDS, links: Links = LINKS): RuleFiles {
  return {
    recording: { groups: recordingGroups(thresholds) },
    alerts: { groups: alertGroups(thresholds, links) },
  };
}

function recordingGroups(thresholds: Thresholds): readonly RuleGroup<RecordingRule>[] {
  const { times } = thresholds;
  const judged = measures(thresholds);
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
    everyMinute('edge-minutes', [...responseRules(), ...minuteRules(judged)]),
    everyMinute('edge-freshness', freshnessRules(times)),
    everyMinute('edge-error-ratios', shortRatioRules(times)),
    slowly('edge-error-ratios-long', longRatioRules(times)),
    ...judged.map((measure) => slowly(`edge-baseline-${measure.name}`, baselineRules(measure, thresholds))),
  ];
}

function alertGroups(thresholds: Thresholds, links: Links): readonly RuleGroup<AlertRule>[] {
  const group = (name: string, drafts: readonly AlertDraft[]) => ({
    name,
    interval: duration(thresholds.times.minute),
    rules: drafts.map((draft) => alertRule(draft, links)),
  });
  return [
    group('edge-spikes', spikeAlerts(thresholds)),
    group('edge-drops', dropAlerts(thresholds)),
    group('edge-errors', [
      ...serverErrorAlerts(thresholds),
      ...clientErrorAlerts(thresholds),
      ...offloadAlerts(thresholds),
    ]),
    group('edge-settings', [...protectionAlerts(thresholds), ...settingsAlerts(thresholds)]),
    group('edge-platform', [
      ...platformAlerts(thresholds),
      ...pollAlerts(thresholds),
      ...quotaAlerts(thresholds),
    ]),
    group('edge-exporter', [...counterAlerts(thresholds), ...exporterAlerts(thresholds)]),
  ];
}
