import type { Labels } from '../promql/labels.ts';
import { only } from '../promql/labels.ts';
import type { AlertSettings } from '../rules/alert-settings.ts';
import { burning, ratio5xx } from '../rules/error-rules.ts';
import { labelsOf, type Measure, measures, SCOPE_NAMES, SCOPES, type Scope } from '../rules/measures.ts';
import { recorded } from '../rules/recorded.ts';
import type { RecordingRule } from '../rules/rule.ts';
import { TIMES } from '../rules/times.ts';
import { Tuning } from '../rules/tuning.ts';

/** The recorded series that an alert of traffic is made of, and their labels. */
export interface JudgedSeries {
  readonly value: string;
  /** What is usual at this hour, where that is known. */
  readonly usual: string | undefined;
  /** The first of these that is there. */
  readonly thresholds: readonly string[];
  readonly labels: Labels;
}

function serverErrorLimit(scope: Scope, speed: 'slow' | 'budget'): string {
  return `rehearsal:${scope}:edge_server_error_ratio:${speed}`;
}

/** What is recorded besides the rules, so that it can be shown: the limits of the share of server errors. */
export function limitRules(settings: AlertSettings): readonly RecordingRule[] {
  const tuning = new Tuning(settings);
  const [short] = TIMES.burn.fast;
  return SCOPE_NAMES.flatMap((scope) => {
    const ratio = ratio5xx(scope, short);
    const budget = tuning.value('Edge5xxRatio', 'budget', { series: ratio, labels: SCOPES[scope] });
    return [
      { record: serverErrorLimit(scope, 'slow'), expr: `0 * ${ratio} + ${burning(scope, 'slow', tuning)}` },
      { record: serverErrorLimit(scope, 'budget'), expr: `0 * ${ratio} + ${budget}` },
    ];
  });
}

/** The series to show beside an alert; undefined for alerts that no comparison of traffic is behind. */
export function judgedSeries(alert: Labels): JudgedSeries | undefined {
  const scope = SCOPE_NAMES.find((name) => name === alert['scope']);
  if (scope === undefined) return undefined;
  const { alertname: name = '' } = alert;
  if (name === 'Edge5xxRatio') return serverErrors(scope, alert);
  const measure = measures().find((one) => isOf(one, name));
  if (measure === undefined) return undefined;
  const names = recorded(scope, measure);
  const drop = name === 'EdgeTrafficDrop';
  return {
    value: names.value,
    usual: names.seasonal,
    thresholds: drop ? [names.lower, names.lowest] : [names.limit],
    labels: only(alert, labelsOf(scope, measure)),
  };
}

function isOf({ alert, elevated, falls }: Measure, name: string): boolean {
  return alert === name || elevated === name || (falls === true && name === 'EdgeTrafficDrop');
}

function serverErrors(scope: Scope, alert: Labels): JudgedSeries {
  const { fast, slow, creeping } = TIMES.burn;
  const { burn = 'fast' } = alert;
  const window = { broken: slow[0], creeping: creeping[0] }[burn] ?? fast[0];
  return {
    value: ratio5xx(scope, window),
    usual: undefined,
    thresholds: [serverErrorLimit(scope, burn === 'creeping' ? 'budget' : 'slow')],
    labels: only(alert, SCOPES[scope]),
  };
}
