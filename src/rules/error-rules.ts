import { RESPONSES, recordedResponses, SCOPE_NAMES, SCOPES, type Scope } from './measures.ts';
import { duration, range } from './promql.ts';
import type { RecordingRule } from './rule.ts';
import type { Times } from './times.ts';
import type { Judged, Tuning } from './tuning.ts';

const KINDS = ['all', 'serverErrors'] as const;

type Kind = (typeof KINDS)[number];

/** The name of the share of server errors over a window. */
export function ratio5xx(scope: Scope, window: number): string {
  return `${scope}:edge_server_error_ratio:avg${duration(window)}`;
}

/** The name of the mean per minute, over a window, of all responses or of the server errors. */
export function meanOf(scope: Scope, kind: Kind, window: number): string {
  return `${scope}:${RESPONSES[kind].name}:avg${duration(window)}`;
}

/** 1 in minutes whose share of server errors burns the budget at the slower speed that wakes somebody. */
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
      expr: `sum by (${SCOPES[scope].join(', ')}) (edge_responses_per_minute${selector})`,
    })),
  );
}

/** The windows that decide about waking somebody, and whether they do. */
export function shortRatioRules(times: Times, tuning: Tuning): readonly RecordingRule[] {
  const { burn, minute } = times;
  const windows = [...new Set([...burn.fast, burn.slow[0]])];
  return [
    ...windows.flatMap((window) =>
      ratioRules(window, (scope, kind) => range(recordedResponses(scope, kind), window, minute)),
    ),
    ...SCOPE_NAMES.flatMap((scope) => [
      {
        record: failing(scope),
        expr: `${recordedResponses(scope, 'serverErrors')} > bool ${recordedResponses(scope, 'all')} * ${burning(scope, 'slow', tuning)}`,
      },
      { record: paging(scope), expr: pagingExpression(scope, times, tuning) },
    ]),
  ];
}

/** The longer windows: the middle one is made of minutes, and the longest, for its cost, of the middle one. */
export function longRatioRules({ burn, minute, baseline }: Times): readonly RecordingRule[] {
  const [middle, longest] = burn.creeping;
  return [
    ...ratioRules(middle, (scope, kind) => range(recordedResponses(scope, kind), middle, minute)),
    ...ratioRules(longest, (scope, kind) => range(meanOf(scope, kind, middle), longest, baseline)),
  ];
}

function ratioRules(window: number, samples: (scope: Scope, kind: Kind) => string): readonly RecordingRule[] {
  return SCOPE_NAMES.flatMap((scope) => [
    ...KINDS.map((kind) => ({
      record: meanOf(scope, kind, window),
      expr: `avg_over_time(${samples(scope, kind)})`,
    })),
    {
      record: ratio5xx(scope, window),
      expr: `${meanOf(scope, 'serverErrors', window)}\n/\n(${meanOf(scope, 'all', window)} > 0)`,
    },
  ]);
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
 * many single minutes (a restart is over in two), and of a site that is large enough to wake somebody.
 */
function pagingExpression(scope: Scope, { burn, minute }: Times, tuning: Tuning): string {
  const [short, hour] = burn.fast;
  const [half, long] = burn.slow;
  const failed = (span: number): string => `sum_over_time(${range(failing(scope), span, minute)})`;
  const fast = burning(scope, 'fast', tuning);
  const slow = burning(scope, 'slow', tuning);
  const least = tuning.value('Edge5xxRatio', 'least_requests', judgedResponses(scope));
  const enough = `${meanOf(scope, 'all', half)} >= ${least}`;
  const fastBurn = [
    `${ratio5xx(scope, short)} > ${fast}`,
    `${ratio5xx(scope, hour)} > ${fast}`,
    `${failed(2 * short)} >= ${Math.round(short / minute)}`,
    `${meanOf(scope, 'serverErrors', short)} >= ${LEAST_ERRORS[scope].short}`,
    enough,
  ];
  const slowBurn = [
    `${ratio5xx(scope, short)} > ${slow}`,
    `${ratio5xx(scope, half)} > ${slow}`,
    `${ratio5xx(scope, long)} > ${slow}`,
    `${failed(half)} >= ${Math.round(half / minute / 3)}`,
    `${meanOf(scope, 'serverErrors', half)} >= ${LEAST_ERRORS[scope].long}`,
    enough,
  ];
  const either = [fastBurn, slowBurn].map((conditions) => conditions.join('\nand\n')).join('\nor\n');
  return either;
}

/**
 * Server errors a minute below which a share of them wakes nobody: in the mean of minutes, and of half an hour. Of an
 * account more, or a tiny site that fails would be a page of its account.
 */
export const LEAST_ERRORS: Readonly<Record<Scope, { readonly short: number; readonly long: number }>> = {
  configuration: { short: 3, long: 0.5 },
  account: { short: 15, long: 10 },
};
