import type { AlertDefinition } from './alert.ts';
import type { Judged, Tuning } from './alert-settings.ts';
import {
  latest,
  RESPONSES,
  recordedResponses,
  recordedSum,
  SCOPE_NAMES,
  SCOPES,
  type Scope,
} from './measures.ts';
import { ago, duration, range } from './promql.ts';
import type { RecordingRule } from './rule.ts';
import { besideConfigurations, pageTiming, seriesValue, WHOM } from './scopes.ts';
import type { Times } from './times.ts';

type Kind = keyof typeof RESPONSES;

/** The name of the share of server errors over a window. */
export function ratio5xx(scope: Scope, window: number): string {
  return `${scope}:edge_server_error_ratio:avg${duration(window)}`;
}

/** The name of the share of server errors at most times. */
function always5xx(scope: Scope): string {
  return `${scope}:edge_server_error_ratio:always`;
}

/** The name of the mean per minute, over the middle window, of all responses or of the server errors. */
export function longMean(scope: Scope, kind: Kind, { burn }: Times): string {
  return `${scope}:${RESPONSES[kind].name}:avg${duration(burn.creeping[0])}`;
}

/** The mean per minute over a window, made of minutes. */
function meanOf(scope: Scope, kind: Kind, window: number, { minute }: Times): string {
  return `avg_over_time(${range(recordedResponses(scope, kind), window, minute)})`;
}

/** 1, and there only in minutes whose share of server errors burns the budget at the slower speed that wakes somebody. */
export function failing(scope: Scope): string {
  return `${scope}:edge_server_errors_per_minute:failing`;
}

/** The share of server errors while it is a reason to wake somebody; else nothing. */
export function paging(scope: Scope): string {
  return `${scope}:edge_server_errors_per_minute:paging`;
}

/** Responses and errors, every minute. To be recorded before what is made of them. */
export function responseRules(): readonly RecordingRule[] {
  return Object.values(RESPONSES).flatMap(({ name, selector }) =>
    SCOPE_NAMES.map((scope) => ({
      record: `${scope}:${name}:sum`,
      expr: recordedSum(`${name}:sum`, { family: 'edge_responses_per_minute', selector })(scope),
    })),
  );
}

/** The windows that decide about waking somebody, and whether they do. */
export function shortRatioRules(times: Times, tuning: Tuning): readonly RecordingRule[] {
  const { burn } = times;
  const windows = [...new Set([...burn.fast, burn.slow[0]])];
  return SCOPE_NAMES.flatMap((scope) => [
    ...windows.map((window) => ratioRule(scope, window, (kind) => meanOf(scope, kind, window, times))),
    {
      record: failing(scope),
      expr: `${recordedResponses(scope, 'serverErrors')} > bool ${recordedResponses(scope, 'all')} * ${burning(scope, 'slow', tuning)} == 1`,
    },
    { record: paging(scope), expr: pagingExpression(scope, times, tuning) },
  ]);
}

/**
 * The longer windows: the middle one is made of minutes, and the longest, for its cost, of the middle one; and what is so
 * at all times: the share in the middle of the days before, which failures of hours do not move. A site that has been
 * there for less than the middle window has no such times yet.
 */
export function longRatioRules(times: Times): readonly RecordingRule[] {
  const [middle, longest] = times.burn.creeping;
  return SCOPE_NAMES.flatMap((scope) => {
    const ratios = range(ratio5xx(scope, middle), longest, times.baseline);
    const mean = (kind: Kind): string => longMean(scope, kind, times);
    return [
      ...(['all', 'serverErrors'] as const).map((kind) => ({
        record: mean(kind),
        expr: meanOf(scope, kind, middle, times),
      })),
      ratioRule(scope, middle, mean),
      ratioRule(scope, longest, (kind) => `avg_over_time(${range(mean(kind), longest, times.baseline)})`),
      {
        record: always5xx(scope),
        expr: `quantile_over_time(0.5, ${ratios})\nand last_over_time(${ago(ratios, middle)})`,
      },
    ];
  });
}

function ratioRule(scope: Scope, window: number, mean: (kind: Kind) => string): RecordingRule {
  return { record: ratio5xx(scope, window), expr: `${mean('serverErrors')}\n/\n(${mean('all')} > 0)` };
}

/** The series that parameters of server errors are chosen for. */
export function judgedResponses(scope: Scope): Judged {
  return { series: recordedResponses(scope, 'all'), labels: SCOPES[scope] };
}

/** The share of server errors at which the budget burns at a speed. */
export function burning(scope: Scope, speed: 'fast' | 'slow', tuning: Tuning): string {
  const judged = judgedResponses(scope);
  const budget = tuning.value('Edge5xxRatio', 'budget', judged);
  const times = tuning.value('Edge5xxRatio', speed === 'fast' ? 'fast_burn' : 'slow_burn', judged);
  const both = Number(times) * Number(budget);
  return Number.isNaN(both) ? `(${times} * ${budget})` : String(Number(both.toPrecision(6)));
}

/**
 * What is worth a page: errors that burn the budget over a long window (they matter), over a short one (they last), in
 * many single minutes (a restart is over in two; what restarts again and again is not), and of a site that is large
 * enough to wake somebody. A site that always burns a little is woken for only where it is far worse than it is, by as
 * many errors as would wake somebody elsewhere; what burns slowly, not before it is known what is so at all times.
 */
function pagingExpression(scope: Scope, times: Times, tuning: Tuning): string {
  const { burn, minute } = times;
  const [short, half] = burn.fast;
  const [, long] = burn.slow;
  const failed = (span: number): string => `sum_over_time(${range(failing(scope), span, minute)})`;
  const fast = burning(scope, 'fast', tuning);
  const slow = burning(scope, 'slow', tuning);
  const least = tuning.value('Edge5xxRatio', 'least_requests', judgedResponses(scope));
  const all = meanOf(scope, 'all', half, times);
  const errors = meanOf(scope, 'serverErrors', half, times);
  const beyond = `${errors} - ${FAR_WORSE} * ${before(scope, times)} * ${all}`;
  const fastBurn = [
    `${ratio5xx(scope, short)} > ${fast}`,
    `${ratio5xx(scope, half)} > ${fast}`,
    `(${failed(2 * short)} >= ${Math.round(short / minute)} or ${failed(times.hour)} >= ${Math.round(CRASHING * (times.hour / minute))})`,
    `${meanOf(scope, 'serverErrors', short, times)} >= ${LEAST_ERRORS[scope].short}`,
    `(${beyond} or ${errors}) >= ${LEAST_ERRORS[scope].short / 3}`,
    `${all} >= ${least}`,
  ];
  const slowBurn = [
    `${ratio5xx(scope, short)} > ${slow}`,
    `${ratio5xx(scope, half)} > ${slow}`,
    `${ratio5xx(scope, long)} > ${slow}`,
    `${failed(half)} >= ${Math.round(half / minute / 3)}`,
    `${beyond} >= ${LEAST_ERRORS[scope].long}`,
    `${all} >= ${least}`,
  ];
  return `${fastBurn.join('\nand\n')}\nor\n${slowBurn.join('\nand\n')}`;
}

/** The share of an hour's minutes that must fail where no ten of them do: three restarts have less, a crash loop more. */
const CRASHING = 2 / 15;

/** How many times the share of the days before must fail to wake somebody. */
const FAR_WORSE = 3;

/** The share of server errors that is so at all times, as it was some hours ago, or of a new site by now. */
function before(scope: Scope, times: Times): string {
  const always = always5xx(scope);
  return `(${latest(always, times, times.burn.creeping[0])} or ${latest(always, times)})`;
}

/**
 * Server errors a minute below which a share of them wakes nobody: in the mean of minutes, and of half an hour; and below
 * which it is no ticket either, in the mean of six hours: by chance some twenty are not far above the budget. Of an account
 * more, or a tiny site that fails would be a page of its account.
 */
export const LEAST_ERRORS: Readonly<Record<Scope, Readonly<Record<'short' | 'long' | 'creeping', number>>>> =
  {
    configuration: { short: 1.5, long: 0.5, creeping: 0.06 },
    account: { short: 15, long: 10, creeping: 5 },
  };

/** Responses of a site that nearly always fails: the share of server errors, and how many there must be in half an hour. */
const BROKEN = { share: 0.5, errors: 10 };

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
  } as const;
}

function pageAlert(scope: Scope, times: Times, tuning: Tuning): AlertDefinition {
  const [short, half] = times.burn.fast;
  const budget = tuning.value('Edge5xxRatio', 'budget', judgedResponses(scope));
  const share = (window: number): string =>
    seriesValue(ratio5xx(scope, window), scope, { format: 'humanizePercentage' });
  const speed = seriesValue(ratio5xx(scope, short), scope, { divisor: budgetIn(budget) });
  return {
    ...common(scope, 'fast'),
    expr: `${ratio5xx(scope, short)}\nand\n${paging(scope)}${besideConfigurations(scope, paging('configuration'), times)}`,
    ...pageTiming(scope, times),
    description: `{{ $value | humanizePercentage }} of the responses of ${WHOM[scope]} in the last ${duration(short)} were 5xx: ${speed} times what the budget allows. In the last ${duration(half)} it was ${share(half)}.`,
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
      `${meanOf(scope, 'serverErrors', half, times)} * ${minutes} >= ${BROKEN.errors}`,
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
      // What fails as a whole is told of as that.
      `${ratio5xx(scope, half)} <= ${BROKEN.share}`,
      `${longMean(scope, 'all', times)} >= ${tuning.value('Edge5xxRatio', 'least_requests', judgedResponses(scope))}`,
      `${longMean(scope, 'serverErrors', times)} >= ${LEAST_ERRORS[scope].creeping}`,
    ]
      .join('\nand\n')
      .concat(unlessPaged(scope, middle, times), besideConfigurations(scope, paging('configuration'), times)),
    // Of a crash loop the page comes after half an hour: before this ticket.
    hold: times.settled + times.hold,
    // It lasts for days, and comes and goes by chance where it is close to the budget: one ticket, not many.
    keepFiring: times.day,
    severity: 'ticket',
    description: `{{ $value | humanizePercentage }} of the responses of ${WHOM[scope]} in the last ${duration(middle)} were 5xx, and ${seriesValue(ratio5xx(scope, longest), scope, { format: 'humanizePercentage' })} in the last ${duration(longest)}: more than the budget allows.`,
  };
}

/** Whoever was woken for the errors, which the span still shows, needs no ticket of them. */
function unlessPaged(scope: Scope, span: number, { minute }: Times): string {
  return `\nunless\nlast_over_time(${range(paging(scope), span, minute)})`;
}
