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

/** Returns the name of the share of server errors over a window. */
export function ratio5xx(scope: Scope, window: number): string {
  return `${scope}:edge_server_error_ratio:avg${duration(window)}`;
}

function always5xx(scope: Scope): string {
  return `${scope}:edge_server_error_ratio:always`;
}

function meanOf(scope: Scope, kind: Kind, window: number, { minute }: Times): string {
  return `avg_over_time(${range(recordedResponses(scope, kind), window, minute)})`;
}

/**
 * Returns the name of the series that is 1 in minutes whose server errors consume the error budget at the slower rate of a page.
 */
export function failing(scope: Scope): string {
  return `${scope}:edge_server_errors_per_minute:failing`;
}

/** Returns the name of the series of the share of server errors, present only while it pages. */
export function paging(scope: Scope): string {
  return `${scope}:edge_server_errors_per_minute:paging`;
}

/** Returns the rules of responses and server errors of each minute, which other rules use. */
export function responseRules(): readonly RecordingRule[] {
  return Object.values(RESPONSES).flatMap(({ name, selector }) =>
    SCOPE_NAMES.map((scope) => ({
      record: `${scope}:${name}:sum`,
      expr: recordedSum(`${name}:sum`, { family: 'edge_responses_per_minute', selector })(scope),
    })),
  );
}

/** Returns the rules of the share of the last minutes, of failing minutes, and of the share that pages. */
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

/** Returns the rules of the share of the last hours, and of its median over days, which failures of hours do not affect. */
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

/** Returns the series to which parameters of server errors apply. */
export function judgedResponses(scope: Scope): Judged {
  return { series: recordedResponses(scope, 'all'), labels: SCOPES[scope] };
}

/** Returns the share of server errors that consumes the error budget at a rate. */
export function burning(scope: Scope, speed: 'fast' | 'slow', tuning: Tuning): string {
  const judged = judgedResponses(scope);
  const budget = tuning.value('Edge5xxRatio', 'budget', judged);
  const times = tuning.value('Edge5xxRatio', speed === 'fast' ? 'fast_burn' : 'slow_burn', judged);
  const both = Number(times) * Number(budget);
  return Number.isNaN(both) ? `(${times} * ${budget})` : String(Number(both.toPrecision(6)));
}

/**
 * Returns the share of server errors where it pages. Errors consume the budget over a long window (they matter), over a short one
 * (they last), and in many minutes (a restart ends in two). A small site pages by its number of failures. A site with constant
 * errors pages only if it is far worse than its baseline.
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
          // By chance some minutes of a small site are better: a page that has begun continues.
          [
            `${broken} >= ${BROKEN_STILL}`,
            `${all} < ${least}`,
            `last_over_time(${range(paging(scope), times.keepFiring, minute)})`,
          ],
        ]),
  ];
  return branches.map((conditions) => conditions.join('\nand\n')).join('\nor\n');
}

/** Share of an hour's minutes that must fail instead: more than three restarts have, less than a crash loop has. */
const CRASHING = 2 / 15;

/** Factor of the usual share of failures above which a site pages. */
const FAR_WORSE = 3;

/** Returns the usual share of server errors some hours ago, or the current one for a new site. */
function before(scope: Scope, times: Times): string {
  const always = always5xx(scope);
  return `(${latest(always, times, times.burn.creeping[0])} or ${latest(always, times)})`;
}

/**
 * Server errors per minute below which a share does not alert. `short` is the mean of minutes and `long` of half an hour, for
 * pages. `creeping` is the mean of six hours, for tickets. Accounts need more, because otherwise a tiny failing site would page for
 * its account.
 */
export const LEAST_ERRORS: Readonly<Record<Scope, Readonly<Record<'short' | 'long' | 'creeping', number>>>> =
  {
    configuration: { short: 1.5, long: 0.5, creeping: 0.06 },
    account: { short: 15, long: 10, creeping: 5 },
  };

/** Share of failed responses above which their number decides. */
const BROKEN = 0.5;

/** Share above which such a page continues. */
const BROKEN_STILL = 0.35;

/** Returns the share of server errors that are few but last, and exhaust the error budget. */
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
