import type { AlertName } from './alert-catalogue.ts';
import type { Data } from './rule.ts';
import type { Tuning } from './tuning.ts';

/** At which levels traffic is judged, with the labels that tell one from another. */
export const SCOPES = {
  // Two products may see the same traffic: only within one is a sum meaningful.
  account: ['account', 'product'],
  configuration: ['account', 'product', 'configuration'],
} as const;

export type Scope = keyof typeof SCOPES;

export const SCOPE_NAMES: readonly Scope[] = ['account', 'configuration'];

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
  /** Whether too little is judged as well. */
  readonly falls?: boolean;
  /** The alert of what is too much in an hour, though not in its minutes. */
  readonly elevated?: Extract<AlertName, 'EdgeWafElevated' | 'EdgeStatusCodeSurge'>;
}

/** The labels that tell the series of a measure in a scope from one another. */
export function labelsOf(scope: Scope, { by }: Pick<Measure, 'by'>): readonly string[] {
  return [...SCOPES[scope], ...by];
}

function summed(family: string, selector: string, by: readonly string[]): (scope: Scope) => string {
  return (scope) => `sum by (${labelsOf(scope, { by }).join(', ')}) (${family}${selector})`;
}

/** The responses and errors of which the ratios are made: their names, and which of the exporter's they are. */
export const RESPONSES = {
  all: { name: 'edge_responses_per_minute', selector: '' },
  clientErrors: { name: 'edge_client_errors_per_minute', selector: '{class="4xx"}' },
  serverErrors: { name: 'edge_server_errors_per_minute', selector: '{class="5xx"}' },
} as const;

/** The series of responses that are recorded every minute. */
export function recordedResponses(scope: Scope, kind: keyof typeof RESPONSES): string {
  return `${scope}:${RESPONSES[kind].name}:sum`;
}

/** Everything that is judged against its own past. */
export const MEASURES = {
  threats: {
    name: 'edge_waf_threats_per_minute',
    value: summed('edge_waf_threats_per_minute', '', []),
    atLeast: summed('edge_waf_threats_at_least_per_minute', '', []),
    by: [],
    alert: 'EdgeWafSpike',
    data: 'waf',
    little: 4,
    elevated: 'EdgeWafElevated',
  },
  blocked: {
    name: 'edge_waf_blocked_per_minute',
    value: summed('edge_waf_blocked_per_minute', '', []),
    by: [],
    alert: 'EdgeWafBlockedSpike',
    data: 'waf',
    little: 4,
  },
  family: {
    name: 'edge_waf_threats_by_family_per_minute',
    value: summed('edge_waf_threats_by_family_per_minute', '', ['family']),
    by: ['family'],
    alert: 'EdgeWafFamilyAttack',
    data: 'waf',
    little: 4,
  },
  requests: {
    name: 'edge_requests_per_minute',
    value: summed('edge_requests_per_minute', '', []),
    by: [],
    alert: 'EdgeTrafficFlood',
    data: 'requests',
    little: 300,
    falls: true,
  },
  errors: {
    name: 'edge_error_responses_per_minute',
    value: summed('edge_responses_per_minute', '{class=~"4xx|5xx"}', ['class', 'code']),
    by: ['class', 'code'],
    alert: 'EdgeStatusCodeSurge',
    data: 'status_code',
    little: 6,
    elevated: 'EdgeStatusCodeSurge',
  },
  clientErrors: {
    name: 'edge_client_error_ratio',
    value: (scope, tuning) =>
      ratio(
        recordedResponses(scope, 'clientErrors'),
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
  },
  misses: {
    name: 'edge_cache_miss_ratio',
    value: (scope, tuning) =>
      ratio(
        summed('edge_requests_by_cache_per_minute', '{cache="missed"}', [])(scope),
        summed('edge_requests_by_cache_per_minute', '', [])(scope),
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
