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

/** The share of the last minutes, the minutes that fail, and the share that wakes somebody. */
export function shortRatioRules(times: Times, tuning: Tuning): readonly RecordingRule[] {
  const [short] = times.burn.fast;
  return SCOPE_NAMES.flatMap((scope) => [
    ratioRule(scope, short, times),
    {
      record: failing(scope),
      expr: `${recordedResponses(scope, 'serverErrors')} > bool ${recordedResponses(scope, 'all')} * ${burning(scope, 'slow', tuning)} == 1`,
    },
    { record: paging(scope), expr: pagingExpression(scope, times, tuning) },
  ]);
}

/** The share of the last hours, and the share at all times: its median over days, which failures of hours do not move. */
export function longRatioRules(times: Times): readonly RecordingRule[] {
  const [middle, longest] = times.burn.creeping;
  return SCOPE_NAMES.flatMap((scope) => {
    const ratios = range(ratio5xx(scope, middle), longest, times.baseline);
    return [
      ratioRule(scope, middle, times),
      {
        record: always5xx(scope),
        expr: `quantile_over_time(0.5, ${ratios})\nand last_over_time(${ago(ratios, middle)})`,
      },
    ];
  });
}

function ratioRule(scope: Scope, window: number, times: Times): RecordingRule {
  return { record: ratio5xx(scope, window), expr: meanRatio(scope, window, times) };
}

function meanRatio(scope: Scope, window: number, times: Times): string {
  const mean = (kind: Kind): string => meanOf(scope, kind, window, times);
  return `${mean('serverErrors')}\n/\n(${mean('all')} > 0)`;
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
 * Returns the share of server errors where it is worth a page. Errors burn the budget over a long window (they matter), over a short one (they
 * last), and in many minutes (a restart is over in two). A small site pages by the count of its failures. A site that always
 * burns a little pages only where it is far worse than it is.
 */
function pagingExpression(scope: Scope, times: Times, tuning: Tuning): string {
  const { burn, minute } = times;
  const [short, half] = burn.fast;
  const [, long] = burn.slow;
  const failed = (span: number): string => `sum_over_time(${range(failing(scope), span, minute)})`;
  const fast = burning(scope, 'fast', tuning);
  const slow = burning(scope, 'slow', tuning);
  const least = tuning.value('Edge5xxRatio', 'least_requests', judgedResponses(scope));
  const count = tuning.value('Edge5xxRatio', 'least_failures', judgedResponses(scope));
  const all = meanOf(scope, 'all', half, times);
  const errors = meanOf(scope, 'serverErrors', half, times);
  const beyond = `${errors} - ${FAR_WORSE} * ${before(scope, times)} * ${all}`;
  const ratio = ratio5xx(scope, short);
  const broken = meanRatio(scope, times.broken, times);
  const branches = [
    [
      `${ratio} > ${fast}`,
      `${meanRatio(scope, half, times)} > ${fast}`,
      `(${failed(2 * short)} >= ${Math.round(short / minute)} or ${failed(times.hour)} >= ${Math.round(CRASHING * (times.hour / minute))})`,
      `${meanOf(scope, 'serverErrors', short, times)} >= ${LEAST_ERRORS[scope].short}`,
      `(${beyond} or ${errors}) >= ${LEAST_ERRORS[scope].short / 3}`,
      `${all} >= ${least}`,
    ],
    [
      `${ratio} > ${slow}`,
      `${meanRatio(scope, half, times)} > ${slow}`,
      `${meanRatio(scope, long, times)} > ${slow}`,
      `${failed(half)} >= ${Math.round(half / minute / 3)}`,
      `${beyond} >= ${LEAST_ERRORS[scope].long}`,
      `${all} >= ${least}`,
    ],
    ...(scope === 'account'
      ? []
      : [
          [
            `${ratio} > ${BROKEN}`,
            `${broken} >= ${BROKEN}`,
            `sum_over_time(${range(recordedResponses(scope, 'serverErrors'), times.broken, minute)}) >= ${count}`,
            `${failed(times.broken)} >= ${Math.round(times.broken / minute / 3)}`,
          ],
          // By chance some minutes of a small site are better: a page that has begun goes on.
          [
            `${broken} >= ${BROKEN_STILL}`,
            `last_over_time(${range(paging(scope), times.keepFiring, minute)})`,
          ],
        ]),
  ];
  return branches.map((conditions) => conditions.join('\nand\n')).join('\nor\n');
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

/** Share of the responses that must fail where their count decides. */
const BROKEN = 0.5;

/** The same while a page is on. */
const BROKEN_STILL = 0.35;

/** Returns the share of server errors of few errors that last: the budget is spent all the same. */
export function creeping(scope: Scope, times: Times, tuning: Tuning): string {
  const [middle, longest] = times.burn.creeping;
  const budget = tuning.value('Edge5xxRatio', 'budget', judgedResponses(scope));
  const days = `avg_over_time(${range(ratio5xx(scope, middle), longest, times.baseline)})`;
  const paged = `last_over_time(${range(paging(scope), middle, times.minute)})`;
  return [
    `${latest(ratio5xx(scope, middle), times)} > ${budget}`,
    `${days} > ${budget}`,
    `${meanRatio(scope, times.burn.fast[1], times)} > ${budget}`,
    `${meanOf(scope, 'all', middle, times)} >= ${tuning.value('Edge5xxRatio', 'least_requests', judgedResponses(scope))}`,
    `${meanOf(scope, 'serverErrors', middle, times)} >= ${LEAST_ERRORS[scope].creeping}`,
  ]
    .join('\nand\n')
    .concat(`\nunless\n${paged}`);
}
