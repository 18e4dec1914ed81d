import type { AlertName } from './alert-catalogue.ts';
import type { Judged, Tuning } from './alert-settings.ts';
import { ago, duration, type Matcher, range, selector } from './promql.ts';
import type { Data } from './rule.ts';
import type { Times } from './times.ts';

/** At which levels traffic is judged, with the labels that tell one from another. */
export const SCOPES = {
  // Two products may see the same traffic: only within one is a sum meaningful.
  account: ['account', 'product'],
  configuration: ['account', 'product', 'configuration'],
} as const;

export type Scope = keyof typeof SCOPES;

/** Of each measure the configurations come first: the account's value is their sum. */
export const SCOPE_NAMES: readonly Scope[] = ['configuration', 'account'];

/** The alerts that are made of a comparison with the past, and whose parameters its thresholds have. */
export type SpikeAlert = Extract<
  AlertName,
  | 'EdgeWafSpike'
  | 'EdgeWafBlockedSpike'
  | 'EdgeWafFamilyAttack'
  | 'EdgeStatusCodeSurge'
  | 'EdgeTrafficFlood'
  | 'Edge4xxRatio'
  | 'EdgeOffloadCollapse'
>;

/** What is judged, and how. */
export interface Judging {
  readonly scope: Scope;
  readonly measure: Measure;
  readonly times: Times;
  readonly tuning: Tuning;
}

/** Something that is judged against its own past. */
export interface Measure {
  /** The recorded series are `<scope>:<name>:<operation>`. */
  readonly name: string;
  /** What is recorded every minute. Nothing where there is too little to judge. */
  readonly value: (scope: Scope, tuning: Tuning) => string;
  /** A lower bound of it in a minute that is still filling up, minutes before the minute is published. */
  readonly atLeast?: (scope: Scope) => string;
  /** Labels beside those of the scope. */
  readonly by: readonly string[];
  readonly alert: SpikeAlert;
  readonly data: Data;
  /** Added to both sides of ratios, so that small numbers do not make large ones. */
  readonly little: number;
  /**
   * A series none of whose hours of the last week has so much is quiet (an office's weekend alone is not): nothing usual in it comes to as much as the floor, which
   * is its threshold, so that neither is recorded.
   */
  readonly quiet?: (tuning: Tuning) => number;
  /** Whether it is counted among the requests, and so grows with them. */
  readonly part?: boolean;
  /** Whether it is judged as well what grows for hours. */
  readonly rises?: boolean;
  /** Whether too little is judged as well. */
  readonly falls?: boolean;
  /** Where it is judged, unless everywhere. */
  readonly scopes?: readonly Scope[];
  /** The alert of what is too much in an hour, though not in its minutes. */
  readonly elevated?: Extract<AlertName, 'EdgeWafElevated' | 'EdgeStatusCodeSurge'>;
}

/** The labels that tell the series of a measure in a scope from one another. */
export function labelsOf(scope: Scope, { by }: Pick<Measure, 'by'>): readonly string[] {
  return [...SCOPES[scope], ...by];
}

/** The families of the platform's series that are judged, with the labels that they have beside those of a configuration. */
export const JUDGED_FAMILIES = {
  edge_requests_per_minute: [],
  edge_requests_by_cache_per_minute: ['cache'],
  edge_responses_per_minute: ['class', 'code'],
  edge_upstream_response_seconds_per_minute: [],
  edge_upstream_responses_per_minute: ['class', 'code'],
  edge_waf_blocked_per_minute: [],
  edge_waf_threats_at_least_per_minute: [],
  edge_waf_threats_by_family_per_minute: ['family'],
  edge_waf_threats_per_minute: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

interface Summed {
  readonly family: keyof typeof JUDGED_FAMILIES;
  readonly selector?: string;
  readonly by?: readonly string[];
}

/**
 * A sum over series of the platform. The largest that any target shows of each is taken first: a second exporter of the
 * account, a second scrape of the same one, or another replica that takes over, change nothing.
 */
function summed(scope: Scope, { family, selector = '', by = [] }: Summed): string {
  const each = [...SCOPES.configuration, 'configuration_id', ...JUDGED_FAMILIES[family]].join(', ');
  return `sum by (${labelsOf(scope, { by }).join(', ')}) (max by (${each}) (${family}${selector}))`;
}

/** The same as it is recorded, by the name that follows the scope: the account's is the sum of its configurations'. */
export function recordedSum(name: string, sum: Summed): (scope: Scope) => string {
  return (scope) =>
    scope === 'configuration'
      ? summed(scope, sum)
      : `sum by (${labelsOf(scope, { by: sum.by ?? [] }).join(', ')}) (configuration:${name})`;
}

/** The responses and errors of which the ratios are made: their names, and which of the exporter's they are. */
export const RESPONSES = {
  all: { name: 'edge_responses_per_minute', selector: '' },
  serverErrors: { name: 'edge_server_errors_per_minute', selector: '{class="5xx"}' },
} as const;

/** The series of responses that are recorded every minute. */
export function recordedResponses(scope: Scope, kind: keyof typeof RESPONSES): string {
  return `${scope}:${RESPONSES[kind].name}:sum`;
}

/** Something that is counted by the minute. */
function counted(name: string, sum: Summed): Pick<Measure, 'name' | 'value' | 'by'> {
  return { name, value: recordedSum(`${name}:sum`, sum), by: sum.by ?? [] };
}

/** Everything that is judged against its own past. */
export const MEASURES = {
  requests: {
    ...counted('edge_requests_per_minute', { family: 'edge_requests_per_minute' }),
    alert: 'EdgeTrafficFlood',
    data: 'requests',
    little: 300,
    falls: true,
  },
  threats: {
    ...counted('edge_waf_threats_per_minute', { family: 'edge_waf_threats_per_minute' }),
    atLeast: recordedSum('edge_waf_threats_per_minute:at_least', {
      family: 'edge_waf_threats_at_least_per_minute',
    }),
    alert: 'EdgeWafSpike',
    data: 'waf',
    little: 4,
    part: true,
    rises: true,
    elevated: 'EdgeWafElevated',
  },
  blocked: {
    ...counted('edge_waf_blocked_per_minute', { family: 'edge_waf_blocked_per_minute' }),
    alert: 'EdgeWafBlockedSpike',
    data: 'waf',
    little: 4,
    quiet: (tuning) => tuning.least('EdgeWafBlockedSpike', 'floor') / 4,
    part: true,
  },
  family: {
    ...counted('edge_waf_threats_by_family_per_minute', {
      family: 'edge_waf_threats_by_family_per_minute',
      by: ['family'],
    }),
    alert: 'EdgeWafFamilyAttack',
    data: 'waf',
    little: 4,
    quiet: (tuning) => tuning.least('EdgeWafFamilyAttack', 'floor') / 4,
    part: true,
    // An account's threats are judged as a whole: what is spread over its configurations is seen there.
    scopes: ['configuration'],
  },
  errors: {
    ...counted('edge_error_responses_per_minute', {
      family: 'edge_responses_per_minute',
      selector: '{class=~"4xx|5xx"}',
      by: ['class', 'code'],
    }),
    alert: 'EdgeStatusCodeSurge',
    data: 'status_code',
    little: 6,
    quiet: (tuning) =>
      Math.min(
        tuning.least('EdgeStatusCodeSurge', 'floor') / 4,
        tuning.least('EdgeStatusCodeSurge', 'hour_floor') / 2,
      ),
    part: true,
    elevated: 'EdgeStatusCodeSurge',
  },
  clientErrors: {
    name: 'edge_client_error_ratio',
    value: (scope, tuning) =>
      ratio(
        `sum by (${SCOPES[scope].join(', ')}) (${scope}:edge_error_responses_per_minute:sum{class="4xx"})`,
        recordedResponses(scope, 'all'),
        tuning.value('Edge4xxRatio', 'least_requests', {
          series: recordedResponses(scope, 'all'),
          labels: SCOPES[scope],
        }),
      ),
    by: [],
    alert: 'Edge4xxRatio',
    data: 'status_code',
    little: 0.02,
    quiet: (tuning) => tuning.least('Edge4xxRatio', 'share') / 4,
  },
  misses: {
    name: 'edge_cache_miss_ratio',
    value: (scope, tuning) =>
      ratio(
        summed(scope, { family: 'edge_requests_by_cache_per_minute', selector: '{cache="missed"}' }),
        summed(scope, { family: 'edge_requests_by_cache_per_minute' }),
        tuning.value('EdgeOffloadCollapse', 'least_requests', {
          series: `${scope}:edge_requests_per_minute:sum`,
          labels: SCOPES[scope],
        }),
      ),
    by: [],
    alert: 'EdgeOffloadCollapse',
    data: 'requests',
    little: 0.02,
  },
} as const satisfies Readonly<Record<string, Measure>>;

function ratio(part: string, whole: string, least: string): string {
  return `${part}\n/\n(${whole} >= ${least})`;
}

/** The measures in the order in which they are recorded. */
export function measures(): readonly Measure[] {
  return Object.values(MEASURES);
}

/** Where a measure is judged. */
export function scopesOf({ scopes = SCOPE_NAMES }: Measure): readonly Scope[] {
  return scopes;
}

/** Whether it is a share, not a count of each minute. */
export function isShare({ name }: Pick<Measure, 'name'>): boolean {
  return name.endsWith('_ratio');
}

/** The names of a measure's recorded series. */
export function recorded(scope: Scope, { name }: Pick<Measure, 'name'>) {
  const series = (operation: string): string => `${scope}:${name}:${operation}`;
  return {
    /** What it is in this minute. */
    value: series(isShare({ name }) ? 'now' : 'sum'),
    /** What a minute of a spike must be above: the threshold with which it began; outside of spikes the threshold is. */
    limit: series('limit'),
    /** 1, and there only in minutes above the limit. */
    above: series('above'),
    /** A lower bound of what it is in a minute that is not published yet, and 1 where that is above the limit. */
    atLeast: series('at_least'),
    certain: series('certain'),
    /** 1, and there only in a spike. */
    active: series('active'),
    /** 1, and there only while there is too much that has grown for hours. */
    rising: series('rising'),
    /** 1, and there only while there is far too little. */
    fallen: series('fallen'),
    /** When the abnormal that there is began; there only while there is some. */
    since: series('since'),
    /** There in minutes whose level, long abnormal, is taken for usual. */
    accepted: series('accepted'),
    /** What an abnormal minute has beyond what is usual at this hour, or beyond what of it may become usual. */
    excess: series('excess'),
    /** The mean of the normal minutes of the last hour. */
    hourly: series('avg1h'),
    /** How much the minutes of the last hour differ, relative to their mean. */
    variation: series('variation1h'),
    /** What is usual at this hour. */
    seasonal: series('seasonal'),
    /** The last hour relative to what was usual in it. */
    drift: series('drift1h'),
    /** What is usual at this hour and by the last day. */
    usual: series('usual'),
    /** What is too much, and what is too little. */
    threshold: series('threshold'),
    lower: series('lower_threshold'),
    /** What is too little where there is no last week to compare with. */
    lowest: series('lowest_threshold'),
  };
}

export type Recorded = ReturnType<typeof recorded>;

/** What is usual of a measure by the newest baseline: of a quiet series its last hour, or nothing where that has next to nothing. */
export function latestUsual(
  scope: Scope,
  measure: Measure,
  times: Times,
  matchers: readonly Matcher[] = [],
): string {
  const names = recorded(scope, measure);
  const newest = (series: string): string => latest(selector(series, matchers), times);
  return measure.quiet === undefined
    ? newest(names.usual)
    : `(${newest(names.usual)} or ${newest(names.hourly)} or 0 * ${selector(names.value, matchers)})`;
}

/** What nothing below is too much of a measure that has such: a number, or one for each. */
export function floorOf(
  alert: Exclude<SpikeAlert, 'EdgeOffloadCollapse'>,
  tuning: Tuning,
  judged: Judged,
): string {
  return alert === 'Edge4xxRatio'
    ? tuning.value(alert, 'share', judged)
    : tuning.value(alert, 'floor', judged);
}

/** The threshold by the newest baseline; of a quiet series, the floor. */
export function latestThreshold({ scope, measure, times, tuning }: Judging): string {
  const names = recorded(scope, measure);
  const { alert, quiet } = measure;
  const known = latest(names.threshold, times);
  if (quiet === undefined || alert === 'EdgeOffloadCollapse') return known;
  const floor = floorOf(alert, tuning, { series: names.value, labels: SCOPES[scope] });
  // Of what has just come nothing is known yet: the first baselines will tell whether it is quiet.
  const before = `last_over_time(${ago(range(names.value, times.hour, times.minute), 2 * times.baseline)})`;
  const little = `${names.value} and ${before} unless ${latest(names.hourly, times)} >= ${quiet(tuning)}`;
  return `(${known} or 0 * (${little}) + ${floor})`;
}

/** The newest sample of a series that is recorded every few minutes, wherever Prometheus is between two of them; or that of some time ago. */
export function latest(series: string, { baseline }: Times, back = 0): string {
  const samples = `${series}[${duration(2.5 * baseline)}]`;
  return `last_over_time(${back === 0 ? samples : ago(samples, back)})`;
}
