import type { AlertDefinition } from './alert.ts';
import { MEASURES, type Measure, SCOPE_NAMES, SCOPES, type Scope } from './measures.ts';
import { inLastMinutes, stillAbove } from './minute-rules.ts';
import { recorded } from './recorded.ts';
import { besideConfigurations, lately, opened } from './scopes.ts';
import type { Times } from './times.ts';
import { seriesValue, WHOM } from './wording.ts';

type SpikeName = 'threats' | 'blocked' | 'family' | 'clientErrors' | 'misses';

interface Wording {
  readonly format?: 'humanizePercentage';
  readonly summary: (whom: string) => string;
  readonly what: string;
  /** What is said besides. */
  readonly more?: (scope: Scope) => string;
  readonly dashboard: 'edge-security' | 'edge-configuration';
}

const WORDINGS: Readonly<Record<SpikeName, Wording>> = {
  threats: {
    summary: (whom) => `{{ $value | humanize }} threats a minute on ${whom}`,
    what: 'The WAF detects {{ $value | humanize }} threats a minute',
    more: (scope) =>
      ` The WAF blocks ${seriesValue(recorded(scope, MEASURES.blocked).value, scope)} requests a minute.`,
    dashboard: 'edge-security',
  },
  blocked: {
    summary: (whom) => `{{ $value | humanize }} requests a minute blocked on ${whom}`,
    what: 'The WAF blocks {{ $value | humanize }} requests a minute',
    dashboard: 'edge-security',
  },
  family: {
    summary: (whom) => `{{ $labels.family }} attack on ${whom}: {{ $value | humanize }} threats a minute`,
    what: 'The WAF detects {{ $value | humanize }} threats a minute of the family {{ $labels.family }}',
    dashboard: 'edge-security',
  },
  clientErrors: {
    format: 'humanizePercentage',
    summary: (whom) => `{{ $value | humanizePercentage }} client errors on ${whom}`,
    what: '{{ $value | humanizePercentage }} of the responses are 4xx',
    dashboard: 'edge-configuration',
  },
  misses: {
    format: 'humanizePercentage',
    summary: (whom) =>
      `The cache does not serve {{ $value | humanizePercentage }} of the requests of ${whom}`,
    what: 'The origin has to answer {{ $value | humanizePercentage }} of the requests',
    dashboard: 'edge-configuration',
  },
};

/** What must be far above its own past, per account and per configuration. */
export function spikeAlerts(times: Times): readonly AlertDefinition[] {
  const names = Object.keys(WORDINGS) as SpikeName[];
  return names.flatMap((name) => SCOPE_NAMES.map((scope) => spikeAlert(name, scope, times)));
}

/** A spike that is not over: the mean of the last minutes, where one of them was above the limit. */
export function spiking(scope: Scope, measure: Measure, times: Times): string {
  const names = recorded(scope, measure);
  return `${inLastMinutes(measure, names, times)}\nand\n${names.active} == 1\nand\n${stillAbove(measure, names, times)}`;
}

/** Where somebody has been woken for an attack, what follows from it is a part of that. */
export function unlessAttacked(scope: Scope, times: Times): string {
  const attacked = lately(recorded(scope, MEASURES.threats).since, times);
  return `\nunless on (${SCOPES[scope].join(', ')})\n${attacked}`;
}

function spikeAlert(name: SpikeName, scope: Scope, times: Times): AlertDefinition {
  const measure: Measure = MEASURES[name];
  const { dashboard } = WORDINGS[name];
  const page = name === 'threats';
  const beside = besideConfigurations(scope, recorded('configuration', measure).since, times);
  return {
    alert: measure.alert,
    expr: `${spiking(scope, measure, times)}${page ? '' : unlessAttacked(scope, times)}${beside}`,
    judged: { series: recorded(scope, measure).value, labels: SCOPES[scope] },
    ...(page ? pageTiming(scope, times) : ticketTiming(scope, times)),
    severity: page ? 'page' : 'ticket',
    about: 'traffic',
    labels: { scope, metric: measure.data },
    ...words(name, scope),
    ...opened(scope),
    ...(dashboard === 'edge-security' && { dashboard }),
  };
}

/** An account waits for its configurations to speak, and is silent before they are. */
function pageTiming(
  scope: Scope,
  { holdAccount, keepFiring }: Times,
): Pick<AlertDefinition, 'hold' | 'keepFiring'> {
  return scope === 'account' ? { hold: holdAccount } : { keepFiring };
}

/** A ticket waits for the page of the same cause. */
export function ticketTiming(
  scope: Scope,
  { holdTicket, holdAccount, keepFiring }: Times,
): Pick<AlertDefinition, 'hold' | 'keepFiring'> {
  return { hold: holdTicket + (scope === 'account' ? holdAccount : 0), keepFiring };
}

function words(name: SpikeName, scope: Scope): Pick<AlertDefinition, 'summary' | 'description'> {
  const { summary, what, more, format } = WORDINGS[name];
  const measure: Measure = MEASURES[name];
  const names = recorded(scope, measure);
  const value = (series: string): string =>
    seriesValue(series, scope, { by: measure.by, ...(format && { format }) });
  return {
    summary: summary(WHOM[scope]),
    description: `${what} on ${WHOM[scope]}. Usual at this hour: ${value(names.seasonal)}; too much is what is above ${value(names.limit)}.${more?.(scope) ?? ''}`,
  };
}
