import type { AlertDefinition } from './alert.ts';
import { failing, judgedResponses, LEAST_ERRORS, meanOf, paging, ratio5xx } from './error-rules.ts';
import { SCOPE_NAMES, type Scope } from './measures.ts';
import { duration, range } from './promql.ts';
import { besideConfigurations, opened } from './scopes.ts';
import type { Times } from './times.ts';
import type { Tuning } from './tuning.ts';
import { seriesValue, WHOM } from './wording.ts';

/** Responses of a site that nearly always fails: the share of server errors, and how many there must be in half an hour. */
const BROKEN = { share: 0.5, errors: 10 };

/** Below so many responses a minute, shares as small as the budget mean nothing. */
const LEAST_RESPONSES = 100;

/** Server errors, per account and per configuration: one page, however the budget burns, or one ticket. */
export function serverErrorAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  return SCOPE_NAMES.flatMap((scope) => [
    pageAlert(scope, times, tuning),
    brokenAlert(scope, times),
    creepingAlert(scope, times, tuning),
  ]);
}

function common(scope: Scope, burn: string) {
  return {
    alert: 'Edge5xxRatio',
    judged: judgedResponses(scope),
    about: 'traffic',
    labels: { scope, burn, metric: 'status_code' },
    summary: `{{ $value | humanizePercentage }} server errors on ${WHOM[scope]}`,
    ...opened(scope),
  } as const;
}

function pageAlert(scope: Scope, times: Times, tuning: Tuning): AlertDefinition {
  const [short, hour] = times.burn.fast;
  const budget = tuning.value('Edge5xxRatio', 'budget', judgedResponses(scope));
  const share = (window: number): string =>
    seriesValue(ratio5xx(scope, window), scope, { format: 'humanizePercentage' });
  const speed = seriesValue(ratio5xx(scope, short), scope, { divisor: budgetIn(budget) });
  return {
    ...common(scope, 'fast'),
    expr: `${ratio5xx(scope, short)}\nand\n${paging(scope)}${besideConfigurations(scope, paging('configuration'), times)}`,
    hold: scope === 'account' ? times.holdAccount : 0,
    keepFiring: scope === 'account' ? 0 : times.keepFiring,
    severity: 'page',
    description: `{{ $value | humanizePercentage }} of the responses of ${WHOM[scope]} in the last ${duration(short)} were 5xx: ${speed} times what the budget allows. In the last ${duration(hour)} it was ${share(hour)}.`,
  };
}

/** The budget as a template's query can divide by it: where it is not the same for all, what is usual. */
function budgetIn(budget: string): string {
  return Number.isNaN(Number(budget)) ? budget.replace(/^.*\+ ([\d.e-]+)\)$/s, '$1') : budget;
}

/** A small site that fails as a whole: too few requests for a page. */
function brokenAlert(scope: Scope, times: Times): AlertDefinition {
  const [half] = times.burn.slow;
  const minutes = half / times.minute;
  return {
    ...common(scope, 'broken'),
    expr: [
      `${ratio5xx(scope, half)} > ${BROKEN.share}`,
      `${meanOf(scope, 'serverErrors', half)} * ${minutes} >= ${BROKEN.errors}`,
      `sum_over_time(${range(failing(scope), half, times.minute)}) >= ${Math.round(minutes / 3)}`,
    ]
      .join('\nand\n')
      .concat(
        unlessPaged(scope, times.apart, times),
        besideConfigurations(scope, paging('configuration'), times),
      ),
    hold: times.hold,
    severity: 'ticket',
    description: `{{ $value | humanizePercentage }} of the responses of ${WHOM[scope]} in the last ${duration(half)} were 5xx. It has few requests, so nobody is woken.`,
  };
}

/** Few errors that last: the budget is spent all the same. */
function creepingAlert(scope: Scope, times: Times, tuning: Tuning): AlertDefinition {
  const [middle, longest] = times.burn.creeping;
  const [half] = times.burn.slow;
  const budget = tuning.value('Edge5xxRatio', 'budget', judgedResponses(scope));
  return {
    ...common(scope, 'creeping'),
    expr: [
      ...[middle, longest, half].map((window) => `${ratio5xx(scope, window)} > ${budget}`),
      `${meanOf(scope, 'all', middle)} >= ${LEAST_RESPONSES}`,
      `${meanOf(scope, 'serverErrors', half)} >= ${LEAST_ERRORS[scope].long / 2}`,
    ]
      .join('\nand\n')
      .concat(unlessPaged(scope, middle, times), besideConfigurations(scope, paging('configuration'), times)),
    hold: times.settled,
    severity: 'ticket',
    description: `{{ $value | humanizePercentage }} of the responses of ${WHOM[scope]} in the last ${duration(middle)} were 5xx, and ${seriesValue(ratio5xx(scope, longest), scope, { format: 'humanizePercentage' })} in the last ${duration(longest)}: more than the budget allows.`,
  };
}

/** Whoever was woken for the errors, which the span still shows, needs no ticket of them. */
function unlessPaged(scope: Scope, span: number, { minute }: Times): string {
  return `\nunless\nlast_over_time(${range(paging(scope), span, minute)})`;
}
