import type { AlertDefinition } from './alert.ts';
import { ratio5xx } from './error-rules.ts';
import { MEASURES, type Measure, SCOPE_NAMES, SCOPES, type Scope } from './measures.ts';
import { range } from './promql.ts';
import { recorded } from './recorded.ts';
import { besideConfigurations, opened } from './scopes.ts';
import { spiking } from './spike-alerts.ts';
import type { Times } from './times.ts';
import { seriesValue, WHOM } from './wording.ts';

/** Share of server errors that makes more traffic than usual a matter for somebody. */
const FLOOD_ERRORS = 0.01;

/** More requests than ever: information, as long as they do no harm. */
export function floodAlerts(times: Times): readonly AlertDefinition[] {
  return SCOPE_NAMES.flatMap((scope) => {
    const names = recorded(scope, MEASURES.requests);
    const expr = `${spiking(scope, MEASURES.requests, times)}${besideConfigurations(scope, recorded('configuration', MEASURES.requests).since, times)}`;
    const harm = `(\n${harmful(scope, times).join('\nor\n')}\n)`;
    const common = {
      alert: 'EdgeTrafficFlood',
      judged: { series: names.value, labels: SCOPES[scope] },
      about: 'traffic',
      labels: { scope, metric: 'requests' },
      summary: `{{ $value | humanize }} requests a minute on ${WHOM[scope]}`,
      ...opened(scope),
    } as const;
    const described = `The edge answers {{ $value | humanize }} requests a minute on ${WHOM[scope]}. Usual at this hour: ${seriesValue(names.seasonal, scope)}; too many are more than ${seriesValue(names.limit, scope)}.`;
    const on = `on (${SCOPES[scope].join(', ')})`;
    return [
      {
        ...common,
        expr: `${expr}\nand ${on}\n${harm}`,
        hold: times.hold + (scope === 'account' ? times.holdAccount : 0),
        keepFiring: scope === 'configuration' ? times.keepFiring : 0,
        severity: 'page',
        description: `${described} Errors or threats rise with them.`,
      },
      {
        ...common,
        expr: `${expr}\nunless ${on}\n${harm}`,
        hold: scope === 'account' ? times.holdAccount : 0,
        severity: 'info',
        description: `${described} Neither errors nor threats rise with them.`,
      },
    ] as const;
  });
}

/** What makes many requests a matter for somebody. */
function harmful(scope: Scope, times: Times): readonly string[] {
  const above = (measure: Measure): string => {
    const { of, rises } = times.spike;
    const count = `sum_over_time(${range(recorded(scope, measure).above, of, times.minute)})`;
    return `${count} >= ${Math.round(rises / times.minute)}`;
  };
  return [
    `${ratio5xx(scope, times.burn.fast[0])} > ${FLOOD_ERRORS}`,
    above(MEASURES.threats),
    above(MEASURES.clientErrors),
  ];
}
