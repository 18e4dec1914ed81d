import type { AlertName } from './alert-catalogue.ts';
import type { Judged, Tuning } from './alert-settings.ts';
import { ago, duration } from './promql.ts';
import type { Data } from './rule.ts';
import type { Times } from './times.ts';

/** The levels at which traffic is evaluated, with the labels that distinguish series. */
export const SCOPES = {
  // Two products may report the same traffic, so a sum is meaningful only within one.
  account: ['account', 'product'],
  configuration: ['account', 'product', 'configuration'],
} as const;

export type Scope = keyof typeof SCOPES;

/** Scopes in the order of recording. */
export const SCOPE_NAMES: readonly Scope[] = ['configuration', 'account'];

/** The alerts that compare a measure with its past. */
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

/** A measure in a scope, with times and parameters. */
export interface Judging {
  readonly scope: Scope;
  readonly measure: Measure;
  readonly times: Times;
  readonly tuning: Tuning;
}

/** A quantity that rules compare with its own past. */
export interface Measure {
  /** Name in the recorded series, `<scope>:<name>:<operation>`. */
  readonly name: string;
  /** Returns the expression for each minute. */
  readonly value: (scope: Scope, tuning: Tuning) => string;
  /** Returns the lower bound of an unpublished minute; undefined if there is none. */
  readonly atLeast?: (scope: Scope) => string;
  /** Labels in addition to those of the scope. */
  readonly by: readonly string[];
  readonly alert: SpikeAlert;
  readonly data: Data;
  /** Returns the minimum value that is recorded. Below it, the threshold is the floor. Undefined to record all values. */
  readonly least?: (tuning: Tuning) => number;
  /** For a rare measure, a recorded series that exists whenever its data does; otherwise undefined. */
  readonly beside?: (scope: Scope) => string;
  /** True if the measure is a part of the requests and grows with them. */
  readonly part?: boolean;
  /** True if a change of a WAF rule set changes the level. */
  readonly waf?: boolean;
  /** True if the baseline (`usual`) is recorded in addition to the threshold. */
  readonly usual?: boolean;
  readonly scopes?: readonly Scope[];
}

/** Returns the labels that distinguish the series of a measure in a scope. */
export function labelsOf(scope: Scope, { by }: Pick<Measure, 'by'>): readonly string[] {
  return [...SCOPES[scope], ...by];
}

/** Families of the platform that rules use, with their labels in addition to those of a configuration. */
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
 * Returns a sum over series of the platform, with the largest value of any target. So a second exporter or scrape of the account,
 * or a replica that takes over, does not change it.
 */
function summed(scope: Scope, { family, selector = '', by = [] }: Summed): string {
  const each = [...SCOPES.configuration, 'configuration_id', ...JUDGED_FAMILIES[family]].join(', ');
  return `sum by (${labelsOf(scope, { by }).join(', ')}) (max by (${each}) (${family}${selector}))`;
}

/** Returns the sum for a recording rule. The sum of an account is that of its configurations' sums. */
export function recordedSum(name: string, sum: Summed): (scope: Scope) => string {
  return (scope) =>
    scope === 'configuration'
      ? summed(scope, sum)
      : `sum by (${labelsOf(scope, { by: sum.by ?? [] }).join(', ')}) (configuration:${name})`;
}

/** Responses and errors from which the ratios are computed. */
export const RESPONSES = {
  all: { name: 'edge_responses_per_minute', selector: '' },
  serverErrors: { name: 'edge_server_errors_per_minute', selector: '{class="5xx"}' },
} as const;

/** Returns the name of the series of responses that is recorded every minute. */
export function recordedResponses(scope: Scope, kind: keyof typeof RESPONSES): string {
  return `${scope}:${RESPONSES[kind].name}:sum`;
}

type Value = Pick<Measure, 'name' | 'value' | 'by'>;

function counted(name: string, sum: Summed): Value {
  return { name, value: recordedSum(`${name}:sum`, sum), by: sum.by ?? [] };
}

const besideThreats = (scope: Scope): string => `${scope}:edge_waf_threats_per_minute:sum`;
const besideResponses = (scope: Scope): string => recordedResponses(scope, 'all');

function rare(name: string, sum: Summed, least: (tuning: Tuning) => number) {
  const value = (scope: Scope, tuning: Tuning): string => `${summed(scope, sum)} >= ${least(tuning)}`;
  return { name, value, by: sum.by ?? [], least, part: true };
}

function quarter(alert: 'EdgeWafBlockedSpike' | 'EdgeWafFamilyAttack') {
  return (tuning: Tuning): number => tuning.least(alert, 'floor') / 4;
}

const clientErrorsLeast = (tuning: Tuning): number => tuning.least('Edge4xxRatio', 'share') / 4;

/** All measures, in the order of recording. */
export const MEASURES = {
  requests: {
    ...counted('edge_requests_per_minute', { family: 'edge_requests_per_minute' }),
    alert: 'EdgeTrafficFlood',
    data: 'requests',
    usual: true,
  },
  threats: {
    ...counted('edge_waf_threats_per_minute', { family: 'edge_waf_threats_per_minute' }),
    atLeast: recordedSum('edge_waf_threats_per_minute:at_least', {
      family: 'edge_waf_threats_at_least_per_minute',
    }),
    alert: 'EdgeWafSpike',
    data: 'waf',
    part: true,
    waf: true,
    usual: true,
  },
  blocked: {
    ...rare(
      'edge_waf_blocked_per_minute',
      { family: 'edge_waf_blocked_per_minute' },
      quarter('EdgeWafBlockedSpike'),
    ),
    alert: 'EdgeWafBlockedSpike',
    beside: besideThreats,
    data: 'waf',
    waf: true,
    scopes: ['configuration'],
  },
  family: {
    ...rare(
      'edge_waf_threats_by_family_per_minute',
      { family: 'edge_waf_threats_by_family_per_minute', by: ['family'] },
      quarter('EdgeWafFamilyAttack'),
    ),
    alert: 'EdgeWafFamilyAttack',
    beside: besideThreats,
    data: 'waf',
    waf: true,
    scopes: ['configuration'],
  },
  errors: {
    ...rare(
      'edge_error_responses_per_minute',
      { family: 'edge_responses_per_minute', selector: '{class=~"4xx|5xx"}', by: ['class', 'code'] },
      (tuning) =>
        Math.min(
          tuning.least('EdgeStatusCodeSurge', 'floor') / 4,
          tuning.least('EdgeStatusCodeSurge', 'hour_floor') / 2,
        ),
    ),
    alert: 'EdgeStatusCodeSurge',
    beside: besideResponses,
    data: 'status_code',
    waf: true,
    scopes: ['configuration'],
  },
  clientErrors: {
    name: 'edge_client_error_ratio',
    value: (scope, tuning) =>
      `${ratio(
        ownRefusals(scope),
        recordedResponses(scope, 'all'),
        tuning.value('Edge4xxRatio', 'least_requests', {
          series: recordedResponses(scope, 'all'),
          labels: SCOPES[scope],
        }),
      )}\n>= ${clientErrorsLeast(tuning)}`,
    least: clientErrorsLeast,
    by: [],
    alert: 'Edge4xxRatio',
    beside: besideResponses,
    data: 'status_code',
    scopes: ['configuration'],
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
    scopes: ['configuration'],
  },
} as const satisfies Readonly<Record<string, Measure>>;

/** Returns the client errors without the blocks of the WAF. */
function ownRefusals(scope: Scope): string {
  const all = summed(scope, { family: 'edge_responses_per_minute', selector: '{class="4xx"}' });
  const blocked = summed(scope, { family: 'edge_waf_blocked_per_minute' });
  return `(${all} - ${blocked} or ${all})`;
}

function ratio(part: string, whole: string, least: string): string {
  return `${part}\n/\n(${whole} >= ${least})`;
}

/** Returns the measures in the order in which they are recorded. */
export function measures(): readonly Measure[] {
  return Object.values(MEASURES);
}

/** Returns the scopes in which a measure is evaluated. */
export function scopesOf({ scopes = SCOPE_NAMES }: Measure): readonly Scope[] {
  return scopes;
}

/** Returns true if the measure is a share, rather than a count per minute. */
export function isShare({ name }: Pick<Measure, 'name'>): boolean {
  return name.endsWith('_ratio');
}

/** Returns the names of a measure's recorded series. */
export function recorded(scope: Scope, { name }: Pick<Measure, 'name'>) {
  const series = (operation: string): string => `${scope}:${name}:${operation}`;
  return {
    /** Value of this minute. */
    value: series(isShare({ name }) ? 'now' : 'sum'),
    /** 1 in minutes above the threshold; absent otherwise. */
    above: series('above'),
    /** Lower bound of an unpublished minute, and 1 while it is above the threshold. */
    atLeast: series('at_least'),
    certain: series('certain'),
    /** 1 during a spike; absent otherwise. */
    active: series('active'),
    /** 1 while the level is too high and has grown for hours; absent otherwise. */
    rising: series('rising'),
    /** Start of the spike; absent without one. */
    since: series('since'),
    /** 1 in minutes whose abnormal level was accepted as the baseline; absent otherwise. */
    accepted: series('accepted'),
    /** 1 after hours with abnormal minutes, which comparisons exclude; absent otherwise. */
    covered: series('covered'),
    /** Mean of the last hour; absent if the hour is covered. */
    hourly: series('avg1h'),
    /** Baseline for this hour. */
    usual: series('usual'),
    /** Value above which a minute is abnormal. */
    threshold: series('threshold'),
  };
}

export type Recorded = ReturnType<typeof recorded>;

/** Returns the floor of a measure, below which no alert fires. */
export function floorOf(
  alert: Exclude<SpikeAlert, 'EdgeOffloadCollapse'>,
  tuning: Tuning,
  judged: Judged,
): string {
  return alert === 'Edge4xxRatio'
    ? tuning.value(alert, 'share', judged)
    : tuning.value(alert, 'floor', judged);
}

/** Returns the newest sample of a series that baseline rules record. @param back offset (ms) */
export function latest(series: string, { baseline }: Times, back = 0): string {
  const samples = `${series}[${duration(2.5 * baseline)}]`;
  return `last_over_time(${back === 0 ? samples : ago(samples, back)})`;
}
