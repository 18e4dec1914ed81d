import type { AlertDefinition } from './alert.ts';
import type { Tuning } from './alert-settings.ts';
import {
  growing,
  inLastMinutes,
  RELEARNING,
  RELEARNS,
  recently,
  stillAbove,
  withRequests,
} from './baselines.ts';
import { dropAlerts } from './drop-alerts.ts';
import { burning, creeping, judgedResponses, paging, ratio5xx } from './error-rules.ts';
import {
  type Judging,
  latest,
  MEASURES,
  type Measure,
  recorded,
  recordedResponses,
  SCOPES,
  type Scope,
  scopesOf,
} from './measures.ts';
import { ago, duration, larger, range } from './promql.ts';
import { besideConfigurations, eitherScope, lately, ofTraffic, SITE, seriesValue } from './scopes.ts';
import type { Times } from './times.ts';

/** Returns the alerts of traffic: each row is one rule. */
export function trafficAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const ticket = { hold: times.holdTicket, keepFiring: times.keepTicket } as const;
  return [
    {
      ...ofTraffic(MEASURES.threats),
      alert: 'EdgeWafSpike',
      expr: eitherScope((scope) => `${spiking(scope, MEASURES.threats, times)}${unlessRelearning()}`),
      keepFiring: times.keepFiring,
      summary: `{{ $value | humanize }} threats a minute on ${SITE}`,
      description: `${compared(MEASURES.threats)} The WAF blocks ${seriesValue((scope) => recorded(scope, MEASURES.blocked).value, { absent: 'few' })} requests a minute.`,
    },
    {
      ...ofTraffic(MEASURES.threats),
      ...ticket,
      alert: 'EdgeWafElevated',
      expr: eitherScope((scope) => elevatedThreats({ scope, measure: MEASURES.threats, times, tuning })),
      summary: `{{ $value | humanize }} threats a minute in an hour on ${SITE}`,
      description: `Mean of the last hour: {{ $value | humanize }} threats a minute. Usual at this hour: ${seriesValue((scope) => recorded(scope, MEASURES.threats).usual)}.`,
    },
    {
      ...ofTraffic(MEASURES.threats),
      alert: 'EdgeAttackUsual',
      expr: eitherScope(attackUsual(times)),
      hold: times.hour,
      summary: `{{ $value | humanize }} threats a minute count as usual on ${SITE}`,
      description: `Threats were above their threshold for ${duration(tuning.settings.acceptAfter)}. Attacks of this size no longer alert.`,
    },
    spikeTicket('blocked', times, {
      summary: `{{ $value | humanize }} requests a minute blocked on ${SITE}`,
    }),
    spikeTicket('family', times, {
      summary: `{{ $labels.family }} attack on ${SITE}: {{ $value | humanize }} threats a minute`,
    }),
    spikeTicket('clientErrors', times, {
      summary: `{{ $value | humanizePercentage }} client errors on ${SITE}`,
    }),
    spikeTicket('misses', times, {
      summary: `{{ $value | humanizePercentage }} cache misses on ${SITE}`,
    }),
    {
      ...ofTraffic(MEASURES.errors),
      ...ticket,
      alert: 'EdgeStatusCodeSurge',
      expr: eitherScope(
        (scope) => codes({ scope, measure: MEASURES.errors, times, tuning }),
        ['configuration'],
      ),
      summary: `{{ $value | humanize }} responses {{ $labels.code }} a minute on ${SITE}`,
      description: compared(MEASURES.errors),
    },
    {
      ...ofTraffic(MEASURES.requests),
      alert: 'EdgeTrafficFlood',
      expr: eitherScope((scope) => spiking(scope, MEASURES.requests, times), ['configuration']),
      summary: `{{ $value | humanize }} requests a minute on ${SITE}`,
      description: `{{ $value | humanize }} requests a minute; usual at this hour: ${seriesValue((scope) => recorded(scope, MEASURES.requests).usual)}. Errors and threats page by themselves.`,
    },
    ...dropAlerts(times, tuning),
    ...serverErrorAlerts(times, tuning),
    {
      ...ofTraffic(MEASURES.threats),
      judged: { series: 'edge_waf_ruleset_changed_timestamp_seconds', labels: ['account'] },
      alert: 'EdgeRuleSetSwitched',
      expr: switched(times),
      keepFiring: times.keepTicket,
      summary: 'The WAF of {{ $labels.account }} detects more since its rule set changed',
      description:
        'A WAF rule set changed, and threats or blocked requests are above their threshold since: {{ $value | humanize }} a minute. The rules learn the new level; WAF alerts of the account are silent for 75 minutes.',
    },
  ];
}

function compared(measure: Measure): string {
  const format = measure.name.endsWith('_ratio') ? 'humanizePercentage' : 'humanize';
  const more = { by: measure.by, scopes: scopesOf(measure) };
  const threshold = seriesValue((scope) => recorded(scope, measure).threshold, {
    ...more,
    format,
    absent: 'its floor',
  });
  const since = seriesValue((scope) => recorded(scope, measure).since, {
    ...more,
    format: 'humanizeTimestamp',
    absent: 'the last hour',
  });
  return `{{ $value | ${format} }} against a threshold of ${threshold}, since ${since}.`;
}

function spikeTicket(
  name: 'blocked' | 'family' | 'clientErrors' | 'misses',
  times: Times,
  { summary }: { readonly summary: string },
): AlertDefinition {
  const measure: Measure = MEASURES[name];
  const relearning = measure.waf === true ? unlessRelearning() : '';
  return {
    ...ofTraffic(measure),
    alert: measure.alert,
    expr: eitherScope(
      (scope) => `${spiking(scope, measure, times)}${unlessAttacked(scope, times)}${relearning}`,
      scopesOf(measure),
    ),
    hold: times.holdTicket,
    keepFiring: times.keepTicket,
    summary,
    description: compared(measure),
  };
}

function spiking(scope: Scope, measure: Measure, times: Times): string {
  const names = recorded(scope, measure);
  const spike = `${names.active}\nand\n${stillAbove(measure, names, times)}`;
  const all = measure.alert === 'EdgeWafSpike' ? `(\n${spike}\nor\n${names.rising}\n)` : spike;
  const beside = besideConfigurations(scope, (one) => recorded(one, measure).since, times);
  return `${inLastMinutes(measure, names, times)}\nand\n${all}${beside}`;
}

function unlessRelearning(): string {
  return `\nunless on (account)\n${RELEARNING}`;
}

/** Returns the condition that no attack was paged, because its other measures then need no ticket. */
function unlessAttacked(scope: Scope, times: Times, span = times.apart): string {
  const attacked = lately(recorded(scope, MEASURES.threats).since, times, span);
  return `\nunless on (${SCOPES[scope].join(', ')})\n${attacked}`;
}

function hourLimit({ scope, measure, times, tuning }: JudgingHours): string {
  const names = recorded(scope, measure);
  const elevated = measure.alert === 'EdgeWafSpike' ? 'EdgeWafElevated' : 'EdgeStatusCodeSurge';
  const judged = { series: names.value, labels: SCOPES[scope] };
  const many = tuning.value(elevated, 'hour_times_usual', judged);
  const floor = tuning.value(elevated, 'hour_floor', judged);
  // The last hour is centred half an hour ago.
  const earlier = (series: string): string =>
    `(${latest(series, times, times.hour / 2)} or ${latest(series, times)})`;
  // The threshold of a rare series is a multiple of the baseline, without any floor.
  const usual =
    measure.usual === true
      ? earlier(names.usual)
      : `${earlier(names.threshold)} / ${tuning.value('EdgeStatusCodeSurge', 'times_usual', judged)}`;
  return larger(`${usual} * ${many}`, `0 * ${names.value} + ${floor}`);
}

interface JudgingHours extends Judging {
  readonly measure: Measure & { readonly alert: 'EdgeWafSpike' | 'EdgeStatusCodeSurge' };
}

/** Returns the mean of an hour that is far above the baseline or has some abnormal minutes, while that lasts. */
function elevated(judging: JudgingHours): string {
  const { scope, measure, times, tuning } = judging;
  const names = recorded(scope, measure);
  const name = measure.alert === 'EdgeWafSpike' ? 'EdgeWafElevated' : 'EdgeStatusCodeSurge';
  const judged = { series: names.value, labels: SCOPES[scope] };
  const mean = (series: string, span: number): string =>
    measure.least === undefined || series !== names.value
      ? `avg_over_time(${range(series, span, times.minute)})`
      : `sum_over_time(${range(series, span, times.minute)}) / ${span / times.minute}`;
  const overAnHour = (series: string): string => mean(series, times.hour);
  const limit = withRequests((of) => hourLimit({ ...judging, scope: of }), judging, {
    many: 2,
    back: times.hour / 2,
    over: overAnHour,
  });
  const minutes = `sum_over_time(${range(names.above, times.hour, times.minute)}) >= ${tuning.value(name, 'minutes', judged)}`;
  const requests = recorded(scope, MEASURES.requests);
  // With a third more requests than usual, single minutes of error codes show nothing.
  const busy = `${overAnHour(requests.value)} > 4 / 3 * ${latest(requests.usual, times, times.hour / 2)}`;
  const burst =
    measure.least === undefined ? minutes : `(${minutes} unless on (${SCOPES[scope].join(', ')}) ${busy})`;
  const hour = overAnHour(names.value);
  // The mean alone would report a burst of a minute or two.
  const lasting =
    measure.least === undefined
      ? `quantile_over_time(0.5, ${range(names.value, times.hour, times.minute)}) > ${limit}`
      : `count_over_time(${range(names.value, times.hour, times.minute)}) >= ${times.hour / times.minute / 3}`;
  const still = `${mean(names.value, times.lull)} > ${limit} / 2\nor\nmax_over_time(${range(names.above, times.lull, times.minute)})`;
  return `${hour}\nand\n(\n${hour} > ${limit} and ${lasting}\nor\n${burst}\n)\nand\n(\n${still}\n)`;
}

function elevatedThreats(judging: JudgingHours): string {
  const { scope, measure, times } = judging;
  const names = recorded(scope, measure);
  // Growing threats become a page, or a ticket once they stop growing; two and a half hours show which.
  const before = `avg_over_time(${ago(range(names.value, times.hour, times.minute), 2.5 * times.hour)})`;
  const young = `(${growing(names, times, 2 * times.holdTicket, 1.05)} unless ${before} > 2 * ${latest(names.usual, times)})`;
  const sudden = suddenThreats(judging);
  const beside = besideConfigurations(scope, (one) => recorded(one, measure).above, times);
  return `(\n${elevated(judging)}\nunless\n${young}\nor\n${sudden}\n)\nunless\n${lately(names.since, times, times.remains)}${unlessRelearning()}${beside}`;
}

/** Returns the threats far above the last hours and the previous day, if the previous weeks contain an attack. */
function suddenThreats(judging: JudgingHours): string {
  const { scope, measure, times, tuning } = judging;
  const names = recorded(scope, measure);
  const many = tuning.value('EdgeWafSpike', 'times_usual', { series: names.value, labels: SCOPES[scope] });
  const floor = tuning.value('EdgeWafSpike', 'floor', { series: names.value, labels: SCOPES[scope] });
  const last = recently({ value: names.value }, { ...times, smoothing: times.holdHour });
  const compare = [3 * times.hour, times.day - times.hour / 2].map(
    (back) =>
      `${last} > ${withRequests((of) => `(${many} * ${latest(recorded(of, measure).hourly, times, back)})`, judging, { many: 3 })}`,
  );
  const yesterday = latest(names.hourly, times, times.day - times.hour / 2);
  return `${last} > ${floor}\nand\n${compare.join('\nand\n')}\nand\n${latest(names.usual, times)} > ${many} * ${yesterday}`;
}

/**
 * Returns the error codes with too many abnormal minutes or a too high hour, unless a page for server errors or threats covers
 * them.
 */
function codes(judging: JudgingHours): string {
  const { scope, measure, times, tuning } = judging;
  const on = `on (${SCOPES[scope].join(', ')})`;
  const paged = `\nunless ${on}\n${lately(paging(scope), times, times.remains)}`;
  const failing = `\nunless ${on}\n${ratio5xx(scope, times.burn.fast[0])} > ${burning(scope, 'slow', tuning)}`;
  // EdgeWafBlockedSpike reports refusals by the WAF.
  const inAnHour = (series: string): string => `sum_over_time(${range(series, times.hour, times.minute)})`;
  const refused = `\nunless\n${inAnHour(`${recorded(scope, measure).value}{code=~"403|other"}`)} <= ${on} group_left () 1.5 * ${inAnHour(recorded(scope, MEASURES.blocked).value)}`;
  return `(\n${spiking(scope, measure, times)}\nor\n${elevated(judging)}\n)${unlessAttacked(scope, times, times.remains)}${unlessRelearning()}${refused}${paged}${failing}`;
}

function attackUsual(times: Times): (scope: Scope) => string {
  return (scope) => {
    const names = recorded(scope, MEASURES.threats);
    const accepted = (one: Scope): string =>
      lately(recorded(one, MEASURES.threats).accepted, times, times.day);
    const beside = scope === 'account' ? `\nunless on (account, product)\n${accepted('configuration')}` : '';
    const relearned = `\nunless on (account)\n${lately(RELEARNING, times, times.day + times.hour)}`;
    return `${latest(names.hourly, times)}\nand\n${accepted(scope)}${relearned}${beside}`;
  };
}

/** Returns a page for server errors, a ticket for few errors that last, and a ticket for errors at the same time of each day. */
function serverErrorAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const [short, half] = times.burn.fast;
  const common = {
    judged: judgedResponses('configuration'),
    about: 'traffic',
    labels: { metric: 'status_code' },
    summary: `{{ $value | humanizePercentage }} server errors on ${SITE}`,
  } as const;
  const budget = `${100 * tuning.usual('Edge5xxRatio', 'budget')}%`;
  const beside = (scope: Scope): string =>
    besideConfigurations(scope, paging, times, recordedResponses('configuration', 'all'));
  const again = (scope: Scope): string =>
    [1, 2]
      .map(
        (days) =>
          `last_over_time(${ago(range(paging(scope), half, times.minute), days * times.day - half / 2)})`,
      )
      .join('\nand\n');
  return [
    {
      ...common,
      alert: 'Edge5xxRatio',
      labels: { ...common.labels, burn: 'fast' },
      expr: eitherScope((scope) => `${ratio5xx(scope, short)}\nand\n${paging(scope)}${beside(scope)}`),
      keepFiring: times.keepFiring,
      description: `{{ $value | humanizePercentage }} of the responses in ${duration(short)} were 5xx; the budget is ${budget}.`,
    },
    {
      ...common,
      alert: 'Edge5xxRatio',
      severity: 'ticket',
      labels: { ...common.labels, burn: 'creeping' },
      expr: eitherScope(
        (scope) =>
          `${creeping(scope, times, tuning)}${scope === 'account' ? `\nunless on (account, product)\n${creeping('configuration', times, tuning)}` : ''}`,
      ),
      hold: times.settled + times.hold,
      // The condition lasts for days, and changes by chance close to the budget: one ticket, not many.
      keepFiring: times.day,
      description: `{{ $value | humanizePercentage }} of the responses in ${duration(times.burn.creeping[0])} were 5xx; the budget is ${budget}.`,
    },
    {
      ...common,
      alert: 'EdgeErrorsRecur',
      expr: eitherScope(
        (scope) => `${ratio5xx(scope, short)}\nand\n${paging(scope)}\nand\n${again(scope)}${beside(scope)}`,
      ),
      keepFiring: times.day,
      summary: `Server errors at the same time of each day on ${SITE}`,
      description:
        'It is the third day with a page for server errors at this time. If it is maintenance, an Alertmanager time interval can mute it.',
    },
  ];
}

/** Returns the accounts whose threats or blocked requests have doubled since a rule set was changed. */
function switched(times: Times): string {
  const each = [MEASURES.threats, MEASURES.blocked].map((measure) => {
    const { value } = recorded('configuration', measure);
    const now = `avg_over_time(${range(value, times.holdHour, times.minute)})`;
    const before = `avg_over_time(${ago(range(value, times.hour, times.minute), RELEARNS)})`;
    return `(${now} >= ${NOTICED} unless ${now} <= 2 * ${before})`;
  });
  return `max by (account) (${each.join(' or ')})\nand on (account)\n${RELEARNING}`;
}

/** Threats or blocked requests per minute from which a doubled level alerts. */
const NOTICED = 5;
