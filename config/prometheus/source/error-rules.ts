import { RESPONSES, ratioOf, SCOPE_NAMES, SCOPES, type Scope } from './measures.ts';
import { duration, range } from './promql.ts';
import type { RecordingRule } from './rule.ts';
import type { Times } from './thresholds.ts';

/** The name of the share of server errors over a window. */
export function ratio5xx(scope: Scope, window: number): string {
  return `${scope}:edge_server_error_ratio:avg${duration(window)}`;
}

/** The name of the mean of all responses per minute, and of the errors among them, over a window. */
export function classMean(scope: Scope, window: number): string {
  return `${scope}:${RESPONSES}:avg${duration(window)}`;
}

function classSum(scope: Scope): string {
  return `${scope}:${RESPONSES}:sum`;
}

/** Responses by class, every minute. To be recorded before what is made of them. */
export function classRules(): readonly RecordingRule[] {
  return SCOPE_NAMES.map((scope) => ({
    record: classSum(scope),
    expr: `sum by (${[...SCOPES[scope], 'class'].join(', ')}) (edge_responses_per_minute)`,
  }));
}

/** The windows that are made of minutes, with means by class; the longer ones are made of hours. */
export function minuteRatioRules({ burn, minute, hour }: Times): readonly RecordingRule[] {
  const windows = unique([...burn.fast, burn.slow[0]]).filter((window) => window <= hour);
  return windows.flatMap((window) =>
    SCOPE_NAMES.flatMap((scope) => {
      const mean = classMean(scope, window);
      return [
        { record: mean, expr: `avg_over_time(${range(classSum(scope), window, minute)})` },
        ratioRule(scope, window, (selector) => `${mean}${selector}`),
      ];
    }),
  );
}

/** The windows that are made of hourly means. */
export function longRatioRules({ burn, baseline, hour }: Times): readonly RecordingRule[] {
  const windows = unique([burn.slow[1], ...burn.creeping]);
  return windows.flatMap((window) =>
    SCOPE_NAMES.flatMap((scope) => {
      const mean = classMean(scope, window);
      return [
        { record: mean, expr: `avg_over_time(${range(classMean(scope, hour), window, baseline)})` },
        ratioRule(scope, window, (selector) => `${mean}${selector}`),
      ];
    }),
  );
}

function ratioRule(scope: Scope, window: number, of: (selector: string) => string): RecordingRule {
  return { record: ratio5xx(scope, window), expr: ratioOf('5xx', of) };
}

function unique(numbers: readonly number[]): readonly number[] {
  return [...new Set(numbers)];
}
