import type { AlertDefinition } from './alert.ts';
import { paging } from './error-rules.ts';
import { MEASURES, type Measure, SCOPE_NAMES, SCOPES, type Scope } from './measures.ts';
import { recently } from './minute-rules.ts';
import { larger, range, selector } from './promql.ts';
import { latest, type Recorded, recorded } from './recorded.ts';
import { besideConfigurations, lately, opened } from './scopes.ts';
import { spiking, ticketTiming, unlessAttacked } from './spike-alerts.ts';
import type { Times } from './times.ts';
import type { Tuning } from './tuning.ts';
import { seriesValue, WHOM } from './wording.ts';

const SERVER_ERRORS = { label: 'class', operator: '=', value: '5xx' } as const;

/** How much more than the traffic itself something must have grown not to be a part of it. */
const BEYOND_GROWTH = 1.5;

/** What is too much in the mean of an hour, or in a few minutes of it, though no page. */
export function elevatedAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  return SCOPE_NAMES.flatMap((scope) => [
    threatsAlert(scope, times, tuning),
    codeAlert(scope, times, tuning),
  ]);
}

function threatsAlert(scope: Scope, times: Times, tuning: Tuning): AlertDefinition {
  const measure = MEASURES.threats;
  const names = recorded(scope, measure);
  const beside = besideConfigurations(scope, recorded('configuration', measure).since, times);
  return {
    alert: measure.elevated,
    expr: `${elevated(scope, measure, times, tuning)}\nunless\n${lately(names.since, times)}${beside}`,
    judged: { series: names.value, labels: SCOPES[scope] },
    ...ticketTiming(scope, times),
    keepFiring: times.keepAfterLull,
    severity: 'ticket',
    about: 'traffic',
    labels: { scope, metric: measure.data },
    summary: `{{ $value | humanize }} threats a minute in the last hour on ${WHOM[scope]}`,
    description: `In the last hour the WAF has detected {{ $value | humanize }} threats a minute on ${WHOM[scope]}. Usual at this hour: ${seriesValue(names.seasonal, scope)}. Too few for a page, or too short.`,
    ...opened(scope),
    dashboard: 'edge-security',
  };
}

/**
 * A page for server errors tells of their codes as well. It comes first: by the share of an hour that fails, it needs a
 * little longer than a code's spike, which waits for it.
 */
function unlessFailing(scope: Scope, names: Recorded, times: Times): string {
  const within = scope === 'account' ? SCOPE_NAMES : [scope];
  const on = SCOPES[scope].join(', ');
  const told = within.map((one) => `unless on (${on})\n${lately(paging(one), times)}`);
  const young = `unless\ntime() - ${selector(names.since, [SERVER_ERRORS])} < ${times.holdTicket / 1_000}`;
  return ['', ...told, young].join('\n');
}

/** Of error codes a spike is no more than a ticket either: whether it is one or an hour's, it is one alert. */
function codeAlert(scope: Scope, times: Times, tuning: Tuning): AlertDefinition {
  const measure = MEASURES.errors;
  const names = recorded(scope, measure);
  const minutes = beyondTraffic(`(\n${spiking(scope, measure, times)}\n)`, recently(names, times), {
    scope,
    measure,
    traffic: recently(recorded(scope, MEASURES.requests), times),
    times,
  });
  const failing = unlessFailing(scope, names, times);
  const beside = besideConfigurations(scope, recorded('configuration', measure).since, times);
  return {
    alert: measure.elevated,
    expr: `(\n${minutes}\nor\n${elevated(scope, measure, times, tuning)}\n)${unlessAttacked(scope, times)}${failing}${beside}`,
    judged: { series: names.value, labels: SCOPES[scope] },
    ...ticketTiming(scope, times),
    keepFiring: times.keepAfterLull,
    severity: 'ticket',
    about: 'traffic',
    labels: { scope, metric: measure.data },
    summary: `{{ $value | humanize }} responses {{ $labels.code }} a minute on ${WHOM[scope]}`,
    description: `{{ $value | humanize }} responses a minute of ${WHOM[scope]} have the status code {{ $labels.code }} ({{ $labels.class }}), of minutes or in the mean of an hour. Usual at this hour: ${seriesValue(names.seasonal, scope, measure)}.`,
    ...opened(scope),
  };
}

/**
 * The mean of an hour that is far above the usual without its abnormal minutes, or that has some of these: as long as
 * there is more of it.
 */
function elevated(
  scope: Scope,
  measure: Measure & { readonly elevated: 'EdgeWafElevated' | 'EdgeStatusCodeSurge' },
  times: Times,
  tuning: Tuning,
): string {
  const names = recorded(scope, measure);
  const judged = { series: names.usual, labels: SCOPES[scope] };
  const overAnHour = (series: string): string => `avg_over_time(${range(series, times.hour, times.minute)})`;
  const usual = latest(names.usual, times);
  const limit = larger(
    `${usual} * ${tuning.value(measure.elevated, 'hour_times_usual', judged)}`,
    `0 * ${usual} + ${tuning.value(measure.elevated, 'hour_floor', judged)}`,
  );
  const burst = `sum_over_time(${range(names.above, times.hour, times.minute)}) >= ${tuning.value(measure.elevated, 'minutes', judged)}`;
  const hour = overAnHour(names.value);
  const lastly = (operation: 'avg' | 'max', series: string): string =>
    `${operation}_over_time(${range(series, times.lull, times.minute)})`;
  const much = `${latest(names.hourly, times)} > ${limit}\nor\n${burst}`;
  const still = `${lastly('avg', names.value)} > ${limit} / 2\nor\n${lastly('max', names.above)} == 1`;
  return beyondTraffic(`${hour}\nand\n(\n${much}\n)\nand\n(\n${still}\n)`, hour, {
    scope,
    measure,
    traffic: overAnHour(recorded(scope, MEASURES.requests).value),
    times,
  });
}

interface Growth {
  readonly scope: Scope;
  readonly measure: Measure;
  /** The requests of the time that is judged. */
  readonly traffic: string;
  readonly times: Times;
}

/** What grows with the traffic, and hardly more than it, says nothing besides. */
function beyondTraffic(expr: string, now: string, { scope, measure, traffic, times }: Growth): string {
  const against = (series: string, { little }: Pick<Measure, 'little'>): string =>
    `(${latest(series, times)} + ${little})`;
  const requests = against(recorded(scope, MEASURES.requests).usual, MEASURES.requests);
  const growth = `${BEYOND_GROWTH} * clamp_min(${traffic} / ${requests}, 1)`;
  const own = `${now} / ${against(recorded(scope, measure).usual, measure)}`;
  return `${expr}\nunless\n${own} <= on (${SCOPES[scope].join(', ')}) group_left () ${growth}`;
}
