import { RESPONSES, recordedResponses, SCOPE_NAMES, SCOPES, type Scope } from './measures.ts';
import { duration, range } from './promql.ts';
import type { RecordingRule } from './rule.ts';
import type { Times } from './thresholds.ts';

const KINDS = ['all', 'serverErrors'] as const;

/** The name of the share of server errors over a window. */
export function ratio5xx(scope: Scope, window: number): string {
  return `${scope}:edge_server_error_ratio:avg${duration(window)}`;
}

/** The name of the mean per minute, over a window, of all responses or of the server errors. */
export function meanOf(scope: Scope, kind: (typeof KINDS)[number], window: number): string {
  return `${scope}:${RESPONSES[kind].name}:avg${duration(window)}`;
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

/** The windows that decide about waking somebody, made of minutes. */
export function shortRatioRules({ burn, minute }: Times): readonly RecordingRule[] {
  return [...burn.fast, burn.slow[0]].flatMap((window) =>
    ratioRules(window, (scope, kind) => range(recordedResponses(scope, kind), window, minute)),
  );
}

/** The longer windows: the middle one is made of minutes, and the longest, for its cost, of the middle one. */
export function longRatioRules({ burn, minute, baseline }: Times): readonly RecordingRule[] {
  const [middle, longest] = burn.creeping;
  return [
    ...ratioRules(middle, (scope, kind) => range(recordedResponses(scope, kind), middle, minute)),
    ...ratioRules(longest, (scope, kind) => range(meanOf(scope, kind, middle), longest, baseline)),
  ];
}

function ratioRules(
  window: number,
  samples: (scope: Scope, kind: (typeof KINDS)[number]) => string,
): readonly RecordingRule[] {
  return SCOPE_NAMES.flatMap((scope) => [
    ...KINDS.map((kind) => ({
      record: meanOf(scope, kind, window),
      expr: `avg_over_time(${samples(scope, kind)})`,
    })),
    {
      record: ratio5xx(scope, window),
      expr: `${meanOf(scope, 'serverErrors', window)}\n/\n${meanOf(scope, 'all', window)}`,
    },
  ]);
}
