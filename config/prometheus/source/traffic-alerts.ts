import type { AlertDraft } from './alert.ts';
import { recorded } from './baseline-rules.ts';
import { STALE_CONFIGURATIONS } from './freshness-rules.ts';
import { MEASURE, SCOPE_NAMES, type Scope } from './measures.ts';
import { range } from './promql.ts';
import type { Severity } from './rule.ts';
import type { Thresholds } from './thresholds.ts';
import { seriesValue, WHOM } from './wording.ts';

interface Spike {
  readonly alert: string;
  readonly measure: string;
  readonly by: readonly string[];
  readonly severity: Severity;
  readonly summary: (whom: string) => string;
  readonly what: string;
  readonly dashboard: 'edge-security' | 'edge-configuration';
}

const SPIKES: readonly Spike[] = [
  {
    alert: 'EdgeWafSpike',
    measure: MEASURE.threats,
    by: [],
    severity: 'page',
    summary: (whom) => `{{ $value | humanize }} threats a minute on ${whom}`,
    what: 'The WAF detects {{ $value | humanize }} threats a minute',
    dashboard: 'edge-security',
  },
  {
    alert: 'EdgeWafBlockedSpike',
    measure: MEASURE.blocked,
    by: [],
    severity: 'ticket',
    summary: (whom) => `{{ $value | humanize }} requests a minute blocked on ${whom}`,
    what: 'The WAF stops {{ $value | humanize }} requests a minute',
    dashboard: 'edge-security',
  },
  {
    alert: 'EdgeWafFamilyAttack',
    measure: MEASURE.family,
    by: ['family'],
    severity: 'ticket',
    summary: (whom) => `{{ $labels.family }} attack on ${whom}: {{ $value | humanize }} threats a minute`,
    what: 'The WAF detects {{ $value | humanize }} threats a minute of the family {{ $labels.family }}',
    dashboard: 'edge-security',
  },
  {
    alert: 'EdgeStatusCodeSurge',
    measure: MEASURE.errors,
    by: ['class', 'code'],
    severity: 'ticket',
    summary: (whom) => `{{ $value | humanize }} responses {{ $labels.code }} a minute on ${whom}`,
    what: '{{ $value | humanize }} responses a minute have the status code {{ $labels.code }} ({{ $labels.class }})',
    dashboard: 'edge-configuration',
  },
  {
    alert: 'EdgeTrafficFlood',
    measure: MEASURE.requests,
    by: [],
    severity: 'page',
    summary: (whom) => `{{ $value | humanize }} requests a minute on ${whom}`,
    what: 'The edge answers {{ $value | humanize }} requests a minute',
    dashboard: 'edge-configuration',
  },
];

/** What must be far above its own past, per account and per configuration. */
export function spikeAlerts(thresholds: Thresholds): readonly AlertDraft[] {
  return SPIKES.flatMap((spike) => SCOPE_NAMES.map((scope) => spikeAlert(spike, scope, thresholds)));
}

function spikeAlert(spike: Spike, scope: Scope, { times, spike: limits }: Thresholds): AlertDraft {
  const { alert, by, severity, summary, what, dashboard } = spike;
  const names = recorded(scope, spike.measure);
  const usually = seriesValue(names.usual, { by }, scope);
  const limit = seriesValue(names.threshold, { by }, scope);
  return {
    alert,
    expr: `avg_over_time(${range(names.value, times.smoothing, times.minute)})\nand\nsum_over_time(${range(names.above, limits.minutes.of * times.minute, times.minute)}) >= ${limits.minutes.above}`,
    keepFiring: times.keepFiring,
    severity,
    about: 'traffic',
    labels: { scope },
    summary: summary(WHOM[scope]),
    description: `${what} on ${WHOM[scope]}. Usual at this hour are ${usually}, and more than ${limit} are too many (${limits.usual} times what is usual, and ${limits.deviations} deviations beyond it): so it was in ${limits.minutes.above} of the last ${limits.minutes.of} minutes.`,
    dashboard: scope === 'account' && dashboard === 'edge-configuration' ? 'edge-overview' : dashboard,
    variables: scope === 'account' ? ['account', 'product'] : ['account', 'product', 'configuration'],
  };
}

/** What must be far below its own past. Data that is missing is never taken for traffic that is. */
export function dropAlerts({ times, drop }: Thresholds): readonly AlertDraft[] {
  return SCOPE_NAMES.map((scope) => {
    const names = recorded(scope, MEASURE.requests);
    const usually = seriesValue(names.seasonal, { by: [] }, scope);
    const whole = `unless on (account, product)\n${STALE_CONFIGURATIONS} > 0`;
    return {
      alert: 'EdgeTrafficDrop',
      expr: `(\n  avg_over_time(${range(names.value, times.smoothing, times.minute)})\n  <\n  ${names.lower}\n)\nand\n${names.seasonal} > ${drop.usualRequests}\n${whole}`,
      hold: times.hold,
      keepFiring: times.keepFiring,
      severity: 'page',
      about: 'traffic',
      labels: { scope },
      summary: `Only {{ $value | humanize }} requests a minute on ${WHOM[scope]}`,
      description: `The edge answers {{ $value | humanize }} requests a minute on ${WHOM[scope]}, where ${usually} are usual at this hour. The data is fresh: visitors do not arrive.`,
      dashboard: scope === 'account' ? 'edge-overview' : 'edge-configuration',
      variables: scope === 'account' ? ['account', 'product'] : ['account', 'product', 'configuration'],
    };
  });
}
